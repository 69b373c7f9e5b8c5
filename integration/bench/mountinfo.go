package main

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// mount is a line of /proc/PID/mountinfo (proc_pid_mountinfo(5)).
type mount struct {
	id, parent int
	dev        string // major:minor
	root       string // what of the file system is mounted
	point      string
	readOnly   bool
	fstype     string
}

func parseMountinfo(text string) ([]mount, error) {
	var all []mount
	for line := range strings.Lines(text) {
		m, err := parseMount(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("mountinfo line %q: %w", strings.TrimSpace(line), err)
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("mountinfo: wanted at least one line, got none")
	}
	return all, nil
}

func parseMount(fields []string) (mount, error) {
	separator := slices.Index(fields, "-")
	if separator < 6 || separator+1 >= len(fields) {
		return mount{}, fmt.Errorf("wanted six fields, a dash and a type, got %d fields", len(fields))
	}
	id, err := strconv.Atoi(fields[0])
	if err != nil {
		return mount{}, err
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return mount{}, err
	}
	return mount{
		id: id, parent: parent, dev: fields[2],
		root: unescape(fields[3]), point: unescape(fields[4]),
		readOnly: slices.Contains(strings.Split(fields[5], ","), "ro"),
		fstype:   fields[separator+1],
	}, nil
}

// unescape undoes the kernel's octal escapes of space, tab, newline and
// backslash (mangle in fs/proc_namespace.c).
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// parentsFirst returns mounts so that each stands behind the one it lies on.
// The kernel lists them by age, and a detached mount is older than where it
// was put.
func parentsFirst(all []mount) []mount {
	byID := map[int]mount{}
	for _, m := range all {
		byID[m.id] = m
	}
	var out []mount
	done := map[int]bool{}
	var visit func(m mount)
	visit = func(m mount) {
		if done[m.id] {
			return
		}
		done[m.id] = true
		if p, ok := byID[m.parent]; ok {
			visit(p)
		}
		out = append(out, m)
	}
	for _, m := range all {
		visit(m)
	}
	return out
}

// hostPath returns the host's name for what m shows, where one of the host's
// own mounts shows it too.
func hostPath(host []mount, m mount) (string, bool) {
	for _, h := range host {
		if h.dev != m.dev {
			continue
		}
		if rest, ok := beneath(h.root, m.root); ok {
			return path.Join(h.point, rest), true
		}
	}
	return "", false
}

// beneath returns the part of name below dir, compared by component.
func beneath(dir, name string) (string, bool) {
	if dir == "/" || dir == name {
		return strings.TrimPrefix(name, dir), true
	}
	return strings.CutPrefix(name, dir+"/")
}
