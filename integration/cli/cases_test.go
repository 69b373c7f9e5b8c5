package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/cases.md anew")

// caseNumbers are the cases that this version answers for. The numbers are those of
// the collection that the project began with, and have gaps.
var caseNumbers = []int{
	1, 2, 8, 9, 10, 11, 12, 13, 18, 19, 21, 23, 25, 27, 28, 29, 31, 32, 34, 35, 36, 37, 38, 39, 40, 41, 44, 46,
	55, 56, 57, 59, 60, 61, 62, 64, 66, 71, 75, 77, 78, 79, 93, 112, 113, 115, 117, 118, 123, 125,
}

// userCase is a script of testdata/cases.
type userCase struct {
	number         int
	title, control string
	file           string
}

var caseTitle = regexp.MustCompile(`^# Case (\d+)\. (\S.*)$`)

// readCase reads a script's head: its first line is "# Case N. TITLE", and one of its
// paragraphs begins with "# Control: " and holds a command.
func readCase(t *testing.T, file string) userCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	script, _, _ := strings.Cut(string(text), "\n-- ")
	c := userCase{file: filepath.Base(file)}
	first, _, _ := strings.Cut(script, "\n")
	m := caseTitle.FindStringSubmatch(first)
	if m == nil {
		t.Fatalf("%s: the first line is %q, wanted \"# Case N. TITLE\"", file, first)
	}
	c.number, _ = strconv.Atoi(m[1])
	c.title = m[2]
	for paragraph := range strings.SplitSeq(script, "\n\n") {
		if says, commands := split(paragraph); strings.HasPrefix(says, "Control: ") && commands > 0 {
			c.control = strings.TrimPrefix(says, "Control: ")
		}
	}
	if c.control == "" {
		t.Errorf("%s: no paragraph begins with \"# Control: \" and holds a command", file)
	}
	if regexp.MustCompile(`(?m)^(\[[^]]*\] )*(skip|stop)\b`).MatchString(script) {
		t.Errorf("%s: a case is not skipped", file)
	}
	return c
}

// split gives what a paragraph's comment says, in one line, and how many commands it has.
func split(paragraph string) (says string, commands int) {
	for line := range strings.Lines(paragraph) {
		line = strings.TrimSpace(line)
		switch comment, ok := strings.CutPrefix(line, "#"); {
		case ok:
			says = strings.TrimSpace(says + " " + strings.TrimSpace(comment))
		case line != "":
			commands++
		}
	}
	return says, commands
}

// TestCaseIndex: every case has its script, with a control, and docs/cases.md tells
// which. The scripts themselves are run by TestCases, as root and as a user.
func TestCaseIndex(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var cases []userCase
	var have []int
	for _, f := range files {
		c := readCase(t, f)
		cases, have = append(cases, c), append(have, c.number)
		if !strings.HasPrefix(c.file, fmt.Sprintf("%03d_", c.number)) {
			t.Errorf("%s is about case %d", f, c.number)
		}
	}
	slices.Sort(have)
	if !slices.Equal(have, caseNumbers) {
		t.Errorf("there are scripts for %v, wanted %v", have, caseNumbers)
	}
	index := caseIndex(cases)
	const published = "../../docs/cases.md"
	if *update {
		if err := os.WriteFile(published, index, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(published); err != nil || !bytes.Equal(text, index) {
		t.Errorf("%s is not what the scripts say (%v); make generate writes it", published, err)
	}
}

func caseIndex(cases []userCase) []byte {
	var b bytes.Buffer
	b.WriteString(`# Cases

What users of sandboxes like this one run into, each with a script that holds it: as root, as root for an ordinary user
where that differs, and as an ordinary user. *Control* is what the same script does besides, without which the case
would show nothing. This page is written by ` + "`make generate`" + ` from integration/cli/testdata/cases; the numbers have gaps.

| case | what | control | script |
|---|---|---|---|
`)
	for _, c := range cases {
		fmt.Fprintf(&b, "| %d | %s | %s | %s |\n", c.number, cell(c.title), cell(c.control), c.file)
	}
	return b.Bytes()
}

// cell keeps a text in its column.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
