package main

import (
	"fmt"
	"slices"
	"time"
)

const (
	launchBudget = 0.75 // of bubblewrap's time
	memoryBudget = 4096 // KiB
)

// effort is how much is measured.
type effort struct {
	rounds      int
	repetitions int
	gaps        []time.Duration
	batches     int  // of system calls, in each process
	everything  bool // import cost and stages too
}

var (
	fullEffort  = effort{rounds: 80, repetitions: 3, gaps: []time.Duration{0, 3 * time.Millisecond, 20 * time.Millisecond}, batches: 60, everything: true}
	quickEffort = effort{rounds: 30, repetitions: 1, gaps: []time.Duration{3 * time.Millisecond}, batches: 30}
)

// repeated holds the series of one command over several repetitions.
type repeated struct {
	name   string
	us     []float64 // of all repetitions
	ratios []float64 // one a repetition, to the base
	peak   int64
}

func (r repeated) worst() float64 { return slices.Max(r.ratios) }

// repeat paces the commands n times; base is the index of the one that the
// others are compared with.
func (l *lab) repeat(n int, p pacing, commands []command, base int) ([]repeated, error) {
	all := make([]repeated, len(commands))
	for range n {
		series, err := l.pace(p, commands)
		if err != nil {
			return nil, err
		}
		for i, s := range series {
			all[i].name = s.name
			all[i].us = append(all[i].us, s.us...)
			all[i].ratios = append(all[i].ratios, pairedRatio(s.us, series[base].us))
			all[i].peak = max(all[i].peak, s.peakKiB)
		}
	}
	return all, nil
}

// launches measures what a launch costs, tight and with rests, and the memory
// that it takes.
func (r *report) launches(l *lab, e effort) {
	target := l.inWorkspace("true")
	commands := []command{
		l.launcher(nameBwrap, target), l.launcher(nameSovrun, target),
		l.launcher(nameFloor, target), l.launcher(nameBare, target),
	}
	t := launchTable(l.who, e)
	var peaks []repeated
	for _, gap := range e.gaps {
		what := "launch, " + gapName(gap) + ", of bubblewrap's time"
		all, err := l.repeat(e.repetitions, pacing{e.rounds, gap}, commands, 0)
		if err != nil {
			r.invalid(what, l.who, err)
			continue
		}
		for _, c := range all {
			t.rows = append(t.rows, launchRow(gap, c))
		}
		r.checks = append(r.checks, check{what: what, who: l.who, got: all[1].worst(), budget: launchBudget, unit: "ratio"})
		peaks = all
	}
	r.tables = append(r.tables, t)
	r.memory(l, peaks)
}

func launchTable(who string, e effort) table {
	return table{
		title: "A launch, by " + who,
		notes: []string{fmt.Sprintf("Microseconds; %d × %d launches of each. A rest before each launch lets the kernel finish what the last one left to it (the teardown of a network namespace runs in a worker), and lets caches cool.", e.repetitions, e.rounds)},
		head:  []string{"rest", "launcher", "min", "median", "p90", "ratio, worst", "ratio, best"},
	}
}

func launchRow(gap time.Duration, c repeated) []string {
	return []string{
		gapName(gap), c.name,
		format(slices.Min(c.us), ""), format(median(c.us), ""), format(quantile(c.us, 0.9), ""),
		format(c.worst(), "ratio"), format(slices.Min(c.ratios), "ratio"),
	}
}

func gapName(gap time.Duration) string {
	if gap == 0 {
		return "no rest"
	}
	return gap.String() + " rest"
}
