package main

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

const top = "| id | promise | check | guard |\n|---|---|---|---|\n"

func TestParse(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"a test", top + "| P1 | x | `go test ./a -run ^TestX$` | none |\n", ""},
		{"with flags", top + "| P1 | x | `go test -tags sovrunfault ./a -run ^TestX$` | none |\n", ""},
		{"one case of a test", top + "| P1 | x | `go test ./a -run ^TestX$/^as_root$` | none |\n", ""},
		{"a target", top + "| P1 | x | `make lint` | none |\n", ""},
		{"two checks", top + "| P1 | x | `make lint`, `go test ./a -run ^TestX$` | none |\n", ""},
		{"no table", "text\n", "no table"},
		{"another table", "| a | b |\n|---|---|\n| P1 | x |\n", "no table"},
		{"no check", top + "| P1 | x |  | none |\n", "line 3: P1 has no check"},
		{"a check in words", top + "| P1 | x | by hand | none |\n", "no check between backquotes"},
		{"no guard", top + "| P1 | x | `make lint` |  |\n", "P1 has no guard"},
		{"a strange id", top + "| first | x | `make lint` | none |\n", "wanted an id"},
		{"twice", top + "| P1 | x | `make lint` | none |\n| P1 | y | `make lint` | none |\n", "line 4: P1 is there twice"},
		{"an alternative", top + "| P1 | x | `go test ./a -run ^(TestX\\|TestY)$` | none |\n", "wanted one test"},
		{"not anchored", top + "| P1 | x | `go test ./a -run TestX` | none |\n", "wanted one test"},
		{"a whole package", top + "| P1 | x | `go test ./a` | none |\n", "wanted \"go test"},
		{"another command", top + "| P1 | x | `rm -rf x` | none |\n", "wanted \"go test"},
		{"a missing cell", top + "| P1 | x | `make lint` |\n", "wanted 4 cells"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse(c.text)
			wantError(t, err, c.want)
		})
	}
}

func TestRunExecutesEachCheckOnce(t *testing.T) {
	text := top + "| P1 | x | `make lint` | none |\n| P2 | y | `make lint`, `make test` | none |\n"
	var ran []string
	var out strings.Builder
	err := run(text, nil, func(c check) error {
		ran = append(ran, c.String())
		if c.String() == "make test" {
			return errors.New("red")
		}
		return nil
	}, &out)
	wantError(t, err, "1 of 2 promises are not held")
	if got := strings.Join(ran, ","); got != "make lint,make test" {
		t.Errorf("wanted each check once, got %s", got)
	}
	want := "ok   P1 make lint\nok   P2 make lint\nFAIL P2 make test: red\n1 promises held, 1 not\n"
	if out.String() != want {
		t.Errorf("wanted %q, got %q", want, out.String())
	}
}

func TestRunTakesIds(t *testing.T) {
	text := top + "| P1 | x | `make lint` | none |\n| P2 | y | `make test` | none |\n"
	var ran []string
	wantError(t, run(text, []string{"P2"}, func(c check) error { ran = append(ran, c.String()); return nil }, &strings.Builder{}), "")
	if len(ran) != 1 || ran[0] != "make test" {
		t.Errorf("wanted make test alone, got %q", ran)
	}
	wantError(t, run(text, []string{"P3"}, nil, nil), `no promise "P3"`)
}

func TestPassedIn(t *testing.T) {
	cases := []struct{ name, events, want string }{
		{"passed", `{"Action":"pass","Test":"T"}{"Action":"pass"}`, ""},
		{"no match", `{"Action":"output","Output":"ok p [no tests to run]"}{"Action":"pass"}`, "no test matches"},
		{"skipped", `{"Action":"skip","Test":"T"}{"Action":"pass"}`, "was skipped"},
		{"one of two skipped", `{"Action":"skip","Test":"T"}{"Action":"pass","Test":"U"}`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { wantError(t, passedIn(bytes.NewBufferString(c.events)), c.want) })
	}
}

// TestExecute runs this package's own tests, so that the words reach go test as they should.
func TestExecute(t *testing.T) {
	t.Chdir("../..")
	wantError(t, execute(check{"go", "test", "./integration/contract", "-run", "^TestPassedIn$"}), "")
	wantError(t, execute(check{"go", "test", "./integration/contract", "-run", "^TestOfNothing$"}), "no test matches")
	wantError(t, execute(check{"go", "test", "./nonexistent", "-run", "^TestX$"}), "exit status 1")
	wantError(t, execute(check{"make", "no-such-target"}), "no-such-target")
}

// ofThisRepository is the real table, as text and read.
func ofThisRepository(t *testing.T) (string, []promise) {
	t.Helper()
	text, err := os.ReadFile("../../" + table)
	if err != nil {
		t.Fatal(err)
	}
	promises, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(text), promises
}

// TestContractOfThisRepository reads the real table: a row that does not parse would be a promise without a check.
func TestContractOfThisRepository(t *testing.T) {
	_, promises := ofThisRepository(t)
	for _, p := range promises {
		for _, c := range p.checks {
			if c[0] == "go" {
				wantTest(t, p.id, c)
			}
		}
	}
}

// wantTest looks for the test's declaration, so that a renamed test shows here and not only in make contract.
func wantTest(t *testing.T, id string, c check) {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(c[len(c)-1], "^"), "$")
	name, _, _ = strings.Cut(name, "/")
	files, err := os.ReadDir("../../" + c[len(c)-3])
	if err != nil {
		t.Errorf("%s: %v", id, err)
	}
	for _, f := range files {
		text, err := os.ReadFile("../../" + c[len(c)-3] + "/" + f.Name())
		if err == nil && bytes.Contains(text, []byte("func "+name+"(")) {
			return
		}
	}
	t.Errorf("%s: no %s in %s", id, name, c[len(c)-3])
}

const falsifyTop = "| id | off | check | red with |\n|---|---|---|---|\n"

func TestFalsify(t *testing.T) {
	row := "| P1 | `off=x` | `go test ./a -run ^TestX$` | `symptom` |\n"
	for _, c := range []struct {
		name, text string
		red        bool
		output     string
		want       string
	}{
		{"red as it must be", falsifyTop + row, true, "the symptom is there", ""},
		{"green", falsifyTop + row, false, "symptom", "1 of 1 checks do not see their guard missing"},
		{"red for another reason", falsifyTop + row, true, "it does not build", "1 of 1 checks"},
		{"no table", "text\n", false, "", "no table"},
		{"no switch", falsifyTop + "| P1 | x | `go test ./a -run ^TestX$` | `s` |\n", true, "s", "nothing between backquotes"},
		{"no test", falsifyTop + "| P1 | `off=x` | `make lint` | `s` |\n", true, "s", "wanted a test"},
		{"an empty cell", falsifyTop + "| P1 | `off=x` | `go test ./a -run ^TestX$` |  |\n", true, "s", "P1 has no red with"},
		{"of another promise", falsifyTop + strings.Replace(row, "P1", "P2", 1), true, "symptom", "0 of 0 checks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := falsify(c.text, []string{"P1"}, func(falsification) (bool, string) { return c.red, c.output }, &strings.Builder{})
			wantError(t, err, c.want)
		})
	}
}

// TestGuardsOfThisRepository: each guard that is turned off belongs to a promise, and
// its check is there.
func TestGuardsOfThisRepository(t *testing.T) {
	text, promises := ofThisRepository(t)
	all, err := parseFalsifications(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if !slices.ContainsFunc(promises, func(p promise) bool { return p.id == f.id }) {
			t.Errorf("there is no promise %s", f.id)
		}
		wantTest(t, f.id, f.check)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("wanted an error with %q, got %v", want, err)
	}
}
