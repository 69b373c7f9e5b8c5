// Package runs is one run of a command, from the first look at the host to the
// last word about how it ended: it puts policy, isolation and probes in order.
package runs
