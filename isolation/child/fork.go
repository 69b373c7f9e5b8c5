package child

import (
	"runtime"
	"syscall"
	"unsafe"
)

// The toolchain keeps these three names open for gVisor (runtime/proc.go calls
// them its hall of shame and promises not to remove them): they block signals
// around a fork and reset handlers in the child.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

//go:noescape
func cloneTask(flags, stack, arg uintptr) (pid, errno uintptr)

//go:noescape
func int80(nr, a, b, c uintptr) uintptr

const (
	clonePidfd = 0x1000     // CLONE_PIDFD, Linux 5.2
	cloneVM    = 0x100      // CLONE_VM
	waitAll    = 0x40000000 // __WALL
	stackSize  = 16 << 10
)

// scratch holds the message header, init's siginfo and wait status.
const scratchSize = 256

// Launch is a started program: the pids are the host's.
type Launch struct {
	PID     int
	PIDFD   int
	program *Program
	root    *task // the child's
	session *task // the session copy's
	outside *task // the control's
	control uintptr
}

// newTask makes the state of one process; it must outlive the process where that
// shares our memory, so Launch keeps it.
func newTask(p *Program, base uintptr) *task {
	return &task{
		base: base, program: uintptr(unsafe.Pointer(p)), report: uintptr(p.ErrorFD),
		obs: base + uintptr(p.obs), ctl: base + uintptr(p.ctl),
	}
}

// Start clones the child and the control. controlFD is the write end of the
// controls' pipe. The calling goroutine must be locked to its thread, and the
// thread must live as long as the sandbox shall: the parent-death signal follows
// the thread (prctl(2), PR_SET_PDEATHSIG).
func (p *Program) Start(controlFD int) (*Launch, error) {
	p.fault.load()
	l := &Launch{program: p, PIDFD: -1}
	base := p.reserve()
	l.root, l.session, l.outside = newTask(p, base), newTask(p, base), newTask(p, base)
	l.root.session = uintptr(unsafe.Pointer(l.session))
	l.outside.control, l.outside.report = true, uintptr(controlFD)
	l.outside.ctl = base + uintptr(p.outbox)
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	if e := l.startControl(); e != 0 {
		return nil, &StartError{"control", syscall.Errno(e)}
	}
	var pidfd int32 = -1
	pid, e := forkChild(p.CloneFlags|clonePidfd|uintptr(syscall.SIGCHLD), &pidfd, l.root)
	if e != 0 {
		l.reap()
		return nil, &StartError{"child", e}
	}
	l.PID, l.PIDFD = int(pid), int(pidfd)
	return l, nil
}

// StartError is a clone(2) that failed. ENOSPC: a limit of user.max_*_namespaces;
// EPERM: user namespaces are forbidden here (user_namespaces(7), clone(2)).
type StartError struct {
	What  string
	Errno syscall.Errno
}

// Error names process and errno.
func (e *StartError) Error() string { return "clone " + e.What + ": " + e.Errno.Error() }

// Unwrap gives the errno.
func (e *StartError) Unwrap() error { return e.Errno }

// reserve completes the arena with what depends on the number of acts, and links it.
func (p *Program) reserve() uintptr {
	b := Builder{P: p}
	for _, at := range []*uint32{&p.obs, &p.ctl, &p.inbox, &p.outbox} {
		*at = b.Alloc(len(p.Acts)*observationSize, 8)
	}
	for i := range p.stacks {
		p.stacks[i] = b.Alloc(stackSize, 16)
	}
	return p.link()
}

// startControl starts the process that runs the controls. It shares our memory:
// a copy would cost more than all of its work. It keeps every signal blocked, as
// beforeFork left them, so that no handler of the runtime's runs in it.
func (l *Launch) startControl() uintptr {
	stack := l.outside.base + uintptr(l.program.stacks[1]) + stackSize
	beforeFork()
	pid, e := cloneTask(cloneVM|uintptr(syscall.SIGCHLD), stack, uintptr(unsafe.Pointer(l.outside)))
	afterFork()
	l.control = pid
	return e
}

// reap waits for the control, which never blocks, and keeps its memory until then.
func (l *Launch) reap() {
	if l.control != 0 {
		syscall.RawSyscall6(syscall.SYS_WAIT4, l.control, 0, waitAll, 0, 0, 0)
		l.control = 0
	}
	runtime.KeepAlive(l.outside)
	runtime.KeepAlive(l.program)
}

// ReapControl waits for the control, which never blocks.
func (l *Launch) ReapControl() { l.reap() }

// Release waits for the control and lets go of the program's memory.
func (l *Launch) Release() {
	l.reap()
	runtime.KeepAlive(l.root)
	runtime.KeepAlive(l.session)
}

// forkChild is clone(2) as a copy; the child does not come back from it.
//
//go:norace
//go:noinline
//go:nocheckptr
func forkChild(flags uintptr, pidfd *int32, t *task) (uintptr, syscall.Errno) {
	beforeFork()
	pid, _, e := rawClone(flags, pidfd)
	if e != 0 || pid != 0 {
		afterFork()
		return pid, e
	}
	afterForkInChild()
	t.childMain()
	return 0, 0
}
