package isolation

import (
	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// deviceNode is a character device that every program may expect.
type deviceNode struct {
	name         string
	major, minor uint32 // Documentation/admin-guide/devices.txt
}

func deviceNodes() []deviceNode {
	return []deviceNode{
		{"null", 1, 3}, {"zero", 1, 5}, {"full", 1, 7},
		{"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0},
	}
}

// deviceLinks are the links of /dev that point into /proc and /dev/pts.
func deviceLinks() [][2]string {
	return [][2]string{
		{"pts/ptmx", "ptmx"}, {"/proc/self/fd", "fd"}, {"/proc/self/fd/0", "stdin"},
		{"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"},
	}
}

// deviceSources opens the host's nodes and checks that they are what they are
// called: a file of that name would be a place to write to.
func (c *compiler) deviceSources() {
	if !c.has(policy.MountDev) {
		return
	}
	for _, n := range deviceNodes() {
		path := "/dev/" + n.name
		c.b.At(child.StageDev, path)
		tree := c.openTree(cwd(), c.path(path), unix.AT_SYMLINK_NOFOLLOW)
		c.compare(tree, statxRdev, uint64(n.major)|uint64(n.minor)<<32)
		c.devs = append(c.devs, tree)
	}
}

func (c *compiler) has(k policy.MountKind) bool {
	for _, m := range c.p.Mounts {
		if m.Kind == k {
			return true
		}
	}
	return false
}

// dev makes the private /dev. It is read-only in the end, and so are the devices:
// that keeps uid 0 from changing the mode of the host's own nodes (they are root's,
// and no capability is needed for that), while writing to a device goes on.
func (l *layout) dev(m policy.Mount) {
	l.b.At(child.StageDev, m.Target)
	l.dir(m.Target, 0o755)
	t := l.word("tmpfs")
	root := relative(m.Target)
	l.b.Setup(unix.SYS_MOUNT, t, l.path(root), t, child.Imm(unix.MS_NOSUID|unix.MS_NOEXEC), l.path("mode=755,size=64k,nr_inodes=64"))
	for i, n := range deviceNodes() {
		l.b.At(child.StageDev, m.Target+"/"+n.name)
		l.b.Setup(unix.SYS_MKNODAT, cwd(), l.path(root+"/"+n.name), child.Imm(unix.S_IFREG|0o444), child.Imm(0))
		l.attach(l.devs[i], m.Target+"/"+n.name, false)
	}
	for _, k := range deviceLinks() {
		l.b.At(child.StageDev, m.Target+"/"+k[1])
		l.b.Setup(unix.SYS_SYMLINKAT, l.path(k[0]), cwd(), l.path(root+"/"+k[1]))
	}
	l.b.At(child.StageDev, m.Target)
	l.b.Setup(unix.SYS_MKDIRAT, cwd(), l.path(root+"/pts"), child.Imm(0o755))
	l.b.Setup(unix.SYS_MKDIRAT, cwd(), l.path(root+"/shm"), child.Imm(0o755))
	l.b.Setup(unix.SYS_MOUNT_SETATTR, cwd(), l.path(root), child.Imm(unix.AT_RECURSIVE), l.mountAttr(unix.MOUNT_ATTR_RDONLY), child.Imm(sizeofMountAttr))
	l.pts(m.Target, root)
	l.shm(m, root)
}

// pts is an instance of devpts of its own: terminals of the host have no name in it.
func (l *layout) pts(target, root string) {
	l.b.At(child.StageDev, target+"/pts")
	t := l.word("devpts")
	l.b.Setup(unix.SYS_MOUNT, t, l.path(root+"/pts"), t, child.Imm(unix.MS_NOSUID|unix.MS_NOEXEC), l.path("newinstance,ptmxmode=0666,mode=620"))
}

// shm is where shm_open(3) makes its objects.
func (l *layout) shm(m policy.Mount, root string) {
	l.b.At(child.StageDev, m.Target+"/shm")
	t := l.word("tmpfs")
	m.Mode = 0o1777
	l.b.Setup(unix.SYS_MOUNT, t, l.path(root+"/shm"), t, child.Imm(unix.MS_NOSUID|unix.MS_NODEV), l.path(tmpfsOptions(m)))
}
