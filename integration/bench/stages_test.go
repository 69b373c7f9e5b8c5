package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// A launch: 10 is the launcher, 11 a thread of it, 12 its controls, 13 init,
// 14 the provider. "%[1]d" and so on are calls whose numbers differ between
// architectures.
const traceTemplate = `# tracer: nop
#
           bench-9       [000] ...1.    99.999990: sys_enter: NR %[1]d (0, 0, 0, 0, 0, 0)
           bench-9       [000] d..1.    99.999999: sched_process_fork: comm=bench pid=9 child_comm=bench child_pid=10
          sovrun-10      [000] ...1.   100.000000: sched_process_exec: filename=/b/sovrun pid=10 old_pid=10
          sovrun-10      [000] ...1.   100.000010: sys_enter: NR %[1]d (0, 0, 0, 0, 0, 0)
          sovrun-10      [000] ...1.   100.000011: sched_process_fork: comm=sovrun pid=10 child_comm=sovrun child_pid=11
     sovrun main-11      [001] ...1.   100.000020: sys_enter: NR %[1]d (0, 0, 0, 0, 0, 0)
     sovrun main-11      [001] ...1.   100.000025: sched_process_fork: comm=sovrun pid=11 child_comm=sovrun child_pid=12
     sovrun main-11      [001] ...1.   100.000100: sys_enter: NR %[1]d (0, 0, 0, 0, 0, 0)
     sovrun main-11      [001] ...1.   100.000300: sched_process_fork: comm=sovrun pid=11 child_comm=sovrun child_pid=13
          sovrun-13      [000] ...1.   100.000310: sys_enter: NR %[2]d (0, 0, 0, 0, 0, 0)
          sovrun-12      [001] ...1.   100.000311: sys_enter: NR %[3]d (0, 0, 0, 0, 0, 0)
          sovrun-13      [000] ...1.   100.000350: sys_enter: NR %[3]d (0, 0, 0, 0, 0, 0)
          sovrun-13      [000] ...1.   100.000400: sys_enter: NR %[1]d (0, 0, 0, 0, 0, 0)
          sovrun-13      [000] ...1.   100.000450: sched_process_fork: comm=sovrun pid=13 child_comm=sovrun child_pid=14
            true-14      [001] ...1.   100.000700: sched_process_exec: filename=/w/true pid=14 old_pid=14
            true-14      [001] ...1.   100.000800: sched_process_exit: comm=true pid=14 prio=120
          sovrun-13      [000] ...1.   100.000900: sched_process_exit: comm=sovrun pid=13 prio=120
          sovrun-10      [000] ...1.   100.001000: sched_process_exit: comm=sovrun pid=10 prio=120
`

func traceText() string {
	return fmt.Sprintf(traceTemplate, syscall.SYS_CLONE, syscall.SYS_MOUNT, syscall.SYS_PIVOT_ROOT)
}

func TestCutStages(t *testing.T) {
	events, err := parseTrace(traceText())
	if err != nil {
		t.Fatal(err)
	}
	f, err := findFamily(events, "/b/sovrun", "/w/true")
	if err != nil {
		t.Fatal(err)
	}
	if want := (family{launcher: 10, cloner: 11, init: 13, provider: 14}); f != want {
		t.Fatalf("family = %+v, want %+v", f, want)
	}
	want := []struct {
		begins string
		us     int
		calls  int
	}{
		{"launcher: start", 100, 2},
		{"clone with", 200, 1},
		{"id maps", 10, 0},
		{"sources", 40, 2}, // the controls' call counts, though it ends no stage
		{"pivot; old root gone", 50, 1},
		{"fork of the provider", 50, 1},
		{"acts", 250, 0},
		{"the program", 100, 0},
		{"end of init", 100, 0},
		{"end of the namespaces", 100, 0},
	}
	stages := cutStages(events, f)
	if len(stages) != len(want) {
		t.Fatalf("%d stages, want %d: %v", len(stages), len(want), stages)
	}
	for i, w := range want {
		s := stages[i]
		if !strings.HasPrefix(s.name, w.begins) || int(s.us+0.5) != w.us || s.calls != w.calls {
			t.Errorf("stage %d = %+v, want %+v", i, s, w)
		}
	}
}

func TestFindFamilyWantsTheTarget(t *testing.T) {
	events, err := parseTrace(traceText())
	if err != nil {
		t.Fatal(err)
	}
	if f, err := findFamily(events, "/b/sovrun", "/w/other"); err == nil {
		t.Errorf("found %+v for a target that was never executed", f)
	}
}

func TestParseTraceRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, bad := range []string{"hello\n", " a-1 [000] ...1. 1.5: sys_exit: NR 1 = 0\n", " a-1 [000] ...1. 1.5: sys_enter: 1\n"} {
		if events, err := parseTrace(bad); err == nil {
			t.Errorf("parseTrace(%q) = %v, want an error", bad, events)
		}
	}
}

func TestParseMarks(t *testing.T) {
	marks, err := parseMarks([]byte("1500 clone\n20 pivot, old root detached\n"))
	if err != nil || len(marks) != 2 || marks[0].us != 1.5 || marks[1].name != "pivot, old root detached" {
		t.Errorf("parseMarks = %+v, %v", marks, err)
	}
	if marks, err := parseMarks([]byte("clone\n")); err == nil {
		t.Errorf("parseMarks of a line without a number = %+v, want an error", marks)
	}
}

func TestDescendants(t *testing.T) {
	all := map[int]process{1: {pid: 1}, 5: {pid: 5, parent: 1}, 6: {pid: 6, parent: 5}, 7: {pid: 7, parent: 6}, 8: {pid: 8, parent: 1}}
	tree := descendants(5, all)
	if len(tree) != 3 || tree[0].pid != 5 || tree[2].pid != 7 {
		t.Errorf("descendants = %+v, want 5, 6, 7", tree)
	}
}

func TestParseStatus(t *testing.T) {
	got := parseStatus("Name:\tcat\nPid:\t12\nPPid:\t3\nVmHWM:\t    1900 kB\nVmRSS:\t 80 kB\nThreads:\t1\n")
	if want := (process{pid: 12, parent: 3, peakKiB: 1900, rssKiB: 80}); got != want {
		t.Errorf("parseStatus = %+v, want %+v", got, want)
	}
}
