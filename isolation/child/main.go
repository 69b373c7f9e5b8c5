package child

import (
	"syscall"
	"unsafe"
)

// Messages on the report pipe. Each starts with a header.
const (
	msgFailure = 1 + iota // a: op, b: errno, value: result
	msgVerdict            // a: planes that stand, b: number of acts; observations and controls follow
	msgExit               // a: wait status of the provider
)

// header precedes every message.
type header struct {
	Kind  uint32
	A     uint32
	B     uint32
	_     uint32
	Value int64
}

const headerSize = 24

// ExitSetup is the exit status of a child that reported a failure.
const ExitSetup = 125

//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) send(kind, a, b uint32, value int64) {
	p := (*Program)(pointer(t.program))
	h := (*header)(pointer(t.base + uintptr(p.scratch)))
	h.Kind, h.A, h.B, h.Value = kind, a, b, value
	syscall.RawSyscall(syscall.SYS_WRITE, t.report, uintptr(unsafe.Pointer(h)), headerSize)
}

//go:nosplit
//go:norace
func (t *task) exit(code uintptr) {
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, code, 0, 0)
	}
}

//go:nosplit
//go:norace
func (t *task) fail(index uint32, errno, result uintptr) {
	t.send(msgFailure, index, uint32(errno), int64(result))
	t.exit(ExitSetup)
}

//go:nosplit
//go:norace
func (t *task) blockSignals(which uintptr) {
	p := (*Program)(pointer(t.program))
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 2, t.base+uintptr(p.masks)+8*which, 0, 8, 0, 0)
}

// childMain is the child: set-up, then pid 1.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) childMain() {
	p := (*Program)(pointer(t.program))
	t.blockSignals(0)
	list, n := listAt(p.Setup)
	t.run(list, n)
	pid, _, e := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if e != 0 {
		t.fail(uint32(n-1), uintptr(e), 0)
	}
	if pid == 0 {
		t.providerMain(p)
	}
	t.initMain(p, pid)
}

// providerMain runs the acts and, if the verdict allows it, becomes the provider.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) providerMain(p *Program) {
	list, n := listAt(p.Provider)
	t.run(list, n)
	copied := t.startSession(p)
	t.receiveControls(p)
	t.acts(p, InProvider)
	if copied != 0 {
		syscall.RawSyscall6(syscall.SYS_WAIT4, copied, 0, waitAll, 0, 0, 0)
	}
	standing := t.verdict(p)
	t.sendVerdict(p, standing)
	if uint32(p.Require)&^standing != 0 {
		t.exit(ExitSetup)
	}
	if !p.Execute {
		t.exit(0)
	}
	t.blockSignals(1)
	list, n = listAt(p.Exec)
	t.run(list, n)
	t.exit(ExitSetup)
}

// acts runs those of one place, in order.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) acts(p *Program, where Where) {
	for i := range p.Acts {
		a := actAt(p, i)
		if a.Where == where && t.open(a) {
			t.act(i, false)
		}
	}
}

// open reports whether the act that this one depends on had a control that
// succeeded: an int 0x80 on a kernel without that gate would be a signal.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) open(a *Act) bool {
	if a.Gate == 0 {
		return true
	}
	c := (*Observation)(pointer(t.ctl + uintptr(a.Gate-1)*observationSize))
	return c.State == Done && c.Errno == 0
}

// startSession starts the session copy on a stack of its own in shared memory
// and returns its pid, 0 where there is nothing for it to do.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) startSession(p *Program) uintptr {
	if len(p.Session) == 0 {
		return 0
	}
	stack := t.base + uintptr(p.stacks[0]) + stackSize
	pid, _ := cloneTask(cloneVM|uintptr(syscall.SIGCHLD), stack, t.session)
	return pid
}

// taskEntry is where a process that shares its maker's memory starts.
//
//go:nosplit
//go:norace
//go:nocheckptr
func taskEntry(arg uintptr) {
	t := (*task)(pointer(arg))
	p := (*Program)(pointer(t.program))
	if t.control {
		t.controlMain(p)
	} else if t.soft(p.Session) {
		t.acts(p, InSession)
	}
	t.exit(0)
}

// soft runs a list whose failure only means that what depends on it is not tried.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) soft(ops []Op) bool {
	list, n := listAt(ops)
	for i := range n {
		o := opAt(list, i)
		r, e := t.do(o)
		if e != 0 && int16(e) != o.Accept {
			return false
		}
		t.keep(o, r, e)
	}
	return true
}

// controlMain tries outside what the provider's process tries inside. Without
// its prelude (the provider's identity) it would show nothing, so then it says
// nothing, and the child finds every act inconclusive.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) controlMain(p *Program) {
	if !t.soft(p.Prelude) {
		return
	}
	terminal := t.soft(p.Session)
	for i := range p.Acts {
		a := actAt(p, i)
		if a.Control == InProvider || a.Control == InSession && terminal {
			t.act(i, true)
		}
	}
	syscall.RawSyscall(syscall.SYS_WRITE, t.report, t.ctl, uintptr(len(p.Acts))*observationSize)
}

//go:nosplit
//go:norace
//go:nocheckptr
func actAt(p *Program, i int) *Act {
	return (*Act)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.Acts)), uintptr(i)*unsafe.Sizeof(Act{})))
}
