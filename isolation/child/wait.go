package child

import (
	"syscall"
	"unsafe"
)

// patience is how long one process waits for another, in seconds. The controls
// run beside the set-up and are normally over for long.
const patience = 2

// timespec is struct timespec.
type timespec struct{ sec, nsec int64 }

// awaitZero waits until the kernel has cleared a word, which it does when the
// process that gave it to set_tid_address(2) executes something or ends, and
// wakes whoever waits on it (futex(2)). It reports whether that came in time.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) awaitZero(word uint32) bool {
	at := t.base + uintptr(word)
	limit := timespec{sec: patience}
	for {
		v := load((*uint32)(pointer(at)))
		if v == 0 {
			return true
		}
		// FUTEX_WAIT, not private: the kernel wakes the shared key.
		_, e := call(syscall.SYS_FUTEX, at, futexWait, uintptr(v), uintptr(unsafe.Pointer(&limit)))
		if syscall.Errno(e) == syscall.ETIMEDOUT {
			return load((*uint32)(pointer(at))) == 0
		}
	}
}

// awaitInit waits until pid 1 shares memory with nobody any more.
//
//go:noinline
//go:nosplit
//go:norace
func (t *task) awaitInit(index uint32) {
	if !t.awaitZero(t.prog().initAlive) {
		t.fail(index, uintptr(syscall.ETIMEDOUT), 0)
	}
}

// ownFiles tells the launcher that the child's descriptors are its own.
//
//go:noinline
//go:nosplit
//go:norace
func (t *task) ownFiles() {
	store(&t.shares, 0)
	wake(&t.shares)
}

// controls waits for the control process and reports whether it got to its end.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) controls(p *Program) bool {
	return t.awaitZero(p.controlAlive) && *(*uint32)(pointer(t.base + uintptr(p.complete))) == 1
}

// Operations of futex(2), on words that more than one process waits on.
const (
	futexWait = 0
	futexWake = 1
)

// awaitProgram waits until the launcher has a program. The parent-death signal ends
// a wait that nobody would end any more, but not where the launcher was killed
// before the child had asked for that signal: so the child looks as well.
//
//go:nosplit
//go:norace
func (t *task) awaitProgram() {
	for load(&t.hold) != 0 {
		limit := timespec{sec: 1}
		_, e := call(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&t.hold)), futexWait, 1, uintptr(unsafe.Pointer(&limit)))
		if syscall.Errno(e) == syscall.ETIMEDOUT && t.orphaned() {
			t.exit(ExitSetup)
		}
	}
}

// orphaned reports whether the launcher has ended: its pidfd can be read then
// (pidfd_open(2)). getppid(2) is 0 in a new pid namespace whether it lives or not.
//
//go:noinline
//go:nosplit
//go:norace
func (t *task) orphaned() bool {
	poll := struct {
		fd              int32
		events, revents int16
	}{fd: int32(t.launcher), events: 1} // POLLIN
	var now timespec
	n, e := call(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&now)), 0)
	return e == 0 && n == 1
}

// wake wakes whoever waits on a word.
//
//go:nosplit
//go:norace
func wake(word *uint32) {
	call(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1, 0)
}

// sleepOn waits for a word to change from value, or for 10 ms.
func sleepOn(word *uint32, value uintptr) {
	limit := timespec{nsec: 10_000_000}
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, value, uintptr(unsafe.Pointer(&limit)), 0, 0)
}
