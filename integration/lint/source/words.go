package source

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// word is text that must not be in the repository: it tells of how the work was organised, or promises work that
// is not done, where a reader wants to know how the program works.
type word struct {
	pattern *regexp.Regexp
	why     string
}

// The patterns are written with a class around one letter, so that this file does not report itself.
var words = []word{
	{regexp.MustCompile(`\bT[O]DO\b|\bF[I]XME\b|\bX[X]X\b`), "unfinished work: finish it, or say what is not covered"},
	{regexp.MustCompile(`(^|[^\w.}$/])/[w]ork(/|\b[^\w-]|$)`), "a path of one machine"},
	{regexp.MustCompile(`\.\./[s]hared`), "a path outside of the repository"},
	{regexp.MustCompile(`(?i)\b[i]ssues?\s+#?[0-9]+\b|\(#[0-9]+\)`), "an issue number: say what the code does and why"},
	{regexp.MustCompile(`(?i)\b[m]ilestone\s+[0-9]+\b|\b[s]print\s+[0-9]+\b`), "a stage of development"},
}

// wordsExempt are files whose text is not ours.
var wordsExempt = []string{"LICENSE", "go.sum", ".ci/tools/go.sum"}

// Words reports forbidden words. A reference to another project's tracker (owner/name#12 or an address) is a
// source and stays.
func Words(t Tree) []Finding {
	var out []Finding
	for _, f := range t.Files {
		if !slices.Contains(wordsExempt, f.Path) {
			out = append(out, wordsOf(f)...)
		}
	}
	return out
}

func wordsOf(f File) []Finding {
	var out []Finding
	for i, line := range bytes.Split(f.Text, []byte("\n")) {
		for _, w := range words {
			if m := w.pattern.Find(line); m != nil {
				out = append(out, Finding{f.Path, i + 1, "word", strings.TrimSpace(string(m)) + ": " + w.why})
			}
		}
	}
	return out
}
