package main

import (
	"os"
	"path"
	"strings"
)

// opKind is a way to put something into a mount tree.
type opKind int

const (
	opReadOnly  opKind = iota // bind of a host path
	opWritable                // bind of a host path
	opNode                    // bind of a device node
	opSelf                    // a path under /proc, read-only on itself
	opTmpfs                   // a writable tmpfs
	opMaskTmpfs               // an empty read-only tmpfs
	opProc
	opPts
	opMqueue
)

// op is one mount of a layout.
type op struct {
	kind     opKind
	src, dst string
}

// layout is what sovrun shows inside, in terms of what a peer has to do to show
// as much.
type layout struct {
	ops          []op
	readOnlyRoot bool
	namespaces   []string // names under /proc/PID/ns, those that are not the host's
	workspace    string
}

// layoutOf reads a layout off the mounts seen inside a sandbox.
func layoutOf(inside, host []mount) layout {
	var l layout
	for _, m := range parentsFirst(inside) {
		if m.point == "/" {
			l.readOnlyRoot = m.readOnly
			continue
		}
		l.ops = append(l.ops, opOf(m, host))
	}
	return l
}

func opOf(m mount, host []mount) op {
	fresh := map[string]opKind{"proc": opProc, "devpts": opPts, "mqueue": opMqueue, "tmpfs": opTmpfs}
	kind, isFresh := fresh[m.fstype]
	switch {
	case m.fstype == "proc" && m.point != "/proc":
		return op{kind: opSelf, dst: m.point}
	case m.fstype == "tmpfs" && m.root == "/" && m.readOnly:
		return op{kind: opMaskTmpfs, dst: m.point}
	case isFresh && m.root == "/":
		return op{kind: kind, dst: m.point}
	}
	return bindOf(m, host)
}

// bindOf finds a host path for a bind. A file that the sandbox made up has none
// on the host; the file of the same name stands in for it, or /dev/null.
func bindOf(m mount, host []mount) op {
	src, ok := hostPath(host, m)
	if !ok || !exists(src) {
		src = standIn(m.point)
	}
	kind := opWritable
	switch {
	case isDevice(src):
		kind = opNode
	case m.readOnly:
		kind = opReadOnly
	}
	return op{kind: kind, src: src, dst: m.point}
}

func standIn(point string) string {
	if info, err := os.Stat(point); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
		return point
	}
	return os.DevNull
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&os.ModeDevice != 0
}

// usrMerged returns the links of a merged /usr that the host has; they are not
// mounts, and every program needs them.
func usrMerged() []string {
	var links []string
	for _, name := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		if target, err := os.Readlink(name); err == nil && strings.HasPrefix(strings.TrimPrefix(target, "/"), "usr/") {
			links = append(links, name)
		}
	}
	return links
}

// usrTarget returns where the link of a merged /usr leads.
func usrTarget(link string) string { return path.Join("usr", link) }
