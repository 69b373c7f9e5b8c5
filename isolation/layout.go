package isolation

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// cwd as an argument of the *at calls.
func cwd() child.Arg { return child.Imm(unix.AT_FDCWD) }

// private is the directory of the view that is sovrun's own: the witness that no
// Landlock rule covers and the empty objects that masks are made of.
const private = ".sovrun"

// stage is where a mount is made that shall be moved.
const stage = private + "/stage"

// layout makes the final view. Everything is relative to the new root, which is
// the working directory until the pivot.
type layout struct {
	*compiler
	made  map[string]struct{} // directories that exist on tmpfs
	holes []hole
}

// hole is a tmpfs that lies inside a bind: what leads to it may be renamed by
// others at any moment, so it is known by its descriptor.
type hole struct {
	path string
	fd   int16
}

// at is a path of the view as directory and relative name: beneath the hole that
// it lies in, else beneath the new root, where every component is our own.
func (l *layout) at(path string) (dir, name child.Arg) {
	for i := len(l.holes) - 1; i >= 0; i-- {
		if rest, ok := strings.CutPrefix(path, l.holes[i].path+"/"); ok {
			return child.Slot(l.holes[i].fd), l.path(rest)
		}
	}
	return cwd(), l.path(relative(path))
}

// relative is an absolute path of the view as seen from the new root.
func relative(path string) string {
	if path == "/" {
		return "."
	}
	return path[1:]
}

// parents makes the directories that lead to a path, where they are not there.
func (l *layout) parents(path string) {
	dir, ok := parent(path)
	if !ok {
		return
	}
	l.dir(dir, 0o755)
}

// dir makes a directory and what leads to it.
func (l *layout) dir(path string, mode uint32) {
	if path == "/" {
		return
	}
	if _, ok := l.made[path]; ok {
		return
	}
	l.parents(path)
	at, name := l.at(path)
	l.b.Setup(unix.SYS_MKDIRAT, at, name, child.Imm(mode))
	l.made[path] = struct{}{}
}

// parent is the directory of an absolute path; false for the root.
func parent(path string) (string, bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 || path == "/" {
		return "", false
	}
	if i == 0 {
		return "/", true
	}
	return path[:i], true
}

// file makes a small file with its contents.
func (l *layout) file(f policy.File) {
	l.b.At(child.StageEtc, f.Path)
	l.parents(f.Path)
	at, name := l.at(f.Path)
	fd := l.passing(unix.SYS_OPENAT, at, name,
		child.Imm(unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW), child.Imm(f.Mode))
	if f.Content != "" {
		l.b.Setup(unix.SYS_WRITE, child.Slot(fd), child.Ptr(l.b.Bytes(f.Content, 1)), child.Imm(len(f.Content))).Want = int64(len(f.Content))
	}
	// At once: a mount on which something is open for writing cannot become
	// read-only, and a file that is cannot be executed.
	l.b.Setup(unix.SYS_CLOSE, child.Slot(fd))
}

// link makes a symbolic link.
func (l *layout) link(k policy.Link) {
	l.b.At(child.StageMounts, k.Path)
	l.parents(k.Path)
	at, name := l.at(k.Path)
	l.b.Setup(unix.SYS_SYMLINKAT, l.path(k.Target), at, name)
}

// tmpfsOptions bounds bytes and inodes: without a size a tmpfs may take half of
// the memory, each.
func tmpfsOptions(m policy.Mount) string {
	return "mode=" + strconv.FormatUint(uint64(m.Mode), 8) +
		",size=" + strconv.FormatUint(m.Size, 10) +
		",nr_inodes=" + strconv.FormatUint(m.Inodes, 10)
}

// tmpfs mounts a fresh file system. One that lies inside a bind is mounted aside
// and moved, so that it cannot end up where a swapped component leads.
func (l *layout) tmpfs(m policy.Mount) {
	target := relative(m.Target)
	if m.MakePoint {
		l.dir(m.Target, 0o755)
	} else {
		target = stage
	}
	t := l.word("tmpfs")
	l.b.Setup(unix.SYS_MOUNT, t, l.path(target), t, child.Imm(unix.MS_NOSUID|unix.MS_NODEV), l.path(tmpfsOptions(m)))
	if m.MakePoint {
		return
	}
	tree := l.b.Open(unix.SYS_OPEN_TREE, cwd(), l.path(target), child.Imm(unix.OPEN_TREE_CLOEXEC))
	l.attach(tree, m.Target, true)
	l.made[m.Target] = struct{}{}
	l.holes = append(l.holes, hole{m.Target, tree})
}

// bind moves a tree that was opened before over its mount point.
func (l *layout) bind(m policy.Mount, tree int16) {
	if m.MakePoint {
		l.mountPoint(m.Target, m.Dir)
	}
	l.attach(tree, m.Target, m.Within)
}

// mountPoint makes the file or directory that is mounted over.
func (l *layout) mountPoint(path string, dir bool) {
	if dir {
		l.dir(path, 0o755)
		return
	}
	l.parents(path)
	at, name := l.at(path)
	l.b.Setup(unix.SYS_MKNODAT, at, name, child.Imm(unix.S_IFREG|0o444), child.Imm(0))
}

// attach moves a detached tree to a path. Inside another bind the path may be
// changed by others while we look: it is opened beneath the new root without
// following links, and the mount goes to that very descriptor.
func (l *layout) attach(tree int16, path string, within bool) {
	empty := l.word("")
	at, name := l.at(path)
	if !within {
		l.b.Setup(unix.SYS_MOVE_MOUNT, child.Slot(tree), empty, at, name, child.Imm(unix.MOVE_MOUNT_F_EMPTY_PATH))
		return
	}
	l.b.Setup(unix.SYS_OPENAT2, at, name,
		l.how(unix.O_PATH, unix.RESOLVE_BENEATH|unix.RESOLVE_NO_SYMLINKS|unix.RESOLVE_NO_MAGICLINKS), child.Imm(sizeofHow)).Save = l.point
	l.b.Setup(unix.SYS_MOVE_MOUNT, child.Slot(tree), empty, child.Slot(l.point), empty,
		child.Imm(unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH))
}

// privateDir makes the directory of what is sovrun's own in the new root: the empty
// file and the empty directory without any permission that masks come from, the
// place where trees are put together, and the image of pid 1.
func (l *layout) privateDir() {
	l.b.At(child.StageRoot, "/"+private)
	l.dir("/"+private, 0o755)
	l.b.Setup(unix.SYS_MKNODAT, cwd(), l.path(private+"/file"), child.Imm(unix.S_IFREG), child.Imm(0))
	l.b.Setup(unix.SYS_MKDIRAT, cwd(), l.path(private+"/dir"), child.Imm(0))
	l.b.Setup(unix.SYS_MKDIRAT, cwd(), l.path(stage), child.Imm(0o700))
	var mode uint32 = initMode
	if child.Off("non-dumpable") {
		mode = 0o555
	}
	l.file(policy.File{Path: initPath, Mode: mode, Content: string(child.InitImage())})
	l.b.At(child.StageRoot, "/"+private)
}

// sealPrivate mounts that directory over itself, read-only, so that every mask
// that is cloned from it is read-only as well.
func (l *layout) sealPrivate() {
	l.b.At(child.StageRoot, "/"+private)
	t := l.cloned(cwd(), l.path(private), 0)
	l.attr(t, attrReadOnly, false)
	l.attach(t, "/"+private, false)
}

// mask hides what lies at a path of the view.
func (l *layout) mask(path string, dir, within bool) {
	if child.Off("masks") {
		return
	}
	from := private + "/file"
	if dir {
		from = private + "/dir"
	}
	t := l.cloned(cwd(), l.path(from), 0)
	l.attach(t, path, within)
}
