package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// check is a measured value with its budget. A value over its budget is told,
// not failed: speed depends on the machine and its neighbours, and no test may.
type check struct {
	what, who   string
	got, budget float64
	unit        string
	invalid     error // why there is no value
}

func (c check) verdict() string {
	switch {
	case c.invalid != nil:
		return "INVALID"
	case c.got > c.budget:
		return "OVER"
	}
	return "pass"
}

func (c check) row() []string {
	if c.invalid != nil {
		return []string{c.what, c.who, "-", format(c.budget, c.unit), c.verdict() + ": " + c.invalid.Error()}
	}
	return []string{c.what, c.who, format(c.got, c.unit), format(c.budget, c.unit), c.verdict()}
}

func format(v float64, unit string) string {
	switch unit {
	case "ratio":
		return fmt.Sprintf("%.2f", v)
	case "":
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.0f %s", v, unit)
}

// table is one table of results; the notes say how to read it.
type table struct {
	title string
	notes []string
	head  []string
	rows  [][]string
	page  bool // for the page only
}

// report is all that one bench found.
type report struct {
	facts  [][]string
	checks []check
	tables []table
	hide   *strings.Replacer // this run's directories, which mean nothing to a reader
}

// failed lists what could not be measured.
func (r *report) failed() []string {
	var list []string
	for _, c := range r.checks {
		if c.invalid != nil {
			list = append(list, fmt.Sprintf("%s (%s): %v", c.what, c.who, c.invalid))
		}
	}
	return list
}

// invalid records that what could not be measured for who.
func (r *report) invalid(what, who string, err error) {
	r.checks = append(r.checks, check{what: what, who: who, invalid: err})
}

func (r *report) budgets() table {
	t := table{
		title: "Budgets",
		notes: []string{"OVER is a measured value above its budget; INVALID means that a launch failed or that a comparison would not have been fair. Where a measurement was repeated, the worst repetition counts."},
		head:  []string{"what", "by", "measured", "budget", "verdict"},
	}
	for _, c := range r.checks {
		t.rows = append(t.rows, c.row())
	}
	return t
}

func (r *report) all() []table {
	machine := table{title: "Machine", head: []string{"fact", "value"}, rows: r.facts}
	return slices.Concat([]table{machine, r.budgets()}, r.tables)
}

// text writes the report for a terminal.
func (r *report) text(w io.Writer) error {
	for _, t := range r.all() {
		if t.page {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", t.title)
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range slices.Concat([][]string{t.head}, t.rows) {
			fmt.Fprintf(tw, "  %s\n", r.hide.Replace(strings.Join(row, "\t")))
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// markdown returns the report as a page.
func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString("# Benchmarks\n\n")
	b.WriteString("This page is written by `make bench`. Compare numbers within one table; absolute times belong to one machine on one day.\n\n")
	for _, paragraph := range method {
		fmt.Fprintf(&b, "%s\n\n", paragraph)
	}
	for _, t := range r.all() {
		fmt.Fprintf(&b, "## %s\n\n", t.title)
		for _, note := range t.notes {
			fmt.Fprintf(&b, "%s\n\n", note)
		}
		writeMarkdownRow(&b, t.head)
		writeMarkdownRow(&b, slices.Repeat([]string{"---"}, len(t.head)))
		for _, row := range t.rows {
			writeMarkdownRow(&b, row)
		}
		b.WriteString("\n")
	}
	return r.hide.Replace(strings.TrimRight(b.String(), "\n") + "\n")
}

func writeMarkdownRow(b *strings.Builder, cells []string) {
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, c := range cells {
		fmt.Fprintf(b, "| %s ", escape.Replace(c))
	}
	b.WriteString("|\n")
}

// method says how the numbers came about.
var method = []string{
	"**Launches.** A small static C program (`integration/bench/pace.c`) launches the commands of a table in turn, round after round, backwards in every other round, with vfork and execve, and takes the time until wait4 returns. A ratio is the median of the ratios round by round, of launches that stood next to each other. Three repetitions; the worst ratio counts. A single failed launch makes the row invalid.",
	"**Peers.** The mounts and namespaces of both peers are read off sovrun itself: its `/proc/self/mountinfo` and `/proc/self/ns` from inside become bubblewrap's arguments and those of the C launcher, and the bench refuses to compare with a peer that then shows fewer. bubblewrap loads a filter of 60 rules and has no Landlock domain, no acts and no controls. The C launcher (`integration/bench/floor.c`) does sovrun's steps by hand, Landlock, capabilities and pid 1 included, judges nothing, and is the practical limit.",
	"**Target.** A static program without a C library that exits at once (`integration/bench/true.c`), in the workspace.",
}
