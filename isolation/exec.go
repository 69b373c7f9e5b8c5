package isolation

import (
	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
)

// descriptors closes everything but 0 to 2 and the two pipes. They are closed for
// good, not marked: the acts try whether they are.
func (c *compiler) descriptors() {
	c.b.At(child.StageDescriptors, "")
	c.b.PassMark(child.MarkDescriptors)
	low, high := min(c.in.Report, c.in.Control), max(c.in.Report, c.in.Control)
	if child.Off("closed-descriptors") {
		return
	}
	c.closeRange(3, low-1)
	c.closeRange(low+1, high-1)
	c.closeRange(high+1, 1<<31-1)
}

func (c *compiler) closeRange(first, last int) {
	if first <= last {
		c.b.Setup(unix.SYS_CLOSE_RANGE, child.Imm(first), child.Imm(last), child.Imm(0))
	}
}

// sizeofSockFilter is the size of struct sock_filter, seccomp(2).
const sizeofSockFilter = 8

// filter loads the syscall filter. Pid 1 is as confined as the provider.
func (c *compiler) filter() {
	c.b.At(child.StageFilter, c.p.Filter)
	c.b.PassMark(child.MarkFilter)
	if child.Off("filter") {
		return
	}
	code := c.b.Bytes(c.in.Filter, 8)
	prog := c.b.Words(uint64(len(c.in.Filter)/sizeofSockFilter), 0)
	c.b.Relocate(prog+8, code)
	c.b.Setup(unix.SYS_SECCOMP, child.Imm(unix.SECCOMP_SET_MODE_FILTER), child.Imm(0), child.Ptr(prog))
}

// provider is what the fork does around the acts. It is dumpable while it acts:
// a process that is not is refused its own /proc and would prove nothing.
func (c *compiler) provider() {
	c.b.At(child.StageProbe, "")
	c.b.Do(&c.b.P.Provider, unix.SYS_PRCTL, child.Imm(unix.PR_SET_DUMPABLE), child.Imm(1))
	if c.p.Command.Path == "" {
		return
	}
	c.b.At(child.StageExec, c.p.Command.Path)
	c.b.Do(&c.b.P.Exec, unix.SYS_EXECVE, c.path(c.p.Command.Path), child.Ptr(c.b.Vector(c.p.Command.Argv)), child.Ptr(c.env))
}
