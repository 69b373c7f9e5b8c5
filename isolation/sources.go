package isolation

import (
	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// Offsets in struct statx, statx(2).
const (
	statxIno    = 32
	statxRdev   = 128
	statxDev    = 136
	sizeofStatx = 256
)

// propagation cuts the new mount namespace off from the host's before anything is
// mounted, so that no mount of ours shows there (CVE-2025-52881 used shared ones).
func (c *compiler) propagation() {
	c.b.At(child.StagePropagation, "/")
	c.b.Setup(unix.SYS_MOUNT, child.Imm(0), c.word("/"), child.Imm(0), child.Imm(unix.MS_REC|unix.MS_PRIVATE), child.Imm(0))
}

// sources opens everything that will be bound, while the host's tree is whole.
func (c *compiler) sources() {
	c.buf = c.b.Alloc(sizeofStatx, 8)
	c.trees = make([]int16, len(c.p.Mounts))
	for i, m := range c.p.Mounts {
		c.trees[i] = child.NoSlot
		if m.Kind == policy.MountBind {
			c.trees[i] = c.source(m)
		}
	}
	c.deviceSources()
}

// source makes a detached tree of one grant, with its attributes. What is compared
// with the object that was resolved is the very tree that will be mounted, so that
// whoever swaps a component of the path, whenever, gains a refusal (CVE-2024-42472).
func (c *compiler) source(m policy.Mount) int16 {
	c.b.At(child.StageSources, m.Source)
	if fd, ok := c.in.Shifted[m.Target]; ok {
		return c.shifted(fd)
	}
	tree := c.openTree(cwd(), c.path(m.Source), unix.AT_SYMLINK_NOFOLLOW|unix.AT_RECURSIVE)
	c.compare(tree, statxIno, m.Inode)
	c.compare(tree, statxDev, uint64(m.Major)|uint64(m.Minor)<<32)
	c.attr(tree, attributes(m), true)
	return tree
}

// shifted is a tree that the launcher prepared.
func (c *compiler) shifted(fd int) int16 {
	return c.b.Open(unix.SYS_FCNTL, child.Imm(fd), child.Imm(unix.F_DUPFD_CLOEXEC), child.Imm(3))
}

// attributes of a bind by what it grants.
func attributes(m policy.Mount) uint64 {
	var a uint64 = attrReadWrite
	if m.Access != policy.Write && !child.Off("read-only-mounts") {
		a |= unix.MOUNT_ATTR_RDONLY
	}
	if m.Access == policy.Read {
		a |= unix.MOUNT_ATTR_NOEXEC
	}
	return a
}

// compare checks 8 bytes of what a descriptor is. The first compare of a
// descriptor asks the kernel, the later ones look at the same answer.
func (c *compiler) compare(fd int16, field uint32, want uint64) {
	if field == statxIno || field == statxRdev {
		c.b.Setup(unix.SYS_STATX, child.Slot(fd), c.word(""), child.Imm(unix.AT_EMPTY_PATH),
			child.Imm(unix.STATX_INO|unix.STATX_TYPE), child.Ptr(c.buf))
	}
	c.b.Setup(child.OpCompare, child.Ptr(c.buf+field), child.Ptr(c.b.Words(want)), child.Imm(8))
}
