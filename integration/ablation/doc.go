// Package ablation holds the test that leaves out one mechanism after the other
// and compares what falls with probes/testdata/ablation.golden.
package ablation
