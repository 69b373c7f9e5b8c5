//go:build sovrunfault

package child

import (
	"strconv"
	"strings"
	"syscall"
)

// fault is what a test build was told to break: SOVRUN_FAULT holds words such
// as off=landlock, fail=17:12 (op 17 fails with errno 12) or kill=17 (SIGKILL
// before op 17), separated by spaces.
type fault struct {
	op    uint32
	errno uint32
	kill  bool
	set   bool
}

// Off reports whether a test build was told to leave a mechanism out.
func Off(mechanism string) bool {
	for _, w := range words() {
		if w == "off="+mechanism {
			return true
		}
	}
	return false
}

func words() []string {
	v, _ := syscall.Getenv("SOVRUN_FAULT")
	return strings.Fields(v)
}

//go:nosplit
func (f fault) at(i uint32) (errno uintptr, kill bool) {
	if !f.set || i != f.op {
		return 0, false
	}
	return uintptr(f.errno), f.kill
}

func (f *fault) load() {
	for _, w := range words() {
		key, val, _ := strings.Cut(w, "=")
		op, errno, _ := strings.Cut(val, ":")
		n, err := strconv.ParseUint(op, 10, 32)
		if err != nil || (key != "fail" && key != "kill") {
			continue
		}
		e, _ := strconv.ParseUint(errno, 10, 16)
		*f = fault{op: uint32(n), errno: uint32(e), kill: key == "kill", set: true}
	}
}
