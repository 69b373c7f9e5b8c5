// Command contract runs the checks of docs/contract.md by the ids of the promises and prints one line a check. It
// exits 1 when a check fails, when a promise has no check, and when a check matches no test: a promise that nothing
// tests is not held.
//
//	go run ./integration/contract [-falsify] [ID...]
//
// With -falsify it turns each guard of the second table off, in test builds, and wants
// the check that is named to fail with the symptom that is named.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
)

const table = "docs/contract.md"

func main() {
	text, err := os.ReadFile(table)
	if err != nil {
		fmt.Fprintf(os.Stderr, "contract: read the promises: %v; start it at the top of the repository\n", err)
		os.Exit(1)
	}
	ids := os.Args[1:]
	if len(ids) > 0 && ids[0] == "-falsify" {
		err = falsify(string(text), ids[1:], switchedOff, os.Stdout)
	} else {
		err = run(string(text), ids, execute, os.Stdout)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "contract: %v\n", err)
		os.Exit(1)
	}
}

// run executes each distinct check once, in the order of the table.
func run(text string, ids []string, execute func(check) error, out io.Writer) error {
	promises, err := parse(text)
	if err != nil {
		return fmt.Errorf("read %s: %w", table, err)
	}
	if promises, err = choose(promises, ids); err != nil {
		return err
	}
	results := map[string]error{}
	held := 0
	for _, p := range promises {
		if holds(p, results, execute, out) {
			held++
		}
	}
	fmt.Fprintf(out, "%d promises held, %d not\n", held, len(promises)-held)
	if held < len(promises) {
		return fmt.Errorf("%d of %d promises are not held", len(promises)-held, len(promises))
	}
	return nil
}

func holds(p promise, results map[string]error, execute func(check) error, out io.Writer) bool {
	ok := true
	for _, c := range p.checks {
		err, done := results[c.String()]
		if !done {
			err = execute(c)
			results[c.String()] = err
		}
		if err != nil {
			ok = false
			fmt.Fprintf(out, "FAIL %s %s: %v\n", p.id, c, err)
			continue
		}
		fmt.Fprintf(out, "ok   %s %s\n", p.id, c)
	}
	return ok
}

func choose(promises []promise, ids []string) ([]promise, error) {
	if len(ids) == 0 {
		return promises, nil
	}
	var out []promise
	for _, id := range ids {
		i := slices.IndexFunc(promises, func(p promise) bool { return p.id == id })
		if i < 0 {
			return nil, fmt.Errorf("no promise %q in %s", id, table)
		}
		out = append(out, promises[i])
	}
	return out, nil
}
