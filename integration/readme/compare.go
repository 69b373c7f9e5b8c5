package readme

import (
	"regexp"
	"strings"
)

// replacement makes two runs alike that differ only in what no two runs share.
type replacement struct {
	pattern *regexp.Regexp
	with    string
}

var replacements = []replacement{
	{regexp.MustCompile(`\b\d+(\.\d+)?\s?(ns|µs|ms|s)\b`), "<time>"},
	{regexp.MustCompile(`\b\d+/\d+ +`), "<acts> "}, // how many grants there are depends on the host
	{regexp.MustCompile(`\bpid \d+\b`), "pid <number>"},
	{regexp.MustCompile(`\b(v\d+\.\d+\.\d+(-\d+-g)?)?[0-9a-f]{7,40}(-dirty)?\b`), "<commit>"},
	{regexp.MustCompile(`\bv\d+\.\d+\.\d+\b`), "<commit>"},
	{regexp.MustCompile(`\b\d+ passed, 0 failed, 0 skipped\b`), "<number> passed, 0 failed, 0 skipped"},
}

// homeInText is what the README writes for the reader's home.
const homeInText = "/home/you"

func normalise(text, home string) []string {
	if home != "" {
		text = strings.ReplaceAll(text, home, homeInText)
	}
	for _, r := range replacements {
		text = r.pattern.ReplaceAllString(text, r.with)
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	return lines
}

// matches tells whether got is what the README wants, where a line "..." of want stands for any lines.
func matches(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] != "..." {
		return len(got) > 0 && want[0] == got[0] && matches(want[1:], got[1:])
	}
	for skipped := range len(got) + 1 {
		if matches(want[1:], got[skipped:]) {
			return true
		}
	}
	return false
}
