package main

import "path/filepath"

// column is one way to run the probe.
type column struct {
	name, says string
	user       bool
	reference  int // column of reference.tsv, -1: none
	wrap       func(l *lab, workspace string) []string
}

// owner is whose workspace a column uses.
func (c column) owner() (name string, uid uint32) {
	if c.user {
		return "nobody", nobody
	}
	return "root", 0
}

// columns are those of the page, from left to right.
var columns = []column{
	{"none, root", "nothing around it", false, 0, func(*lab, string) []string { return nil }},
	{"bwrap, root", "`--unshare-all --new-session --die-with-parent`, `/usr` and `/etc` read-only", false, 1, bwrap},
	{"bwrap, nobody", "the same by an ordinary user, with `--cap-drop ALL`", true, 2, func(l *lab, ws string) []string {
		return append(bwrap(l, ws), "--cap-drop", "ALL")
	}},
	{"Landlock, root", "a program of ours with landrun's library and the rules that its options stand for: `--best-effort --rox /usr,/bin,/lib,/lib64 --rw WORKSPACE --rw /dev/null`", false, 3, landlocked},
	{"Landlock, nobody", "the same by an ordinary user", true, 4, landlocked},
	{"sovrun, root", "`sovrun run`", false, -1, sovrun},
	{"sovrun, nobody", "the same by an ordinary user", true, -1, sovrun},
}

func bwrap(_ *lab, ws string) []string {
	return []string{
		"bwrap", "--unshare-all", "--new-session", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc",
		"--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/sbin", "/sbin",
		"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", ws, ws, "--chdir", ws,
	}
}

func landlocked(l *lab, ws string) []string { return []string{filepath.Join(l.dir, "landlocked"), ws} }

func sovrun(l *lab, _ string) []string { return []string{l.sovrun, "run", "--"} }
