package main

import (
	"path/filepath"
	"slices"
	"strconv"
)

// namespaceNames maps the names under /proc/PID/ns to bubblewrap's options and
// to the words of floor.c.
var namespaceNames = []struct{ proc, bwrap, floor string }{
	{"user", "--unshare-user", "user"},
	{"mnt", "", "mount"}, // bubblewrap always makes one
	{"pid", "--unshare-pid", "pid"},
	{"net", "--unshare-net", "net"},
	{"ipc", "--unshare-ipc", "ipc"},
	{"uts", "--unshare-uts", "uts"},
	{"cgroup", "--unshare-cgroup", "cgroup"},
}

// bwrapArgv returns the bubblewrap command that shows what l shows, without
// the mounts that bubblewrap makes of its own accord, and then runs argv.
func bwrapArgv(tool string, l layout, own map[string]bool, argv []string) []string {
	args := []string{tool, "--die-with-parent", "--cap-drop", "ALL"}
	for _, n := range namespaceNames {
		if n.bwrap != "" && slices.Contains(l.namespaces, n.proc) {
			args = append(args, n.bwrap)
		}
	}
	for _, link := range usrMerged() {
		args = append(args, "--symlink", usrTarget(link), link)
	}
	for _, o := range l.ops {
		if !own[o.dst] {
			args = append(args, bwrapOp(o)...)
		}
	}
	for _, point := range l.sealed {
		args = append(args, "--remount-ro", point)
	}
	args = append(args, "--chdir", l.workspace, "--seccomp", strconv.Itoa(filterFD), "--")
	return append(args, argv...)
}

func bwrapOp(o op) []string {
	switch {
	case o.dst == "/dev":
		return []string{"--dev", o.dst}
	case o.kind == opSelf:
		return []string{"--ro-bind", o.dst, o.dst}
	}
	binds := map[opKind]string{opReadOnly: "--ro-bind", opWritable: "--bind", opNode: "--dev-bind"}
	if option, ok := binds[o.kind]; ok {
		return []string{option, o.src, o.dst}
	}
	// bubblewrap has no option for a devpts elsewhere than in --dev: a tmpfs
	// costs it no more.
	fresh := map[opKind]string{opProc: "--proc", opMqueue: "--mqueue"}
	if option, ok := fresh[o.kind]; ok {
		return []string{option, o.dst}
	}
	return []string{"--tmpfs", o.dst}
}

// floorArgv returns the same for floor.c; extra words come first.
func floorArgv(tool string, l layout, extra, argv []string) []string {
	args := append([]string{tool}, extra...)
	for _, n := range namespaceNames {
		if slices.Contains(l.namespaces, n.proc) {
			args = append(args, n.floor)
		}
	}
	for _, link := range usrMerged() {
		args = append(args, "link", usrTarget(link), link)
	}
	for _, o := range l.ops {
		args = append(args, floorOp(o)...)
		if o.dst == "/dev" {
			args = append(args, deviceLinks()...)
		}
	}
	for _, point := range l.sealed {
		args = append(args, "seal", point)
	}
	args = append(args, "cwd", l.workspace, "filter", strconv.Itoa(filterFD), "--")
	return append(args, argv...)
}

func floorOp(o op) []string {
	words := map[opKind]string{
		opReadOnly: "ro", opWritable: "rw", opNode: "node", opSelf: "self", opTmpfs: "tmpfs",
		opProc: "proc", opPts: "pts", opMqueue: "mqueue",
	}
	if o.src == "" {
		return []string{words[o.kind], o.dst}
	}
	return []string{words[o.kind], o.src, o.dst}
}

func deviceLinks() []string {
	table := [][2]string{
		{"/proc/self/fd", "fd"}, {"/proc/self/fd/0", "stdin"}, {"/proc/self/fd/1", "stdout"},
		{"/proc/self/fd/2", "stderr"}, {"pts/ptmx", "ptmx"},
	}
	var words []string
	for _, row := range table {
		words = append(words, "link", row[0], filepath.Join("/dev", row[1]))
	}
	return words
}
