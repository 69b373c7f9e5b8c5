package cli

import (
	"regexp"
	"strings"
	"testing"
)

// unfit are words that no message of sovrun's may hold: a program that broke, a
// template that was not filled in, or how it was made.
var unfit = regexp.MustCompile(`%!|\$\{|goroutine |panic:|runtime error|\.go:\d|<nil>|(?i:\b(todo|fixme|issues?|milestone|testdata|unimplemented)\b)`)

// bare is an errno without its text.
var bare = regexp.MustCompile(`\berrno \d+|\(errno`)

// faults are what is wrong with the lines that sovrun wrote.
func faults(stderr string) []string {
	var out []string
	lines := strings.Split(stderr, "\n")
	for i, l := range lines {
		text, ours := strings.CutPrefix(l, "sovrun: ")
		if !ours {
			continue
		}
		for _, r := range []*regexp.Regexp{unfit, bare} {
			if word := r.FindString(text); word != "" {
				out = append(out, "the word "+word)
			}
		}
		if strings.HasSuffix(text, ".") {
			out = append(out, "a final period")
		}
		if message, ok := strings.CutPrefix(text, "error: "); ok && !advises(message, lines[i+1:]) {
			out = append(out, "an error without advice")
		}
	}
	return out
}

// advises reports whether an error says what to do: in a line of its own, or in
// its last clause.
func advises(message string, following []string) bool {
	return len(following) > 0 && strings.HasPrefix(following[0], "sovrun: hint: ") || strings.Contains(message, "; grant it with ")
}

func TestFaultsAreFound(t *testing.T) {
	good := "sovrun: error: no\nsovrun: hint: do that\n"
	if f := faults(good); len(f) > 0 {
		t.Errorf("%q: %q", good, f)
	}
	for _, bad := range []string{
		"sovrun: error: no\n", "sovrun: error: no\nsovrun: hint: %!s(MISSING)\n", "sovrun: error: panic: x\nsovrun: hint: y\n",
		"sovrun: note: errno 13\n", "sovrun: note: see issue\n", "sovrun: note: a sentence.\n", "sovrun: note: run.go:12\n", "sovrun: note: <nil>\n",
	} {
		if len(faults(bad)) == 0 {
			t.Errorf("%q passes", bad)
		}
	}
}
