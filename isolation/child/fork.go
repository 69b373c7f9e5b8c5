package child

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/sovrun/sovrun/isolation/child/wire"
)

// The toolchain keeps these two names open for gVisor (runtime/proc.go calls them
// its hall of shame and promises not to remove them): they block every signal of
// the calling thread around a fork.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

// cloneTask makes nr, which is clone(2) or clone3(2).
//
//go:noescape
func cloneTask(nr, a, b, arg uintptr) (pid, errno uintptr)

// call and call6 are syscall.RawSyscall6 on less of the stack, of which the linker
// grants functions that are marked nosplit little.
//
//go:noescape
func call(nr, a, b, c, d uintptr) (r, errno uintptr)

//go:noescape
func call6(nr uintptr, args *[6]uintptr) (r, errno uintptr)

// load and store are those of sync/atomic, in order with what comes after and before
// them. With the race detector those call into it, on a stack that is the launcher's.
//
//go:noescape
func load(word *uint32) uint32

//go:noescape
func store(word *uint32, v uint32)

//go:noescape
func int80(nr, a, b, c uintptr) uintptr

// Flags of clone(2) and clone3(2).
const (
	cloneFiles        = 0x400
	cloneVM           = 0x100
	clonePidfd        = 0x1000      // Linux 5.2
	sysPidfdOpen      = 434         // Linux 5.3, the same number everywhere
	sysClone3         = 435         // Linux 5.3, likewise
	cloneClearSighand = 0x100000000 // Linux 5.5: no handler of the runtime's is left
	waitAll           = 0x40000000  // __WALL
	shareMemory       = cloneVM | uintptr(syscall.SIGCHLD)
)

// cloneArgs is struct clone_args of clone3(2) in its first version, Linux 5.3.
type cloneArgs struct {
	flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls uint64
}

// Launch is a program that is being carried out: the pids are the host's.
type Launch struct {
	PID     int
	PIDFD   int
	program *Program
	tasks   *[numTasks]task
	stacks  []byte
	control uintptr
	self    int // pidfd of the launcher, until the child has descriptors of its own
	// What the kernel reads and writes by address lies here and not on the stack of
	// a goroutine, which may move between taking the address and the call.
	args  cloneArgs
	pidfd int32
}

// Begin clones the child before there is a program for it. It shares the
// launcher's memory and descriptors, makes namespaces of its own by Early, and
// waits for Continue: what the kernel needs for that is spent beside what the
// launcher still has to find out. The calling thread must live as long as the
// sandbox shall: the parent-death signal follows it (prctl(2), PR_SET_PDEATHSIG). The
// runtime ends none but with a goroutine that is locked to it.
func (p *Program) Begin() (*Launch, error) {
	p.fault.load()
	l := &Launch{program: p, PIDFD: -1}
	l.tasks, l.stacks = p.newTasks()
	self, _, e := syscall.RawSyscall(sysPidfdOpen, uintptr(syscall.Getpid()), 0, 0)
	if e != 0 {
		return nil, &StartError{"a descriptor of the launcher", e}
	}
	l.self = int(self)
	l.tasks[taskChild].launcher = self
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	if e := l.startChild(); e != 0 {
		syscall.Close(l.self)
		return nil, &StartError{"child", syscall.Errno(e)}
	}
	return l, nil
}

// Continue starts the control and lets the child run the program, which is
// complete by now. When it returns, the child has descriptors of its own.
func (l *Launch) Continue() error {
	base := l.program.reserve()
	l.program.place(l.tasks, base)
	if e := l.startControl(); e != 0 {
		return &StartError{"control", syscall.Errno(e)}
	}
	t := &l.tasks[taskChild]
	atomic.StoreUint32(&t.hold, 0)
	wake(&t.hold)
	for atomic.LoadUint32(&t.shares) != 0 {
		sleepOn(&t.shares, 1)
		if l.dead() {
			break // the report says why, or its end does
		}
	}
	syscall.Close(l.self)
	l.self = -1
	return nil
}

// dead reports whether the child has ended, without reaping it.
func (l *Launch) dead() bool {
	var info [128]byte
	const exited, peek = 4, 0x1000000 // WEXITED, WNOWAIT
	_, _, e := syscall.RawSyscall6(syscall.SYS_WAITID, 1, uintptr(l.PID), uintptr(unsafe.Pointer(&info)), exited|peek|syscall.WNOHANG|waitAll, 0, 0)
	return e == 0 && *(*int32)(unsafe.Pointer(&info)) != 0
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
	for _, at := range []*uint32{&p.obs, &p.ctl} {
		*at = b.Alloc(len(p.Acts)*wire.ObservationSize, 8)
	}
	return p.link()
}

func (l *Launch) startChild() uintptr {
	t := &l.tasks[taskChild]
	l.pidfd = -1
	l.args = cloneArgs{
		flags: uint64(l.program.CloneFlags) | cloneVM | cloneFiles | clonePidfd | cloneClearSighand,
		pidfd: uint64(uintptr(unsafe.Pointer(&l.pidfd))), exitSignal: uint64(syscall.SIGCHLD),
		stack: uint64(t.stack - stackSize), stackSize: stackSize,
	}
	beforeFork()
	pid, e := cloneTask(sysClone3, uintptr(unsafe.Pointer(&l.args)), unsafe.Sizeof(l.args), uintptr(unsafe.Pointer(t)))
	afterFork()
	l.PID, l.PIDFD = int(pid), int(l.pidfd)
	return e
}

// startControl starts the process that runs the controls. It keeps every signal
// blocked, as beforeFork left them, so that no handler of the runtime's runs in it.
func (l *Launch) startControl() uintptr {
	p := l.program
	if len(p.Acts) == 0 { // nothing to control, nothing to wait for
		b := Builder{P: p}
		b.Put32(p.controlAlive, 0)
		b.Put32(p.complete, 1)
		return 0
	}
	t := &l.tasks[taskControl]
	beforeFork()
	pid, e := cloneTask(syscall.SYS_CLONE, shareMemory, t.stack, uintptr(unsafe.Pointer(t)))
	afterFork()
	l.control = pid
	return e
}

// ReapControl ends the control and waits for it. By itself it never blocks for long,
// but it may have the uid that root hands over to, and be stopped by that user.
func (l *Launch) ReapControl() {
	if l.control != 0 {
		syscall.RawSyscall(syscall.SYS_KILL, l.control, uintptr(syscall.SIGKILL), 0)
		syscall.RawSyscall6(syscall.SYS_WAIT4, l.control, 0, waitAll, 0, 0, 0)
		l.control = 0
	}
}

// Release waits for the control and lets go of the program's memory. It may be
// called only when the child is gone.
func (l *Launch) Release() {
	l.ReapControl()
	if l.self >= 0 {
		syscall.Close(l.self)
		l.self = -1
	}
	runtime.KeepAlive(l.tasks)
	runtime.KeepAlive(l.stacks)
	runtime.KeepAlive(l.program)
}

// observations decodes what the processes left in the arena.
func (p *Program) observations(at uint32) []Observation {
	return wire.Observations(p.Arena[at:], len(p.Acts))
}
