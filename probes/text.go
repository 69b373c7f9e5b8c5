package probes

import (
	"strconv"
	"strings"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// TextOptions choose how a report is printed.
type TextOptions struct {
	Color bool // mark the states with ANSI colours; the words stay
	Acts  bool // list every act
}

// Text is the report as a table: a line a plane, then why planes are missing,
// then the acts if asked for, and last what is not covered.
func (r *Report) Text(o TextOptions) string {
	var b strings.Builder
	row(&b, "PLANE", "STATE", "ACTS", "EVIDENCE")
	for i := range r.Planes {
		p := &r.Planes[i]
		row(&b, p.Name.String(), paint(p.State, o.Color), p.counts(), p.short())
	}
	for i := range r.Planes {
		r.Planes[i].remedy(&b, r.missing(r.Planes[i].Name))
	}
	if o.Acts {
		for i := range r.Planes {
			r.Planes[i].acts(&b)
		}
	}
	r.uncovered(&b)
	return b.String()
}

const (
	planeWidth = 12
	stateWidth = 12
	actsWidth  = 8
)

func row(b *strings.Builder, plane, state, acts, evidence string) {
	pad(b, plane, planeWidth)
	pad(b, state, stateWidth)
	pad(b, acts, actsWidth)
	b.WriteString(evidence)
	b.WriteByte('\n')
}

// pad writes a cell; what the terminal does not show takes no room.
func pad(b *strings.Builder, s string, width int) {
	b.WriteString(s)
	b.WriteString(strings.Repeat(" ", max(0, width-shown(s))+1))
}

func shown(s string) int {
	if strings.HasPrefix(s, green) || strings.HasPrefix(s, yellow) {
		return len(s) - len(green) - len(reset)
	}
	return len(s)
}

const (
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

func paint(s State, color bool) string {
	switch {
	case !color:
		return string(s)
	case s == Enforced:
		return green + string(s) + reset
	}
	return yellow + string(s) + reset
}

// counts is how many of the acts that must be refused were, with a control that
// succeeded. The rest is inconclusive, or got through.
func (p *PlaneReport) counts() string {
	if p.Tried == 0 {
		return "-"
	}
	return strconv.Itoa(p.Refused) + "/" + strconv.Itoa(p.Tried)
}

// short is the evidence in one line.
func (p *PlaneReport) short() string {
	if p.State == Enforced {
		return strings.Join(p.Mechanisms, ", ")
	}
	return string(p.Reason) + ": " + p.Evidence
}

func (r *Report) missing(p policy.Plane) bool {
	for _, m := range r.Missing {
		if m == p {
			return true
		}
	}
	return false
}

// remedy prints what to do about a plane that was required and does not stand.
func (p *PlaneReport) remedy(b *strings.Builder, required bool) {
	if required {
		b.WriteString("\n" + p.Name.String() + " is required and " + string(Unavailable) + " (" + string(p.Reason) + "): " + p.Evidence + "\nhint: " + p.Remedy + "\n")
	}
}

func (p *PlaneReport) acts(b *strings.Builder) {
	b.WriteString("\n" + p.Name.String() + ": " + p.Sentence + "\n")
	for _, f := range p.Facts {
		b.WriteString("  fact         " + f + "\n")
	}
	for i := range p.Acts {
		a := &p.Acts[i]
		b.WriteString("  ")
		pad(b, outcomeNames[a.Outcome], planeWidth)
		b.WriteString(a.title() + ": " + a.came() + ", outside " + a.cameOutside())
		if a.Outcome == child.Refused && a.Mechanism != "" {
			b.WriteString("; by " + a.Mechanism)
		}
		if a.Control != "" {
			b.WriteString(" (outside: " + printable(a.Control) + ")")
		}
		b.WriteByte('\n')
	}
}

// uncovered prints the negative list.
func (r *Report) uncovered(b *strings.Builder) {
	b.WriteString("\nnot covered:\n")
	for i := range r.Planes {
		for _, n := range r.Planes[i].NotCovered {
			b.WriteString("  ")
			pad(b, r.Planes[i].Name.String(), planeWidth)
			b.WriteString(n + "\n")
		}
	}
}

// printable is a string that a terminal shows and does not obey.
func printable(s string) string {
	q := strconv.Quote(s)
	if len(q) == len(s)+2 && !strings.ContainsAny(s, " ") || q[1:len(q)-1] == s {
		return s
	}
	return q
}
