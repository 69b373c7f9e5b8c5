package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// BudgetPath is the one file that holds the limits of the source budget, ChangelogPath the one that says why each
// limit is what it is.
const (
	BudgetPath    = ".ci/budget.txt"
	ChangelogPath = "CHANGELOG.md"
)

// Measure is the size of what we ship. integration/ and generated files are not counted: they are the proof, not
// the program.
type Measure struct {
	Name  string
	Value int
}

// Measures counts the tree: packages, non-blank lines outside of tests (Go and assembly), exported names,
// modules that our packages import directly, and the lines of the median and of the ninth decile of functions.
func Measures(t Tree) []Measure {
	shipped := Tree{Files: slices.DeleteFunc(slices.Clone(t.Files), func(f File) bool {
		l, ok := layerOf(f.Dir())
		return !ok || l.dir == "integration"
	})}
	sizes := funcSizes(shipped)
	return []Measure{
		{"packages", len(packages(shipped))},
		{"source_lines", sourceLines(shipped)},
		{"exported_names", exportedNames(shipped)},
		{"direct_dependencies", len(directModules(shipped, requirements(t)))},
		{"func_lines_median", quantile(sizes, 0.5)},
		{"func_lines_p90", quantile(sizes, 0.9)},
	}
}

func packages(t Tree) map[string]bool {
	out := map[string]bool{}
	for _, f := range t.goSources() {
		out[f.Dir()] = true
	}
	return out
}

func sourceLines(t Tree) int {
	n := 0
	for _, f := range t.Files {
		if strings.HasSuffix(f.Path, ".s") || f.Go != nil && !f.IsTest() && !f.IsGenerated() {
			n += nonBlank(f.Text)
		}
	}
	return n
}

func nonBlank(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

// exportedNames counts what an importer can name: functions, methods, types, variables, constants. Programs
// export nothing.
func exportedNames(t Tree) int {
	n := 0
	for _, f := range t.Files {
		if f.Go == nil || f.IsTest() || f.Go.Name.Name == "main" {
			continue
		}
		for _, d := range f.Go.Decls {
			n += exportedIn(d)
		}
	}
	return n
}

func exportedIn(d ast.Decl) int {
	if fn, ok := d.(*ast.FuncDecl); ok {
		return count(fn.Name)
	}
	n := 0
	for _, spec := range d.(*ast.GenDecl).Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			n += count(s.Name)
		case *ast.ValueSpec:
			n += count(s.Names...)
		}
	}
	return n
}

func count(names ...*ast.Ident) int {
	n := 0
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}

func funcSizes(t Tree) []int {
	var out []int
	for _, f := range t.goSources() {
		for _, fn := range funcs(f) {
			out = append(out, f.funcLines(fn))
		}
	}
	slices.Sort(out)
	return out
}

func quantile(sorted []int, q float64) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}

// Limits reads the budget file: a name and a limit a line, comments after #.
func Limits(t Tree) ([]Measure, error) {
	f, ok := t.File(BudgetPath)
	if !ok {
		return nil, fmt.Errorf("read the budget: no file %q", BudgetPath)
	}
	var out []Measure
	for i, line := range strings.Split(string(f.Text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("read the budget: %s:%d: wanted a name and a limit, got %q", BudgetPath, i+1, line)
		}
		limit, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("read the budget: %s:%d: %w", BudgetPath, i+1, err)
		}
		out = append(out, Measure{fields[0], limit})
	}
	return out, nil
}

// Budget compares measures with limits. A measure without a limit and a limit without a measure are findings too:
// each would be a check that never fails.
func Budget(measures, limits []Measure) []Finding {
	var out []Finding
	report := func(format string, args ...any) {
		out = append(out, Finding{BudgetPath, 1, "budget", fmt.Sprintf(format, args...)})
	}
	for _, m := range measures {
		switch limit, ok := find(limits, m.Name); {
		case !ok:
			report("%s is %d and has no limit", m.Name, m.Value)
		case m.Value > limit:
			report("%s is %d, wanted at most %d; raising the limit needs a line in %s", m.Name, m.Value, limit, ChangelogPath)
		}
	}
	for _, l := range limits {
		if _, ok := find(measures, l.Name); !ok {
			report("%s has a limit but nobody measures it", l.Name)
		}
	}
	return out
}

func find(in []Measure, name string) (int, bool) {
	for _, m := range in {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}

// budgetLine is how the changelog tells a limit: "- budget: source_lines 9000: why".
var budgetLine = regexp.MustCompile(`(?m)^- budget: (\w+) (\d+): \S.*$`)

// Changelog reports a changelog without an Unreleased section, and limits that differ from the newest line that
// the changelog has about them.
func Changelog(t Tree, limits []Measure) []Finding {
	f, ok := t.File(ChangelogPath)
	if !ok {
		return []Finding{{ChangelogPath, 1, "changelog", "no such file"}}
	}
	var out []Finding
	if !regexp.MustCompile(`(?m)^## \[?Unreleased\]?$`).Match(f.Text) {
		out = append(out, Finding{ChangelogPath, 1, "changelog", "no section Unreleased: add \"## Unreleased\" at the top"})
	}
	told := map[string]string{}
	for _, m := range budgetLine.FindAllStringSubmatch(string(f.Text), -1) {
		if _, newer := told[m[1]]; !newer {
			told[m[1]] = m[2]
		}
	}
	for _, l := range limits {
		if want := strconv.Itoa(l.Value); told[l.Name] != want {
			out = append(out, Finding{ChangelogPath, 1, "changelog", fmt.Sprintf("the limit of %s is %s, the newest line about it says %q: add \"- budget: %s %s: why\" under Unreleased", l.Name, want, told[l.Name], l.Name, want)})
		}
	}
	return out
}
