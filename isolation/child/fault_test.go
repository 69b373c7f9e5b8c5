//go:build sovrunfault

package child

import (
	"fmt"
	"syscall"
	"testing"
)

// TestFaults: a test build breaks the op that it was told to, and nothing before.
func TestFaults(t *testing.T) {
	if !alone(t) {
		return
	}
	const told = 4 // the early one and three of the set-up come before
	for _, row := range []struct {
		fault string
		fails syscall.Errno
		kills bool
	}{
		{"", 0, false},
		{fmt.Sprintf("fail=%d:%d", told, syscall.EXDEV), syscall.EXDEV, false},
		{fmt.Sprintf("kill=%d", told), 0, true},
		{fmt.Sprintf("off=landlock fail=%d:%d", told, syscall.EIO), syscall.EIO, false},
		{"fail=x:1", 0, false},
		{"fail=", 0, false},
	} {
		t.Run(row.fault, func(t *testing.T) {
			t.Setenv("SOVRUN_FAULT", row.fault)
			b := builder()
			before, after := b.Alloc(8, 8), b.Alloc(8, 8)
			b.Setup(syscall.SYS_GETPID).Store = before
			b.Setup(syscall.SYS_GETPID).Store = after
			got := carryOut(t, b)
			if b.word32(before) == 0 || (b.word32(after) != 0) != (row.fails == 0 && !row.kills) {
				t.Errorf("the op before ran: %v, the op itself: %v", b.word32(before) != 0, b.word32(after) != 0)
			}
			if (got.failure != nil) != (row.fails != 0) || row.fails != 0 && (got.failure.Index != told || got.failure.Errno != row.fails) {
				t.Errorf("failure %+v", got.failure)
			}
			if killed := got.status.Signaled() && got.status.Signal() == syscall.SIGKILL; killed != row.kills {
				t.Errorf("the child ended with %#x", got.status)
			}
		})
	}
}

// TestOff: a mechanism is off only if it was named, whole.
func TestOff(t *testing.T) {
	t.Setenv("SOVRUN_FAULT", "off=landlock off=ipc-namespace fail=3:1")
	for name, want := range map[string]bool{"landlock": true, "ipc-namespace": true, "land": false, "": false, "filter": false} {
		if got := Off(name); got != want {
			t.Errorf("%q is off: %v", name, got)
		}
	}
}

// TestMachineKeepsItsRoot: what would pivot the machine's own root is not left out.
func TestMachineKeepsItsRoot(t *testing.T) {
	t.Setenv("SOVRUN_FAULT", "off=mount-namespace")
	if !Off("mount-namespace") {
		t.Error("beside a user namespace of its own it is left out")
	}
	t.Setenv("SOVRUN_FAULT", "off=mount-namespace off=user-namespace")
	defer func() {
		if recover() == nil {
			t.Error("the machine's root would be pivoted")
		}
	}()
	Off("mount-namespace")
}
