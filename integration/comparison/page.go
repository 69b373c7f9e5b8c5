package main

import (
	"bytes"
	"fmt"
	"strings"
)

// readReference gives the five results of each row that was observed before.
func readReference() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(reference) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if !strings.HasPrefix(line, "#") && len(f) == 6 {
			out[f[0]] = f[1:]
		}
	}
	return out
}

// page writes the table. What differs from the reference is told twice: in its cell,
// and counted below.
func page(results []map[string]string, reference map[string][]string, facts string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Comparison\n\nThis page is written by `make comparison`: one program (`integration/comparison/probe`) tries the same things, each in a\nprocess of its own, under several sandboxes. Measured on %s.\n\n", facts)
	b.WriteString("OK: it can be done. An errno that says that the call was reached (E2BIG, EFAULT, ECONNREFUSED, ENOTTY here) is as much as\nOK. A cell with a second entry in parentheses differs from what was observed with that sandbox before, on another\nmachine. *Who started it* is the process outside, by its number there; where a pid namespace hides it, it is 0 or 1.\n\n")
	for _, c := range columns {
		fmt.Fprintf(&b, "- **%s**: %s\n", c.name, c.says)
	}
	b.WriteString("\n| what is tried |")
	for _, c := range columns {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	same, other := 0, 0
	for _, name := range order(results[0]) {
		b.WriteString("| " + name + " |")
		for i, c := range columns {
			got := results[i][name]
			if want := reference[name]; c.reference >= 0 && want != nil {
				if want[c.reference] == got {
					same++
				} else {
					other++
					got += " (" + want[c.reference] + ")"
				}
			}
			b.WriteString(" " + got + " |")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nOf the results that were observed before, %d are the same here and %d are not.\n", same, other)
	return b.Bytes()
}

// order is that of the reference; what it does not have comes after.
func order(result map[string]string) []string {
	var out []string
	known := map[string]bool{}
	add := func(name string) {
		if _, ok := result[name]; ok && !known[name] {
			out, known[name] = append(out, name), true
		}
	}
	for line := range strings.Lines(reference) {
		name, _, _ := strings.Cut(line, "\t")
		add(name)
	}
	for _, name := range []string{"canary through /..", "statmount", "descriptors above 2"} {
		add(name)
	}
	return out
}
