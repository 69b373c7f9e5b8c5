package child

import (
	"encoding/binary"
	"runtime"
	"syscall"
	"unsafe"
)

// The toolchain keeps these two names open for gVisor (runtime/proc.go calls them
// its hall of shame and promises not to remove them): they block every signal of
// the calling thread around a fork.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:noescape
func cloneTask(flags, stack, arg uintptr) (pid, errno uintptr)

//go:noescape
func clone3Task(args, size, arg uintptr) (pid, errno uintptr)

//go:noescape
func int80(nr, a, b, c uintptr) uintptr

// Flags of clone(2) and clone3(2).
const (
	cloneVM           = 0x100
	clonePidfd        = 0x1000      // Linux 5.2
	cloneClearSighand = 0x100000000 // Linux 5.5: no handler of the runtime's is left
	waitAll           = 0x40000000  // __WALL
	shareMemory       = cloneVM | uintptr(syscall.SIGCHLD)
)

// cloneArgs is struct clone_args of clone3(2) in its first version, Linux 5.3.
type cloneArgs struct {
	flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls uint64
}

// Launch is a started program: the pids are the host's.
type Launch struct {
	PID     int
	PIDFD   int
	program *Program
	tasks   *[numTasks]task
	control uintptr
}

// Start clones the child and the control. The calling goroutine must be locked to
// its thread, and the thread must live as long as the sandbox shall: the
// parent-death signal follows the thread (prctl(2), PR_SET_PDEATHSIG).
func (p *Program) Start() (*Launch, error) {
	p.fault.load()
	base := p.reserve()
	l := &Launch{program: p, PIDFD: -1, tasks: p.newTasks(base)}
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	if e := l.startControl(); e != 0 {
		return nil, &StartError{"control", syscall.Errno(e)}
	}
	if e := l.startChild(); e != 0 {
		l.ReapControl()
		return nil, &StartError{"child", syscall.Errno(e)}
	}
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
	for _, at := range []*uint32{&p.obs, &p.ctl} {
		*at = b.Alloc(len(p.Acts)*observationSize, 8)
	}
	p.stacks = b.Alloc(numTasks*stackSize, 16)
	return p.link()
}

func (l *Launch) startChild() uintptr {
	var pidfd int32 = -1
	t := &l.tasks[taskChild]
	args := cloneArgs{
		flags: uint64(l.program.CloneFlags) | cloneVM | clonePidfd | cloneClearSighand,
		pidfd: uint64(uintptr(unsafe.Pointer(&pidfd))), exitSignal: uint64(syscall.SIGCHLD),
		stack: uint64(t.stack - stackSize), stackSize: stackSize,
	}
	beforeFork()
	pid, e := clone3Task(uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), uintptr(unsafe.Pointer(t)))
	afterFork()
	l.PID, l.PIDFD = int(pid), int(pidfd)
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
	pid, e := cloneTask(shareMemory, t.stack, uintptr(unsafe.Pointer(t)))
	afterFork()
	l.control = pid
	return e
}

// ReapControl waits for the control, which never blocks for long.
func (l *Launch) ReapControl() {
	if l.control != 0 {
		syscall.RawSyscall6(syscall.SYS_WAIT4, l.control, 0, waitAll, 0, 0, 0)
		l.control = 0
	}
}

// Release waits for the control and lets go of the program's memory. It may be
// called only when the child is gone.
func (l *Launch) Release() {
	l.ReapControl()
	runtime.KeepAlive(l.tasks)
	runtime.KeepAlive(l.program)
}

// observations decodes what the processes left in the arena.
func (p *Program) observations(at uint32) []Observation {
	out := make([]Observation, len(p.Acts))
	for i := range out {
		b := p.Arena[int(at)+i*observationSize:]
		out[i] = Observation{
			Value: int64(binary.NativeEndian.Uint64(b)), Errno: int16(binary.NativeEndian.Uint16(b[8:])),
			State: State(b[10]), Op: binary.NativeEndian.Uint32(b[12:]),
		}
	}
	return out
}
