// Command tally reads what go test -json writes.
//
//	go test -json ./... | tally watch FILE
//
// copies the events to FILE and prints what go test prints without -json: a line a package, and the output of the
// tests that failed. It exits 1 when a package failed.
//
//	tally total [-complete] FILE...
//
// puts several runs together, for example one as root and one as an ordinary user, and ends with one line
// "N passed, N failed, N skipped". A test counts as passed when it passed in one run and failed in none, and as
// skipped when no run ran it. With -complete a skipped test is a failure of the whole: nothing else stands for it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "tally: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == "watch":
		return watchTo(args[1], in, out)
	case len(args) > 1 && args[0] == "total":
		return totalOf(args[1:], out)
	}
	return errors.New("usage: tally watch FILE | tally total [-complete] FILE")
}

func watchTo(name string, in io.Reader, out io.Writer) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("create the record of the run: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return watch(io.TeeReader(in, file), out)
}

func totalOf(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("total", flag.ContinueOnError)
	complete := flags.Bool("complete", false, "fail when a test was skipped in every run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	t := newTotal()
	for _, name := range flags.Args() {
		if err := t.readFile(name); err != nil {
			return err
		}
	}
	return t.print(out, *complete)
}
