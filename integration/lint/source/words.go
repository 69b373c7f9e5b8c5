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
	unless  *regexp.Regexp // a line that matches this as well is fine; nil: none is
	why     string
}

// foreign is a number in the tracker of another project: a source, like an address.
var foreign = regexp.MustCompile(`(?i)[\w.-]+/[\w.-]+\s+[i]ssues?\s+#?[0-9]+\b`)

// The patterns are written with a class around one letter, so that this file does not report itself.
var words = []word{
	{regexp.MustCompile(`\bT[O]DO\b|\bF[I]XME\b|\bX[X]X\b`), nil, "unfinished work: finish it, or say what is not covered"},
	{regexp.MustCompile(`(^|[^\w.}$/])/[w]ork(/|\b[^\w-]|$)`), nil, "a path of one machine"},
	{regexp.MustCompile(`\.\./[s]hared`), nil, "a path outside of the repository"},
	{regexp.MustCompile(`(?i)\b[i]ssues?\s+#?[0-9]+\b|\(#[0-9]+\)`), foreign, "an issue number: say what the code does and why"},
	{regexp.MustCompile(`(?i)\b[m]ilestone\s+[0-9]+\b|\b[s]print\s+[0-9]+\b`), nil, "a stage of development"},
}

// wordsExempt are files whose text is not ours.
var wordsExempt = []string{"LICENSE", "go.sum", ".ci/tools/go.sum"}

// Words reports forbidden words.
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
			if m := w.pattern.Find(line); m != nil && (w.unless == nil || !w.unless.Match(line)) {
				out = append(out, Finding{f.Path, i + 1, "word", strings.TrimSpace(string(m)) + ": " + w.why})
			}
		}
	}
	return out
}
