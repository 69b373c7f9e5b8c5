package isolation

import (
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// streams replaces descriptors 0 to 2 that refer to a regular file opened for
// reading: through /proc/self/fd/0 such a file opens for writing, and fchmod(2)
// works on it, whatever the mounts inside say, since the descriptor sits on the
// host's mount. The new one sits on a detached read-only mount of its own; where
// no name leads to the file it is the end of a pipe, see feed. For uid 0, whose
// device nodes they are, /dev/null and the like are opened again in the same way.
func (c *compiler) streams() {
	for n, s := range c.p.Streams {
		switch s.Class {
		case policy.StreamNull:
			if c.p.Identity.KeepsRoot {
				c.reopenDevice(n, s)
			}
		case policy.StreamReopen:
			c.reopen(n, s)
		case policy.StreamFeed:
			c.b.At(child.StageSources, "descriptor "+strconv.Itoa(n))
			c.b.Setup(unix.SYS_DUP3, child.Imm(c.in.Feeds[n]), child.Imm(n), child.Imm(0))
		}
	}
}

func (c *compiler) reopen(n int, s policy.Stream) {
	c.b.At(child.StageSources, s.Path)
	tree := c.openTree(cwd(), c.path(s.Path), unix.AT_SYMLINK_NOFOLLOW)
	c.compare(tree, statxIno, s.Inode)
	c.compare(tree, statxDev, uint64(s.Major)|uint64(s.Minor)<<32)
	c.attr(tree, attrReadOnly|unix.MOUNT_ATTR_NOEXEC, false)
	opened := c.openAs(n, tree, unix.O_RDONLY)
	c.b.Setup(unix.SYS_LSEEK, child.Slot(opened), child.Imm(uint64(c.in.Offsets[n])), child.Imm(0)) // SEEK_SET
	c.b.Setup(unix.SYS_DUP3, child.Slot(opened), child.Imm(n), child.Imm(0))
}

func (c *compiler) reopenDevice(n int, s policy.Stream) {
	for i, d := range deviceNodes() {
		if d.name != s.Device || i >= len(c.devs) {
			continue
		}
		c.b.At(child.StageSources, "/dev/"+d.name)
		c.attr(c.devs[i], unix.MOUNT_ATTR_RDONLY, false)
		opened := c.openAs(n, c.devs[i], s.Flags&unix.O_ACCMODE)
		c.b.Setup(unix.SYS_DUP3, child.Slot(opened), child.Imm(n), child.Imm(0))
	}
}

// openAs opens a detached tree. Its descriptor is an O_PATH one; put in the place
// of stream n, it has a name that can be opened.
func (c *compiler) openAs(n int, tree int16, flags int) int16 {
	c.b.Setup(unix.SYS_DUP3, child.Slot(tree), child.Imm(n), child.Imm(0))
	name := c.path("/proc/self/fd/" + string(rune('0'+n)))
	return c.b.Open(unix.SYS_OPENAT, cwd(), name, child.Imm(flags|unix.O_CLOEXEC))
}
