package ablation

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/integration/harness"
	"github.com/sovrun/sovrun/policy"
)

const golden = "../../probes/testdata/ablation.golden"

// named is what one plane says of itself.
type named struct {
	enforced   bool
	mechanisms []string
	either     []string // of what is wanted: they may be among the mechanisms or not
}

// line is a line of either part of the table.
type line struct {
	who  string // "all" or a caller
	text []string
}

// row is one row of the second part.
type row struct {
	off, mechanism, who string
	partly              bool // the mechanism is left out in part
	cells               [policy.NumPlanes]string
	also                []change
}

// change is a mechanism that a plane names more or less than without the switch.
type change struct {
	plane     string
	how       byte // - gone, + new, ~ either
	mechanism string
}

// table is the golden file.
type table struct {
	baseline map[string][]line // by plane
	rows     []row
}

func readTable(t *testing.T) table {
	t.Helper()
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	tab := table{baseline: map[string][]line{}}
	part := ""
	for n, l := range strings.Split(string(text), "\n") {
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
		case strings.HasPrefix(l, "baseline"), strings.HasPrefix(l, "switch "):
			part = l[:1]
		case part == "b":
			tab.addBaseline(l)
		default:
			r, err := parseRow(l)
			if err != nil {
				t.Fatalf("%s:%d: %v", golden, n+1, err)
			}
			tab.rows = append(tab.rows, r)
		}
	}
	return tab
}

func (tab *table) addBaseline(l string) {
	head, list := strings.Fields(l[:22]), strings.TrimSpace(l[22:])
	b := line{who: "all", text: strings.Split(list, ", ")}
	if len(head) == 2 {
		b.who = head[1]
	}
	tab.baseline[head[0]] = append(tab.baseline[head[0]], b)
}

// Columns of a row, in bytes.
const (
	colMechanism = 19
	colWho       = 40
	colCells     = 51
)

func parseRow(l string) (row, error) {
	if len(l) < colCells {
		return row{}, fmt.Errorf("a row has four columns")
	}
	cut := func(from, to int) string { return strings.TrimSpace(l[from:to]) }
	r := row{off: cut(0, colMechanism), mechanism: cut(colMechanism, colWho), who: cut(colWho, colCells)}
	if m, ok := strings.CutPrefix(r.mechanism, "("); ok {
		r.mechanism, r.partly = strings.TrimSuffix(m, ")"), true
	}
	rest := l[colCells:]
	for i := range r.cells {
		rest = strings.TrimLeft(rest, " ")
		if rest == "" || !strings.ContainsRune(".-FfX", rune(rest[0])) {
			return r, fmt.Errorf("cell %d is none of . - F f X", i+1)
		}
		r.cells[i], rest = rest[:1], rest[1:]
	}
	return r, r.parseChanges(strings.TrimSpace(rest))
}

func (r *row) parseChanges(text string) error {
	for c := range strings.SplitSeq(text, ", ") {
		if c == "" {
			continue
		}
		plane, m, _ := strings.Cut(c, " ")
		if m == "" || !strings.ContainsRune("+-~", rune(m[0])) {
			return fmt.Errorf("change %q is not PLANE, one of + - ~, MECHANISM", c)
		}
		r.also = append(r.also, change{plane, m[0], m[1:]})
	}
	return nil
}

// before is what a plane says with nothing left out.
func (tab *table) before(c harness.Caller, plane string) named {
	for _, who := range []string{string(c), "all"} {
		for _, l := range tab.baseline[plane] {
			if l.who != who {
				continue
			}
			if l.text[0] == "UNAVAILABLE" {
				return named{}
			}
			return named{enforced: true, mechanisms: slices.Clone(l.text)}
		}
	}
	return named{}
}

// row finds the row of a switch for a caller.
func (tab *table) row(off string, c harness.Caller) (row, bool) {
	for _, who := range []string{string(c), "all"} {
		for _, r := range tab.rows {
			if r.off == off && r.who == who {
				return r, true
			}
		}
	}
	return row{}, false
}

// after is what a plane must say with the row's mechanism left out.
func (r *row) after(i int, plane string, b named) (named, error) {
	switch cell := r.cells[i]; {
	case cell == "X":
		return named{}, nil
	case cell == "-" || cell == "F":
		at := slices.Index(b.mechanisms, r.mechanism)
		if at < 0 {
			return b, fmt.Errorf("cell of %s: %q is not named before", plane, r.mechanism)
		}
		b.mechanisms = slices.Delete(b.mechanisms, at, at+1)
		b.enforced = b.enforced && cell == "-"
	case cell == "f":
		b.enforced = false
	}
	for _, c := range r.also {
		if c.plane != plane {
			continue
		}
		at := slices.Index(b.mechanisms, c.mechanism)
		switch {
		case (c.how == '+') == (at >= 0):
			return b, fmt.Errorf("change of %s: %q is or is not named before", plane, c.mechanism)
		case c.how == '+':
			b.mechanisms = append(b.mechanisms, c.mechanism)
		default:
			b.mechanisms = slices.Delete(b.mechanisms, at, at+1)
		}
		if c.how == '~' {
			b.either = append(b.either, c.mechanism)
		}
	}
	return b, nil
}

// offs are the switches of the table, each once.
func (tab *table) offs() []string {
	var out []string
	for _, r := range tab.rows {
		if !slices.Contains(out, r.off) {
			out = append(out, r.off)
		}
	}
	return out
}
