package child

import (
	"syscall"
	"unsafe"

	"github.com/sovrun/sovrun/isolation/child/wire"
)

// ExitSetup is the exit status of a process that reported a failure.
const ExitSetup = 125

// send reports whether the launcher, which has the other end, is still there.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) send(kind, a, b uint32, value int64) bool {
	h := wire.Header{Kind: kind, A: a, B: b, Value: value}
	_, e := call(syscall.SYS_WRITE, uintptr(t.prog().ErrorFD), uintptr(unsafe.Pointer(&h)), wire.HeaderSize, 0)
	return e == 0
}

//go:nosplit
//go:norace
func (t *task) exit(code uintptr) {
	for {
		call(syscall.SYS_EXIT_GROUP, code, 0, 0, 0)
	}
}

// fail reports an op and ends. What is rare is not inlined: its frame would count
// for whatever is called besides it.
//
//go:noinline
//go:nosplit
//go:norace
func (t *task) fail(index uint32, errno, result uintptr) {
	t.send(wire.Failure, index, uint32(errno), int64(result))
	t.exit(ExitSetup)
}

// childMain sets the sandbox up, starts the provider's process, and executes the
// image of pid 1.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) childMain(p *Program) {
	list, n := listAt(p.Early)
	t.run(list, n)
	t.awaitProgram()
	list, n = listAt(p.Setup)
	t.run(list, n)
	next := taskAt(t.next)
	next.inherit(t)
	pid, e := cloneTask(syscall.SYS_CLONE, shareMemory, next.stack, t.next)
	if e != 0 {
		t.fail(t.first, e, 0) // as the first thing that is not done
	}
	decimal(t.base+uintptr(p.pidText), pid)
	t.first += uint32(len(p.Provider) + len(p.Exec))
	list, n = listAt(p.Init)
	t.run(list, n)
}

// decimal writes a number and a terminating NUL.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func decimal(at, n uintptr) {
	var digits [20]byte
	k := 0
	for {
		digits[k] = byte('0' + n%10)
		k++
		if n /= 10; n == 0 {
			break
		}
	}
	for i := range k {
		*(*byte)(pointer(at + uintptr(i))) = digits[k-1-i]
	}
	*(*byte)(pointer(at + uintptr(k))) = 0
}

// providerMain runs the acts and, if the verdict allows it, becomes the provider.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) providerMain(p *Program) {
	controls := t.controls(p) // before the session copy, which has acts that depend on them
	session := t.startSession(p)
	t.acts(p, InProvider)
	list, n := listAt(p.Provider)
	t.run(list, n)
	t.acts(p, AfterInit)
	if session != 0 {
		call(syscall.SYS_WAIT4, session, 0, waitAll, 0)
	}
	standing := uint32(0)
	if controls {
		standing = t.verdict(p)
	}
	if !t.send(wire.Verdict, standing, uint32(len(p.Acts)), 0) || uint32(p.Require)&^standing != 0 {
		t.exit(ExitSetup)
	}
	if !p.Execute {
		t.exit(0)
	}
	list, n = listAt(p.Exec)
	t.run(list, n)
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

//go:nosplit
//go:norace
//go:nocheckptr
func actAt(p *Program, i int) *Act {
	return (*Act)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.Acts)), uintptr(i)*unsafe.Sizeof(Act{})))
}

//go:nosplit
//go:norace
func observationAt(list uintptr, i int) *Observation {
	return (*Observation)(pointer(list + uintptr(i)*wire.ObservationSize))
}

// open reports whether the act that this one depends on had a control that
// succeeded: an int 0x80 on a kernel without that gate would be a signal.
//
//go:nosplit
//go:norace
func (t *task) open(a *Act) bool {
	if a.Gate == 0 {
		return true
	}
	c := observationAt(t.ctl, int(a.Gate)-1)
	return c.State == Done && c.Errno == 0
}

// startSession starts the session copy and returns its pid, 0 where there is
// nothing for it to do.
//
//go:nosplit
//go:norace
func (t *task) startSession(p *Program) uintptr {
	if len(p.Session) == 0 {
		return 0
	}
	next := taskAt(t.next)
	next.inherit(t)
	pid, _ := cloneTask(syscall.SYS_CLONE, shareMemory, next.stack, t.next)
	return pid
}

//go:nosplit
//go:norace
func (t *task) sessionMain(p *Program) {
	if t.soft(p.Session) {
		t.acts(p, InSession)
	}
}

// soft runs a list whose failure only means that what depends on it is not tried.
//
//go:nosplit
//go:norace
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
// nothing, and no plane stands.
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
	*(*uint32)(pointer(t.base + uintptr(p.complete))) = 1
}
