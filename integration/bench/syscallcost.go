package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Budgets of system calls inside, against the same calls outside.
const (
	flatBudget         = 45.0 // ns a call
	openWritableBudget = 1.25 // of the time outside
	openReadOnlyBudget = 1.45
)

// The files that the operations use, and operations with a budget of their own.
const (
	writableFile     = "file" // in the workspace
	readOnlyFile     = "/usr/bin/true"
	nameOpenWritable = "open+close_writable"
	nameOpenReadOnly = "open+close_read_only"
)

// cost is what one operation takes.
type cost struct {
	name  string
	calls int
	ns    float64
}

func parseCosts(text string) ([]cost, error) {
	var all []cost
	for line := range strings.Lines(text) {
		var c cost
		if _, err := fmt.Sscan(line, &c.name, &c.calls, &c.ns); err != nil {
			return nil, fmt.Errorf("wanted a cost, got %q: %w", strings.TrimSpace(line), err)
		}
		all = append(all, c)
	}
	return all, nil
}

// places is where the calls are measured; the first is what the others are
// compared with.
var places = []string{nameBare, nameSovrun, nameBwrap}

// syscallCost measures single system calls outside, in sovrun and in bubblewrap,
// in turn.
func (r *report) syscallCost(l *lab, e effort) {
	var rounds [][][]cost // by repetition, place, operation
	for range e.repetitions {
		round, err := l.costs(e.batches)
		if err != nil {
			r.invalid("system calls inside", l.who, err)
			return
		}
		rounds = append(rounds, round)
	}
	t := table{
		title: "System calls, by " + l.who,
		notes: []string{"Nanoseconds for an operation, the best of many batches in several processes; an operation of several calls counts them all. The writable file is in the workspace, the read-only one is " + readOnlyFile + "."},
		head:  append([]string{"operation", "calls"}, places...),
	}
	for op := range rounds[0][0] {
		t.rows = append(t.rows, costRow(rounds, op))
		r.checks = append(r.checks, costCheck(l.who, rounds, op))
	}
	r.tables = append(r.tables, t)
}

// turns is how often the places take turns in one repetition: what a call costs
// differs by some tens of nanoseconds from process to process (where its pages
// lie), which only several processes even out.
const turns = 7

// costs returns the least of all turns, by place and operation.
func (l *lab) costs(batches int) ([][]cost, error) {
	all := make([][]cost, len(places))
	for range turns {
		for i, place := range places {
			costs, err := l.costsIn(place, batches)
			if err != nil {
				return nil, err
			}
			all[i] = least(all[i], costs)
		}
	}
	return all, nil
}

func (l *lab) costsIn(place string, batches int) ([]cost, error) {
	file := l.inWorkspace(writableFile)
	out, err := l.output(l.launcher(place, l.inWorkspace("syscalls"), strconv.Itoa(batches), file, readOnlyFile).argv)
	if err != nil {
		return nil, err
	}
	return parseCosts(out)
}

// least returns the cheaper of two measurements, operation by operation.
func least(a, b []cost) []cost {
	if a == nil {
		return b
	}
	for i := range a {
		a[i].ns = min(a[i].ns, b[i].ns)
	}
	return a
}

func costRow(rounds [][][]cost, op int) []string {
	first := rounds[0][0][op]
	row := []string{strings.ReplaceAll(first.name, "_", " "), strconv.Itoa(first.calls)}
	for place := range places {
		var ns []float64
		for _, round := range rounds {
			ns = append(ns, round[place][op].ns)
		}
		row = append(row, format(slices.Min(ns), ""))
	}
	return row
}

// costCheck judges the operation by its worst repetition.
func costCheck(who string, rounds [][][]cost, op int) check {
	first := rounds[0][0][op]
	name := strings.ReplaceAll(first.name, "_", " ")
	ratio := map[string]float64{nameOpenWritable: openWritableBudget, nameOpenReadOnly: openReadOnlyBudget}
	if budget, ok := ratio[first.name]; ok {
		worst := worstOf(rounds, func(outside, inside float64) float64 { return inside / outside }, op)
		return check{what: name + ", of the time outside", who: who, got: worst, budget: budget, unit: "ratio"}
	}
	worst := worstOf(rounds, func(outside, inside float64) float64 { return inside - outside }, op)
	return check{what: name + ", more than outside", who: who, got: worst, budget: flatBudget * float64(first.calls), unit: "ns"}
}

func worstOf(rounds [][][]cost, compare func(outside, inside float64) float64, op int) float64 {
	var all []float64
	for _, round := range rounds {
		all = append(all, compare(round[0][op].ns, round[1][op].ns))
	}
	return slices.Max(all)
}
