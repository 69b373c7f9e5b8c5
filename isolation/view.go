package isolation

import (
	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// base is the directory of the old root that a tmpfs of the child's own covers;
// every host has it, and nothing of it is needed any more once the sources are
// open.
const base = "/tmp"

// canary covers the old /tmp with a tmpfs, lays the canary there and tries it:
// what can be read before the pivot and cannot after is what the pivot hides.
func (c *compiler) canary() {
	c.b.At(child.StageCanary, base)
	t := c.word("tmpfs")
	c.b.Setup(unix.SYS_MOUNT, t, c.word(base), t, child.Imm(unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC), c.path("mode=755,size=64k,nr_inodes=16"))
	c.b.At(child.StageCanary, c.t.Canary)
	dir, _ := parent(c.t.Canary)
	c.b.Setup(unix.SYS_MKDIRAT, cwd(), c.path(dir), child.Imm(0o755))
	fd := c.passing(unix.SYS_OPENAT, cwd(), c.path(c.t.Canary), child.Imm(unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC), child.Imm(0o644))
	c.b.Setup(unix.SYS_WRITE, child.Slot(fd), c.path("canary\n"), child.Imm(7)).Want = 7
	c.b.PassMark(child.MarkCanary)
}

// newRoot makes the view on a tmpfs of its own.
func (c *compiler) newRoot() {
	root := base + "/root"
	c.b.At(child.StageRoot, root)
	t := c.word("tmpfs")
	c.b.Setup(unix.SYS_MKDIRAT, cwd(), c.word(root), child.Imm(0o755))
	c.b.Setup(unix.SYS_MOUNT, t, c.word(root), t, child.Imm(unix.MS_NOSUID|unix.MS_NODEV), c.path("mode=755,size=1m,nr_inodes=4096"))
	c.b.Setup(unix.SYS_CHDIR, c.word(root))
	l := &layout{compiler: c, made: make(map[string]struct{}, 64)}
	l.privateDir()
	for _, f := range c.p.Files {
		if inPrivate(f.Path) {
			l.file(f)
		}
	}
	l.sealPrivate()
	l.mounts()
	l.leak()
	for _, d := range c.p.Dirs {
		c.b.At(child.StageMounts, d.Path)
		l.dir(d.Path, d.Mode)
	}
	for _, f := range c.p.Files {
		if !inPrivate(f.Path) {
			l.file(f)
		}
	}
	for _, k := range c.p.Links {
		l.link(k)
	}
	l.seal()
}

// leak is a hole in the view, for test builds: the directory of the canary is
// mounted inside under its old name.
func (l *layout) leak() {
	if !child.Off("private-view") {
		return
	}
	dir, _ := parent(l.t.Canary)
	l.b.At(child.StageMounts, dir)
	tree := l.cloned(cwd(), l.path(dir), 0)
	l.dir(dir, 0o755)
	l.attach(tree, dir, false)
}

// seal makes read-only what only had to hold mount points: a directory that is
// hidden but for something granted beneath it.
func (l *layout) seal() {
	for _, m := range l.p.Mounts {
		if m.Kind != policy.MountTmpfs || m.Access != policy.Hide {
			continue
		}
		l.b.At(child.StageMounts, m.Target)
		at, name, flags := cwd(), l.path(relative(m.Target)), 0
		for _, h := range l.holes {
			if h.path == m.Target {
				at, name, flags = child.Slot(h.fd), l.word(""), unix.AT_EMPTY_PATH
			}
		}
		l.b.Setup(unix.SYS_MOUNT_SETATTR, at, name, child.Imm(flags), l.mountAttr(attrReadOnly), child.Imm(sizeofMountAttr))
	}
}

func inPrivate(path string) bool {
	p, _ := parent(path)
	return p == "/"+private
}

func (l *layout) mounts() {
	for i, m := range l.p.Mounts {
		l.b.At(child.StageMounts, m.Target)
		switch m.Kind {
		case policy.MountBind:
			l.bind(m, l.trees[i])
		case policy.MountTmpfs:
			l.tmpfs(m)
		case policy.MountMask:
			l.mask(m.Target, m.Dir, m.Within)
		case policy.MountProc:
			l.proc(m)
		case policy.MountDev:
			l.dev(m)
		}
	}
}

// pivot makes the view the root. pivot_root(".", ".") stacks the old root on the
// new one, from where it is detached (pivot_root(2), NOTES); the working
// directory is reached through the new root, so that no handle to the old one is
// left (CVE-2024-21626).
func (c *compiler) pivot() {
	c.b.At(child.StagePivot, "/")
	c.b.Setup(unix.SYS_PIVOT_ROOT, c.word("."), c.word("."))
	if !child.Off("old-root-detached") {
		c.b.Setup(unix.SYS_UMOUNT2, c.word("."), child.Imm(unix.MNT_DETACH))
	}
	c.b.Setup(unix.SYS_CHDIR, c.word("/"))
	c.b.Setup(unix.SYS_MOUNT_SETATTR, cwd(), c.word("/"), child.Imm(0), c.mountAttr(attrReadOnly), child.Imm(sizeofMountAttr))
	c.b.At(child.StageDirectory, c.p.Command.Cwd)
	c.b.Setup(unix.SYS_CHDIR, c.path(c.p.Command.Cwd))
}
