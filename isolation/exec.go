package isolation

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
)

// descriptors closes everything but 0 to 2 and the report pipe. They are closed
// for good, not marked: the acts try whether they are. What the set-up opened goes
// with them; to close it one by one would be a hundred calls.
func (c *compiler) descriptors() {
	c.b.At(child.StageDescriptors, "3 and above")
	c.b.PassMark(child.MarkDescriptors)
	if child.Off("closed-descriptors") {
		return
	}
	c.closeRange(3, c.in.Report-1)
	c.closeRange(c.in.Report+1, 1<<31-1)
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
	bpf := c.in.Filter
	if child.Off("terminal-rules") {
		bpf = allowIoctl() + bpf
	}
	code := c.b.Bytes(bpf, 8)
	prog := c.b.Words(uint64(len(bpf)/sizeofSockFilter), 0)
	c.b.Relocate(prog+8, code)
	c.b.Setup(unix.SYS_SECCOMP, child.Imm(unix.SECCOMP_SET_MODE_FILTER), child.Imm(0), child.Ptr(prog))
}

// allowIoctl is the beginning of a filter that has no rule on ioctl(2), for test
// builds: the number is loaded, and what is ioctl's is allowed.
func allowIoctl() string {
	var b []byte
	for _, f := range []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_IOCTL},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	} {
		b = binary.NativeEndian.AppendUint16(b, f.Code)
		b = binary.NativeEndian.AppendUint32(append(b, f.Jt, f.Jf), f.K)
	}
	return string(b)
}

// initPath is the image of pid 1 in the view. Nobody can read it, so whoever runs
// it is non-dumpable from its first instruction (execve(2), ptrace(2)).
const (
	initPath = "/" + private + "/init"
	initMode = 0o111
	initFD   = 3 // where the image expects the report pipe
)

// initProcess is what pid 1 does when it has started the provider's process. Its
// argument can be read in /proc/1/cmdline and holds no secret.
func (c *compiler) initProcess() {
	c.b.At(child.StageInit, initPath)
	do := func(nr int, args ...child.Arg) { c.b.Do(&c.b.P.Init, nr, args...) }
	if c.in.Report == initFD {
		do(unix.SYS_FCNTL, child.Imm(initFD), child.Imm(unix.F_SETFD), child.Imm(0))
	} else {
		do(unix.SYS_DUP3, child.Imm(c.in.Report), child.Imm(initFD), child.Imm(0))
	}
	argv := c.b.Alloc(32, 8)
	c.b.Relocate(argv, c.b.String("sovrun-init"))
	c.b.RelocateArg(argv+8, c.b.PIDText())
	if child.Off("non-dumpable") {
		c.b.Relocate(argv+16, c.b.String("dumpable"))
	}
	do(unix.SYS_EXECVE, c.path(initPath), child.Ptr(argv), child.Ptr(c.b.Words(0)))
}

// provider is what the provider's process does around the acts. Until it executes
// something it shares the launcher's memory, which must be dumpable while it acts:
// a process that is not is refused its own /proc and would prove nothing. The last
// thing before execve makes the launcher non-dumpable for good.
func (c *compiler) provider() {
	c.b.At(child.StageInit, initPath)
	c.b.Do(&c.b.P.Provider, child.OpAwaitInit)
	if c.p.Command.Path == "" {
		return
	}
	c.b.At(child.StageLauncher, "its memory, no longer dumpable")
	c.b.Do(&c.b.P.Exec, unix.SYS_PRCTL, child.Imm(unix.PR_SET_DUMPABLE), child.Imm(0))
	c.b.Unblock(&c.b.P.Exec)
	c.b.At(child.StageExec, c.p.Command.Path)
	c.b.Do(&c.b.P.Exec, unix.SYS_EXECVE, c.path(c.p.Command.Path), child.Ptr(c.b.Vector(c.p.Command.Argv)), child.Ptr(c.env))
}
