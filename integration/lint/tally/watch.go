package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errFailed says no more than the output already did.
var errFailed = errors.New("a package failed")

// watcher prints packages as they end and keeps the output of their tests until it knows whether they failed.
type watcher struct {
	out    io.Writer
	held   map[test]*strings.Builder
	empty  map[string]bool // packages without test files
	failed bool
}

func watch(in io.Reader, out io.Writer) error {
	w := watcher{out: out, held: map[test]*strings.Builder{}, empty: map[string]bool{}}
	if err := each(in, w.take); err != nil {
		return err
	}
	if w.failed {
		return errFailed
	}
	return nil
}

func (w *watcher) take(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(w.out, e.Output)
	case "output":
		w.hold(e)
	case "pass", "skip", "fail":
		w.end(e)
	}
}

// hold keeps one piece of output, without the markers that go test prints only with -v.
func (w *watcher) hold(e event) {
	if strings.HasPrefix(e.Output, "=== ") {
		return
	}
	if strings.Contains(e.Output, "[no test files]") && e.Test == "" {
		w.empty[e.Package] = true
	}
	b := w.held[e.test()]
	if b == nil {
		b = &strings.Builder{}
		w.held[e.test()] = b
	}
	b.WriteString(e.Output)
}

func (w *watcher) end(e event) {
	if e.Action == "fail" {
		w.failed = true
		w.release(e.test())
	}
	delete(w.held, e.test())
	if e.Test == "" {
		w.endPackage(e)
	}
}

// releaseUnfinished prints what the tests said that ended with the package's process.
func (w *watcher) releaseUnfinished(pkg string) {
	var left []test
	for t := range w.held {
		if t.pkg == pkg {
			left = append(left, t)
		}
	}
	slices.SortFunc(left, compare)
	for _, t := range left {
		w.release(t)
		delete(w.held, t)
	}
}

// release prints the output of a failed test or package. What a package as a whole printed goes without the
// verdict lines, which endPackage writes.
func (w *watcher) release(t test) {
	b := w.held[t]
	if b == nil {
		return
	}
	for line := range strings.Lines(b.String()) {
		if t.name == "" && (line == "FAIL\n" || strings.HasPrefix(line, "FAIL\t") || line == "PASS\n") {
			continue
		}
		fmt.Fprint(w.out, line)
	}
}

func (w *watcher) endPackage(e event) {
	w.releaseUnfinished(e.Package)
	switch {
	case e.FailedBuild != "":
		fmt.Fprintf(w.out, "FAIL\t%s [build failed]\n", e.Package)
	case e.Action == "fail":
		fmt.Fprintf(w.out, "FAIL\t%s\t%.3fs\n", e.Package, e.Elapsed)
	case w.empty[e.Package]:
		fmt.Fprintf(w.out, "?   \t%s\t[no test files]\n", e.Package)
	default:
		fmt.Fprintf(w.out, "ok  \t%s\t%.3fs\n", e.Package, e.Elapsed)
	}
}
