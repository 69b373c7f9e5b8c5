package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// promise is one row of the table.
type promise struct {
	id     string
	checks []check
}

// check is a command line that holds a promise: words of "go test ..." or "make TARGET".
type check []string

func (c check) String() string { return strings.Join(c, " ") }

var (
	header = []string{"id", "promise", "check", "guard"}
	idForm = regexp.MustCompile(`^[A-Z][0-9]+$`)
	// One test a check, anchored: in "^(TestA|TestB)$" a renamed TestB would go unnoticed.
	testForm = regexp.MustCompile(`^\^Test\w+(\$|\$?/\^?[\w ,.:-]+\$?)$`)
	makeForm = regexp.MustCompile(`^[a-z-]+$`)
	span     = regexp.MustCompile("`([^`]+)`")
)

// parse reads every table of the text whose header is id, promise, check, guard.
func parse(text string) ([]promise, error) {
	var out []promise
	seen := map[string]bool{}
	err := rows(text, header, func(cells []string) error {
		p, err := promiseOf(cells)
		if err == nil && seen[p.id] {
			err = fmt.Errorf("%s is there twice", p.id)
		}
		seen[p.id] = true
		out = append(out, p)
		return err
	})
	if err == nil && len(out) == 0 {
		err = errors.New("no table with the columns id, promise, check, guard")
	}
	return out, err
}

// rows calls f for the rows of every table with this header.
func rows(text string, header []string, f func(cells []string) error) error {
	inTable := false
	for i, line := range strings.Split(text, "\n") {
		cells, isRow := row(line)
		switch {
		case !isRow:
			inTable = false
		case !inTable:
			inTable = strings.Join(cells, "|") == strings.Join(header, "|")
		case strings.HasPrefix(cells[0], "---"):
		default:
			err := complete(cells, header)
			if err == nil {
				err = f(cells)
			}
			if err != nil {
				return fmt.Errorf("line %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// complete wants an id and something in every cell.
func complete(cells, header []string) error {
	if len(cells) != len(header) {
		return fmt.Errorf("wanted %d cells, got %d", len(header), len(cells))
	}
	if !idForm.MatchString(cells[0]) {
		return fmt.Errorf("wanted an id like P1, got %q", cells[0])
	}
	for i, name := range header {
		if cells[i] == "" {
			return fmt.Errorf("%s has no %s", cells[0], name)
		}
	}
	return nil
}

// row splits a line of a Markdown table at the bars that are not escaped.
func row(line string) ([]string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") || len(line) < 2 {
		return nil, false
	}
	const escaped = "\x00"
	line = strings.ReplaceAll(line[1:len(line)-1], `\|`, escaped)
	cells := strings.Split(line, "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], escaped, "|"))
	}
	return cells, true
}

func promiseOf(cells []string) (promise, error) {
	p := promise{id: cells[0]}
	for _, m := range span.FindAllStringSubmatch(cells[2], -1) {
		c, err := checkOf(m[1])
		if err != nil {
			return p, fmt.Errorf("%s: %w", p.id, err)
		}
		p.checks = append(p.checks, c)
	}
	if len(p.checks) == 0 {
		return p, fmt.Errorf("%s has no check between backquotes", p.id)
	}
	return p, nil
}

// checkOf takes "go test PACKAGE -run ^TestName$", with further flags before the package, and "make TARGET".
func checkOf(text string) (check, error) {
	words := check(strings.Fields(text))
	n := len(words)
	switch {
	case n == 2 && words[0] == "make" && makeForm.MatchString(words[1]):
		return words, nil
	case n >= 5 && words[0] == "go" && words[1] == "test" && words[n-2] == "-run" && strings.HasPrefix(words[n-3], "./"):
		if testForm.MatchString(words[n-1]) {
			return words, nil
		}
		return nil, fmt.Errorf("%q: wanted one test, anchored, like ^TestName$ or ^TestName$/^case$", words[n-1])
	}
	return nil, fmt.Errorf("wanted \"go test ./PACKAGE -run ^TestName$\" or \"make TARGET\", got %q", text)
}
