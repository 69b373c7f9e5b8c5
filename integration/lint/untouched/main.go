// Command untouched proves that directory trees are what they were.
//
//	untouched take -o FILE [-skip PATH]... ROOT...
//	untouched compare FILE
//
// take records every entry below the roots: name, kind, mode, owner, size, modification time and the SHA-256 of the
// contents (of a symbolic link: its text). A root that does not exist is recorded as absent, so that making it is a
// change. compare looks again, prints one line a difference and exits 1 when there is any.
//
// Not seen: a change that was undone, time stamps included; access times; extended attributes. Other file systems
// mounted below a root are recorded as such and not entered. A regular file over 64 MiB is not read: its change time,
// which no system call can set back, stands for the contents. What cannot be read is recorded as unreadable.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "untouched: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	switch {
	case len(args) > 1 && args[0] == "take":
		return take(args[1:])
	case len(args) == 2 && args[0] == "compare":
		return compare(args[1], out)
	}
	return errors.New("usage: untouched take -o FILE [-skip PATH]... ROOT... | untouched compare FILE")
}

func take(args []string) error {
	flags := flag.NewFlagSet("take", flag.ContinueOnError)
	file := flags.String("o", "", "where to put the record, outside of the roots")
	var s scope
	flags.Func("skip", "leave out this path and what is below it", func(p string) error {
		return absolute(&s.Skip, p)
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, root := range flags.Args() {
		if err := absolute(&s.Roots, root); err != nil {
			return err
		}
	}
	if *file == "" || len(s.Roots) == 0 {
		return errors.New("take: wanted -o FILE and at least one root")
	}
	entries, err := s.entries()
	if err != nil {
		return err
	}
	return writeRecord(*file, record{s, entries})
}

func absolute(to *[]string, p string) error {
	abs, err := filepath.Abs(p)
	if err != nil {
		return fmt.Errorf("make %q absolute: %w", p, err)
	}
	*to = append(*to, abs)
	return nil
}

func compare(file string, out io.Writer) error {
	before, err := readRecord(file)
	if err != nil {
		return err
	}
	now, err := before.Scope.entries()
	if err != nil {
		return err
	}
	changes := diff(before.Entries, now)
	for _, c := range changes {
		fmt.Fprintln(out, c)
	}
	if len(changes) > 0 {
		return fmt.Errorf("%d entries are not what they were", len(changes))
	}
	return nil
}
