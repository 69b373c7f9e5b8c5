package readme

import (
	"fmt"
	"strings"
)

// judge compares what the steps did with what the README says and returns one complaint a step.
func judge(steps []step, results []result, home string) []string {
	var out []string
	for i, s := range steps {
		r := results[i]
		statusShown := i+1 < len(steps) && steps[i+1].command == "echo $?"
		if r.status != 0 && !statusShown {
			out = append(out, fmt.Sprintf("README.md:%d: $ %s: exit status %d\n%s", s.line, s.command, r.status, r.output))
			continue
		}
		want, got := normalise(s.want, ""), normalise(r.output, home)
		if !s.file && !matches(want, got) {
			out = append(out, fmt.Sprintf("README.md:%d: $ %s\nwanted\n%s\ngot\n%s", s.line, s.command, strings.Join(want, "\n"), strings.Join(got, "\n")))
		}
	}
	return out
}
