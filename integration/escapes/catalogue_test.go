package escapes

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rows are the classes that must be refused, as ranges.
const rows = "F01-F04 F06 F09 F10 F12-F14 F16-F21 F23 F26-F28 K01-K07 K12 K13 S01-S03 S05-S08 S10-S13 S17-S20 " +
	"N01-N03 N07 N08 N10-N12 T01-T04 T06 T07 T09 T10 T12 I01 I05 I06 I08-I10 I14"

// architectural are rows that only one architecture has a way to try.
const architectural = "S02 S07"

func rowList(t *testing.T) []string {
	t.Helper()
	var out []string
	for span := range strings.FieldsSeq(rows) {
		var plane string
		var from, to int
		if n, _ := fmt.Sscanf(span, "%1s%d-"+span[:1]+"%d", &plane, &from, &to); n == 2 {
			to = from
		} else if n != 3 {
			t.Fatalf("%q is no range", span)
		}
		for i := from; i <= to; i++ {
			out = append(out, fmt.Sprintf("%s%02d", plane, i))
		}
	}
	return out
}

// Every row has a technique, and no technique is of another row.
func TestRows(t *testing.T) {
	list := rowList(t)
	if len(list) != 68 {
		t.Errorf("%d rows", len(list))
	}
	tried := map[string]bool{}
	for _, c := range Catalogue() {
		tried[c.Row] = true
		if !slices.Contains(list, c.Row) {
			t.Errorf("%s is of no row", c.Key())
		}
	}
	for _, row := range list {
		if !tried[row] && (foreignWays() != nil || !strings.Contains(architectural, row)) {
			t.Errorf("nobody tries row %s", row)
		}
	}
}

// Every technique is complete and has a name of its own, an act that the agent
// knows or a test, and a plane that reports name.
func TestTechniques(t *testing.T) {
	out, err := exec.Command(program(t, "agent"), "acts").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(string(out))
	planes := []string{filesystem, syscalls, networking, environment, processes, ipc, privileged, resources, terminal, descriptors}
	seen := map[string]bool{}
	for _, c := range Catalogue() {
		if seen[c.Key()] {
			t.Errorf("%s twice", c.Key())
		}
		seen[c.Key()] = true
		if c.Says == "" || !slices.Contains(planes, c.Plane) {
			t.Errorf("%s: no sentence or plane", c.Key())
		}
		if c.How == Fixture && fixtures()[c.Key()] == nil {
			t.Errorf("%s: no test", c.Key())
		}
		if c.How != Fixture && !slices.Contains(known, c.Act) {
			t.Errorf("%s: the agent knows no act %q", c.Key(), c.Act)
		}
	}
	for key := range fixtures() {
		if !seen[key] {
			t.Errorf("a test for %s, which is no technique", key)
		}
	}
}
