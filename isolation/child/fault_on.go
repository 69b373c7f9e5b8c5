//go:build sovrunfault

package child

import (
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// fault is what a test build was told to break: SOVRUN_FAULT holds words such
// as off=landlock, fail=17:12 (op 17 fails with errno 12), kill=17 (SIGKILL before
// op 17), failact=17:12 and killact=17 (the same with op 17 of the acts, wherever
// that is run), separated by spaces.
type fault struct {
	op    uint32
	errno uint32
	kill  bool
	act   bool
	set   bool
}

// Off reports whether a test build was told to leave a mechanism out. With neither a
// user nor a mount namespace of its own the child of root would pivot the machine's
// root: every process of the host would lose its files. So that is not to be had.
func Off(mechanism string) bool {
	off := slices.Contains(words(), "off="+mechanism)
	if off && mechanism == "mount-namespace" && slices.Contains(words(), "off=user-namespace") {
		panic("child: without a user and a mount namespace this would pivot the root of the machine")
	}
	return off
}

func words() []string {
	v, _ := syscall.Getenv("SOVRUN_FAULT")
	return strings.Fields(v)
}

// inject fails the op or kills the process before it, as the test build was told.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) inject(index uint32) {
	f := &t.prog().fault
	if !f.set || f.act || index != f.op {
		return
	}
	if !f.kill {
		t.fail(index, uintptr(f.errno), 0)
	}
	die()
}

// twist is inject for an op of an act that has been done: its errno is another.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) twist(k int, r, e uintptr) (uintptr, uintptr) {
	f := &t.prog().fault
	if !f.set || !f.act || uint32(k) != f.op {
		return r, e
	}
	if f.kill {
		die()
	}
	return 0, uintptr(f.errno)
}

// die ends the process by SIGKILL. Pid 1 of a namespace does not get its own
// (pid_namespaces(7)); strict mode kills whoever makes another call (seccomp(2),
// SECCOMP_SET_MODE_STRICT), as long as no filter is loaded. After that only pid 1
// is left over, for which the kernel's own SIGSEGV must do.
//
//go:nosplit
//go:norace
func die() {
	call(syscall.SYS_PRCTL, syscall.PR_SET_SECCOMP, 1, 0, 0)
	pid, _ := call(syscall.SYS_GETPID, 0, 0, 0, 0)
	call(syscall.SYS_KILL, pid, uintptr(syscall.SIGKILL), 0, 0)
	*(*byte)(pointer(1)) = 0
}

func (f *fault) load() {
	for _, w := range words() {
		key, val, _ := strings.Cut(w, "=")
		op, errno, _ := strings.Cut(val, ":")
		n, err := strconv.ParseUint(op, 10, 32)
		key, act := strings.CutSuffix(key, "act")
		if err != nil || (key != "fail" && key != "kill") {
			continue
		}
		e, _ := strconv.ParseUint(errno, 10, 16)
		*f = fault{op: uint32(n), errno: uint32(e), kill: key == "kill", act: act, set: true}
	}
}
