package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// verdict of a test over all runs; a greater one wins.
type verdict int

const (
	skipped verdict = iota + 1
	passed
	failed
)

var verdictOf = map[string]verdict{"skip": skipped, "pass": passed, "fail": failed}

// total puts the runs together.
type total struct {
	verdicts map[test]verdict
	reasons  map[test]string // the last line of output of a test: for a skipped one, why
	packages map[string]verdict
}

func newTotal() total {
	return total{map[test]verdict{}, map[test]string{}, map[string]verdict{}}
}

func (t total) readFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open the record of a run: %w", err)
	}
	defer file.Close()
	started := map[test]bool{}
	if err := each(file, func(e event) { t.take(e, started) }); err != nil {
		return err
	}
	// A test that began and never ended took its process with it, whatever the exit status of the pipe was.
	for s := range started {
		t.verdicts[s] = failed
	}
	return nil
}

func (t total) take(e event, started map[test]bool) {
	v := verdictOf[e.Action]
	switch {
	case e.Test == "" && v != 0:
		t.packages[e.Package] = max(t.packages[e.Package], v)
	case e.Action == "run":
		started[e.test()] = true
	case v != 0:
		delete(started, e.test())
		t.verdicts[e.test()] = max(t.verdicts[e.test()], v)
	case e.Action == "output" && !strings.HasPrefix(strings.TrimSpace(e.Output), "--- "):
		t.reasons[e.test()] = strings.TrimSpace(e.Output)
	}
}

// print lists what nobody ran and what failed, and closes with the counts. A package that failed though none of its
// tests did (it does not build, or its process died) counts as one failure.
func (t total) print(out io.Writer, complete bool) error {
	counts := map[verdict]int{}
	broken := maps.Clone(t.packages)
	for _, s := range slices.SortedFunc(maps.Keys(t.verdicts), compare) {
		v := t.verdicts[s]
		counts[v]++
		switch {
		case v == failed:
			delete(broken, s.pkg)
			fmt.Fprintf(out, "failed: %s %s\n", s.pkg, s.name)
		case v == skipped && complete:
			fmt.Fprintf(out, "skipped in every run: %s %s: %s\n", s.pkg, s.name, t.reasons[s])
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(broken)) {
		if broken[pkg] == failed {
			counts[failed]++
			fmt.Fprintf(out, "failed: %s\n", pkg)
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", counts[passed], counts[failed], counts[skipped])
	return judge(counts, complete)
}

func judge(counts map[verdict]int, complete bool) error {
	switch {
	case counts[failed] > 0:
		return errors.New("tests failed")
	case counts[passed] == 0:
		return errors.New("no test passed: the run proves nothing")
	case complete && counts[skipped] > 0:
		return errors.New("a test was skipped in every run: make one of them able to run it")
	}
	return nil
}

func compare(a, b test) int {
	return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name))
}
