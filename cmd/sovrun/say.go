package main

import (
	"errors"
	"os"
	"strings"
)

const exitRefused = 125

// problem tells what went wrong, and what to do about it. Everything that sovrun
// says goes to standard error: standard output belongs to the command.
func problem(message, hint string) {
	var b strings.Builder
	b.WriteString("sovrun: error: " + printable(message) + "\n")
	if hint != "" {
		b.WriteString("sovrun: hint: " + printable(hint) + "\n")
	}
	os.Stderr.WriteString(b.String())
}

// answer writes what was asked for to standard output and gives the exit status:
// what could not be written was not answered.
func answer(text []byte, code int) int {
	if _, err := os.Stdout.Write(text); err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		problem("writing standard output: "+err.Error(), "make room, or connect it to something that takes it")
		return exitRefused
	}
	return code
}

func note(message string) { os.Stderr.WriteString("sovrun: note: " + printable(message) + "\n") }

// printable replaces control characters: a file name may hold what moves the
// cursor or rewrites the line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}

// colored decides about colour for a file: asked for, or a terminal that shows it
// (no-color.org).
func colored(when string, f *os.File) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
