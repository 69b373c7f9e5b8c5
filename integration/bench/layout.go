package main

import (
	"os"
	"path"
	"strings"
)

// opKind is a way to put something into a mount tree.
type opKind int

const (
	opReadOnly opKind = iota // bind of a host path
	opWritable               // bind of a host path
	opNode                   // bind of a device node
	opSelf                   // a path under /proc, read-only on itself
	opTmpfs
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
	ops        []op
	sealed     []string // file systems made read-only once all is in place
	namespaces []string // names under /proc/PID/ns, those that are not the host's
	workspace  string
}

// standIns are what a peer shows where the sandbox shows something that it made
// itself, such as the mask of a file.
type standIns struct{ file, dir string }

// layoutOf reads a layout off the mounts seen inside a sandbox.
func layoutOf(inside, host []mount, empty standIns) layout {
	var l layout
	for _, m := range parentsFirst(inside) {
		if m.fstype == "tmpfs" && m.root == "/" && m.readOnly {
			l.sealed = append(l.sealed, m.point)
		}
		if m.point != "/" {
			l.ops = append(l.ops, opOf(m, host, empty))
		}
	}
	return l
}

func opOf(m mount, host []mount, empty standIns) op {
	fresh := map[string]opKind{"proc": opProc, "devpts": opPts, "mqueue": opMqueue, "tmpfs": opTmpfs}
	kind, isFresh := fresh[m.fstype]
	switch {
	case m.fstype == "proc" && m.point != "/proc":
		return op{kind: opSelf, dst: m.point}
	case isFresh && m.root == "/":
		return op{kind: kind, dst: m.point}
	}
	return bindOf(m, host, empty)
}

func bindOf(m mount, host []mount, empty standIns) op {
	src, ok := hostPath(host, m)
	if !ok || !exists(src) {
		src = empty.of(m.point)
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

// of returns the stand-in of the kind that the host has at point, since a mask
// lies on something; where it has nothing, a directory.
func (s standIns) of(point string) string {
	if info, err := os.Stat(point); err == nil && !info.IsDir() {
		return s.file
	}
	return s.dir
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
