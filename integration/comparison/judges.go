package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// judge is a tool that knows nothing of sovrun and reads what a process has: what it
// finds must be what the report and the plan say.
type judge struct {
	tool, finds string
	argv        []string
	want        *regexp.Regexp
}

var judges = []judge{
	{"setpriv --dump (util-linux)", "no_new_privs, no capability in any set, locked securebits", []string{"setpriv", "--dump"},
		regexp.MustCompile(`(?s)no_new_privs: 1\n.*Inheritable capabilities: \[none\]\nAmbient capabilities: \[(none|unsupported)\]\nCapability bounding set: \[none\]\nSecurebits: .*noroot,noroot_locked`)},
	{"capsh --print (libcap)", "an empty set of capabilities, and an empty bounding set", []string{"/usr/sbin/capsh", "--print"},
		regexp.MustCompile(`(?s)^Current: =\nBounding set =\n`)},
	{"grep Seccomp /proc/self/status", "a filter, one", []string{"grep", "Seccomp", "/proc/self/status"},
		regexp.MustCompile(`^Seccomp:\t2\nSeccomp_filters:\t1\n$`)},
}

// ask runs every judge in one column and tells what it found.
func (l *lab) ask(c column) ([]string, error) {
	var out []string
	for _, j := range judges {
		text, err := l.inside(c, j.argv...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.tool, err)
		}
		if !j.want.Match(text) {
			return nil, fmt.Errorf("%s does not find %s, but\n%s", j.tool, j.finds, text)
		}
		out = append(out, fmt.Sprintf("%s: %s", j.tool, j.finds))
	}
	mounts, err := l.mounts(c)
	return append(out, mounts), err
}

// inside runs a command in sovrun's sandbox, by the caller of a column.
func (l *lab) inside(c column, argv ...string) ([]byte, error) {
	return output(l.command(c, append([]string{l.sovrun, "run", "--"}, argv...)))
}

// output is what a command prints; its error holds what it complained of.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, stderr.String())
	}
	return out, err
}

// mounts compares what findmnt sees with what sovrun plan announces.
func (l *lab) mounts(c column) (string, error) {
	text, err := l.inside(c, "findmnt", "-rno", "TARGET,OPTIONS")
	if err != nil {
		return "", fmt.Errorf("findmnt: %w", err)
	}
	planned, err := output(l.command(c, []string{l.sovrun, "plan", "--json", "--", "findmnt"}))
	if err != nil {
		return "", err
	}
	var plan struct {
		Mounts []struct{ Target, Access, Kind string }
	}
	if err := json.Unmarshal(planned, &plan); err != nil {
		return "", err
	}
	options := map[string]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		options[f[0]] = f[1]
	}
	for _, m := range plan.Mounts {
		got, ok := options[m.Target]
		writable := m.Access == "write" && m.Kind != "dev" // /dev itself is sealed when it is complete
		if !ok || m.Kind == "bind" && writable != strings.HasPrefix(got, "rw") {
			return "", fmt.Errorf("findmnt sees %s as %q, the plan has it %s", m.Target, got, m.Access)
		}
	}
	open := 0
	for target, o := range options {
		if strings.HasPrefix(o, "rw") {
			open++
			if !slices.ContainsFunc([]string{"/proc", "/dev", "/tmp", "/root"}, func(d string) bool { return target == d || strings.HasPrefix(target, d+"/") }) && !strings.HasPrefix(target, l.dir) {
				return "", fmt.Errorf("findmnt sees %s writable", target)
			}
		}
	}
	return fmt.Sprintf("findmnt (util-linux): all %d mounts of the plan, as the plan has them; of %d mounts %d are writable, none but the workspace of the host", len(plan.Mounts), len(options), open), nil
}
