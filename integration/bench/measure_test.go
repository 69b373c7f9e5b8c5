package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		sample []float64
		q      float64
		want   float64
	}{
		{nil, 0.5, 0},
		{[]float64{7}, 0.9, 7},
		{[]float64{3, 1, 2}, 0, 1},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{3, 1, 2}, 1, 3},
		{[]float64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110}, 0.9, 100},
	} {
		if got := quantile(c.sample, c.q); got != c.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.sample, c.q, got, c.want)
		}
	}
}

// A slow round must not move a paired ratio, though it moves both medians.
func TestPairedRatioIgnoresSlowRounds(t *testing.T) {
	sample, base := []float64{5, 50, 5, 50, 50}, []float64{10, 100, 10, 100, 100}
	if got := pairedRatio(sample, base); got != 0.5 {
		t.Errorf("pairedRatio = %v, want 0.5", got)
	}
}

// bare returns a lab without sovrun in it, enough to launch programs.
func bare(t *testing.T) *lab {
	t.Helper()
	base := t.TempDir()
	stub := filepath.Join(base, "stub")
	if err := os.WriteFile(stub, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	tools, err := buildTools(base, stub)
	if err != nil {
		t.Fatal(err)
	}
	return &lab{tools: tools, ctx: t.Context(), who: "user", workspace: base, home: base}
}

// The C programs are compiled once for all of these.
func TestPrograms(t *testing.T) {
	l := bare(t)
	for name, test := range map[string]func(*testing.T, *lab){
		"pace counts every launch": paceCountsEveryLaunch, "pace rests between launches": paceRestsBetweenLaunches,
		"pace refuses failures": paceRefusesFailures, "pace rewinds the filter": paceRewindsTheFilter,
		"system calls cost time": syscallsCostTime,
	} {
		t.Run(name, func(t *testing.T) { test(t, l) })
	}
}

func paceCountsEveryLaunch(t *testing.T, l *lab) {
	all, err := l.pace(pacing{rounds: 4}, []command{{"a", []string{l.path("true")}}, {"b", []string{"/bin/echo", "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if len(s.us) != 4 || s.failures != 0 {
			t.Errorf("%s: %d launches, %d failures, want 4 and 0", s.name, len(s.us), s.failures)
		}
		if quantile(s.us, 0) <= 0 {
			t.Errorf("%s took no time: %v", s.name, s.us)
		}
	}
	if all[1].peakKiB <= 0 {
		t.Errorf("peak memory of a program with a C library = %d KiB, want some", all[1].peakKiB)
	}
}

func paceRestsBetweenLaunches(t *testing.T, l *lab) {
	const rest = 5 * time.Millisecond
	begin := time.Now()
	if _, err := l.pace(pacing{rounds: 4, gap: rest}, []command{{"a", []string{l.path("true")}}}); err != nil {
		t.Fatal(err)
	}
	if spent, least := time.Since(begin), (4+warmupRounds)*rest; spent < least {
		t.Errorf("%v for %d launches, want at least %v", spent, 4+warmupRounds, least)
	}
}

func paceRefusesFailures(t *testing.T, l *lab) {
	for _, argv := range [][]string{{"/bin/false"}, {"/nonexistent"}, {"/bin/sh", "-c", "kill -9 $$"}} {
		_, err := l.pace(pacing{rounds: 2}, []command{{"good", []string{l.path("true")}}, {"bad", argv}})
		if err == nil || !strings.Contains(err.Error(), "2 of 2 launches of bad failed") {
			t.Errorf("pace of %q: %v, want both launches counted as failed", argv, err)
		}
	}
}

// The filter's descriptor is read to its end by each launch.
func paceRewindsTheFilter(t *testing.T, l *lab) {
	script := `test "$(wc -c <&4)" -gt 500`
	if _, err := l.pace(pacing{rounds: 3}, []command{{"reader", []string{"/bin/sh", "-c", script}}}); err != nil {
		t.Error(err)
	}
}

func syscallsCostTime(t *testing.T, l *lab) {
	if err := copyProgram(l.path("syscalls"), l.inWorkspace("syscalls")); err != nil {
		t.Fatal(err)
	}
	costs, err := l.costsIn(nameBare, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(costs) != 7 {
		t.Errorf("%d operations, want 7", len(costs))
	}
	for _, c := range costs {
		if c.ns <= 0 || c.calls < 1 {
			t.Errorf("%s: %v ns in %d calls", c.name, c.ns, c.calls)
		}
	}
}

func TestLeast(t *testing.T) {
	got := least([]cost{{"a", 1, 5}, {"b", 1, 7}}, []cost{{"a", 1, 6}, {"b", 1, 3}})
	if got[0].ns != 5 || got[1].ns != 3 {
		t.Errorf("least = %v, want 5 and 3", got)
	}
}

func TestCostCheckTakesTheWorstRepetition(t *testing.T) {
	round := func(name string, outside, inside float64) [][]cost {
		return [][]cost{{{name, 1, outside}}, {{name, 1, inside}}}
	}
	flat := costCheck("user", [][][]cost{round("getppid", 100, 130), round("getppid", 100, 190)}, 0)
	if flat.got != 90 || flat.budget != flatBudget || flat.verdict() != "OVER" {
		t.Errorf("getppid: %+v, want 90 ns over %v", flat, flatBudget)
	}
	ratio := costCheck("user", [][][]cost{round(nameOpenWritable, 100, 120), round(nameOpenWritable, 100, 110)}, 0)
	if ratio.got != 1.2 || ratio.budget != openWritableBudget || ratio.verdict() != "pass" {
		t.Errorf("open: %+v, want 1.2 within %v", ratio, openWritableBudget)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		check check
		want  string
	}{
		{check{got: 0.75, budget: 0.75}, "pass"},
		{check{got: 0.76, budget: 0.75}, "OVER"},
		{check{budget: 0.75, invalid: errors.New("no launch")}, "INVALID"},
	} {
		if got := c.check.verdict(); got != c.want {
			t.Errorf("verdict of %+v = %s, want %s", c.check, got, c.want)
		}
	}
}

func TestNoMemoryIsNoMeasurement(t *testing.T) {
	for kib, want := range map[int64]string{0: "INVALID", 2100: "pass", memoryBudget + 1: "OVER"} {
		if got := memoryCheck("peak", "user", kib).verdict(); got != want {
			t.Errorf("verdict on %d KiB = %s, want %s", kib, got, want)
		}
	}
}

// Only what could not be measured fails the command.
func TestFailedListsInvalidRowsOnly(t *testing.T) {
	r := &report{checks: []check{{what: "slow", got: 2, budget: 1}}}
	if got := r.failed(); got != nil {
		t.Errorf("failed = %q for a value over its budget, want none", got)
	}
	r.invalid("launch", "user", errors.New("1 of 80 launches failed"))
	if got := r.failed(); len(got) != 1 || !strings.Contains(got[0], "1 of 80") {
		t.Errorf("failed = %q, want the invalid row", got)
	}
}

func TestPageShowsNoDirectoryOfThisRun(t *testing.T) {
	l := &lab{tools: tools{dir: "/var/tmp/sovrun-bench-1/bin"}, workspace: "/var/tmp/sovrun-bench-1/user/workspace", home: "/var/tmp/sovrun-bench-1/user/home"}
	r := &report{hide: hide([]*lab{l})}
	r.tables = []table{{title: "T", head: []string{"a|b"}, rows: [][]string{{l.workspace + "/x"}, {l.home}, {l.path("true")}}}}
	page := r.markdown()
	if strings.Contains(page, "/var/tmp") {
		t.Errorf("the page names a directory of this run:\n%s", page)
	}
	for _, want := range []string{"| $WORKSPACE/x |", "| $HOME |", "| $BENCH/bin/true |", `| a\|b |`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

func TestParseFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		ok   bool
	}{
		{"-quick", true},
		{"-full -sovrun bin/sovrun -out docs/benchmarks.md", true},
		{"", false},
		{"-full -quick", false},
		{"-quick -out x", false},
	} {
		_, err := parseFlags(strings.Fields(c.args))
		if (err == nil) != c.ok {
			t.Errorf("parseFlags(%q): %v, want ok = %v", c.args, err, c.ok)
		}
	}
}
