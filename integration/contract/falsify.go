package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// faultVar is what the tests' harness builds sovrun by: with the switches of a test
// build that the variable names. Packages that launch in their own process are built
// with the tag, and read the other one.
const (
	faultVar = "SOVRUN_TEST_FAULT"
	childVar = "SOVRUN_FAULT"
	faultTag = "sovrunfault"
)

// falsification is one row of the second table: with a guard off a check must fail,
// and say so.
type falsification struct {
	id, off string
	check   check
	symptom string
}

var falsifyHeader = []string{"id", "off", "check", "red with"}

// parseFalsifications reads every table whose header is id, off, check, red with.
func parseFalsifications(text string) ([]falsification, error) {
	var out []falsification
	err := rows(text, falsifyHeader, func(cells []string) error {
		f := falsification{id: cells[0]}
		for i, to := range map[int]*string{1: &f.off, 3: &f.symptom} {
			m := span.FindStringSubmatch(cells[i])
			if m == nil {
				return fmt.Errorf("%s has nothing between backquotes for %q", f.id, falsifyHeader[i])
			}
			*to = m[1]
		}
		m := span.FindStringSubmatch(cells[2])
		if m == nil {
			return fmt.Errorf("%s has no check between backquotes", f.id)
		}
		var err error
		if f.check, err = checkOf(m[1]); err == nil && f.check[0] != "go" {
			err = fmt.Errorf("wanted a test, got %q", f.check)
		}
		out = append(out, f)
		return err
	})
	if err == nil && len(out) == 0 {
		err = errors.New("no table with the columns " + strings.Join(falsifyHeader, ", "))
	}
	return out, err
}

// falsify runs every check with its guard off.
func falsify(text string, ids []string, run func(falsification) (red bool, output string), out io.Writer) error {
	all, err := parseFalsifications(text)
	if err != nil {
		return fmt.Errorf("read %s: %w", table, err)
	}
	bad, tried := 0, 0
	for _, f := range all {
		if len(ids) > 0 && !slices.Contains(ids, f.id) {
			continue
		}
		tried++
		switch red, output := run(f); {
		case !red:
			bad++
			fmt.Fprintf(out, "FAIL %s %s: green with %s\n", f.id, f.check, f.off)
		case !strings.Contains(output, f.symptom):
			bad++
			fmt.Fprintf(out, "FAIL %s %s: red with %s, but not with %q\n%s\n", f.id, f.check, f.off, f.symptom, indented(output))
		default:
			fmt.Fprintf(out, "ok   %s %s: red with %s\n", f.id, f.check, f.off)
		}
	}
	fmt.Fprintf(out, "%d checks fail with their guard off, %d do not\n", tried-bad, bad)
	if bad > 0 || tried == 0 {
		return fmt.Errorf("%d of %d checks do not see their guard missing", bad, tried)
	}
	return nil
}

// switchedOff runs a check in a test build with switches off.
func switchedOff(f falsification) (red bool, output string) {
	args := append([]string{"test", "-count=1", "-tags", faultTag}, f.check[2:]...)
	c := exec.Command(f.check[0], args...)
	c.Env = append(os.Environ(), faultVar+"="+f.off, childVar+"="+f.off)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	return c.Run() != nil, said.String()
}
