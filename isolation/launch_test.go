package isolation

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// start launches argv under the default policy with no acts.
func start(t *testing.T, argv ...string) int {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "sovrun-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return startIn(t, dir, argv...)
}

// withStdin makes a file this process's standard input for the rest of the test.
func withStdin(t *testing.T, f *os.File) {
	t.Helper()
	saved, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Dup3(int(f.Fd()), 0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.Dup3(saved, 0, 0)
		unix.Close(saved)
	})
}

// startIn is start in a workspace of the caller's.
func startIn(t *testing.T, dir string, argv ...string) int {
	t.Helper()
	code, err := startWith(t, policy.Policy{Workspace: dir}, argv...)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// startWith is start under a policy, with the error of a launch that is not begun.
func startWith(t *testing.T, pol policy.Policy, argv ...string) (code int, err error) {
	t.Helper()
	runtime.LockOSThread()
	host := Detect(pol, CallerFacts(argv))
	plan, err := policy.Resolve(pol, host.Facts)
	if err != nil {
		return 0, err
	}
	l, err := Begin(plan.Namespaces)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	l.Builder().P.Execute = true
	if err := l.Prepare(&plan, &host); err != nil {
		l.Abandon()
		return 0, err
	}
	if err := l.Start(l.Builder().Vector(plan.Env)); err != nil {
		l.Abandon()
		return 0, err
	}
	for {
		ev, err := l.Next(-1)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if m := ev.Message; m.Failure != nil {
			t.Errorf("op %d: %v", m.Failure.Index, Explain(l.Program(), m.Failure))
		}
	}
	ws, err := l.Wait()
	return ws.ExitStatus(), err
}

// TestLaunchRunsTheCommand twice: the first makes this process non-dumpable.
func TestLaunchRunsTheCommand(t *testing.T) {
	for _, want := range []int{42, 43} {
		if code := start(t, "/bin/sh", "-c", "exit "+strconv.Itoa(want)); code != want {
			t.Fatalf("exit status %d, wanted %d", code, want)
		}
		if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || dumpable != 0 {
			t.Errorf("the launcher is dumpable (%d, %v) while the command runs", dumpable, err)
		}
	}
}

// TestLaunchersTableStaysSmall: a table that several threads share grows at the price
// of an RCU grace period, three times what a launch may cost.
func TestLaunchersTableStaysSmall(t *testing.T) {
	size := func() string {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "FDSize:")
		line, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(line)
	}
	before := size()
	if code := start(t, "/bin/true"); code != 0 {
		t.Fatalf("exit status %d", code)
	}
	if now := size(); now != before {
		t.Errorf("room for %s descriptors, %s before the launch", now, before)
	}
}

// TestSignalsReachTheCommand: they are blocked until it is executed, and not after.
func TestSignalsReachTheCommand(t *testing.T) {
	if code := start(t, "/bin/sh", "-c", `grep -q "^SigBlk:[[:space:]]*0*$" /proc/self/status && kill -TERM $$`); code != 128+15 {
		t.Errorf("exit status %d, wanted that of SIGTERM", code)
	}
}

// TestStoppedControlHoldsNothingUp: it has the uid of the user that root hands over
// to, who may stop it. No plane stands then, and the launch ends.
func TestStoppedControlHoldsNothingUp(t *testing.T) {
	ended := make(chan error, 1)
	go func() { ended <- launchWithStoppedControl(t.TempDir()) }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(60 * time.Second):
		t.Error("the launch goes on for ever")
	}
}

func launchWithStoppedControl(dir string) error {
	runtime.LockOSThread()
	pol := policy.Policy{Workspace: dir}
	host := Detect(pol, CallerFacts([]string{"/bin/true"}))
	plan, err := policy.Resolve(pol, host.Facts)
	if err != nil {
		return err
	}
	l, err := Begin(plan.Namespaces)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.Prepare(&plan, &host); err != nil {
		return err
	}
	b := l.Builder()
	b.P.Minimum[0] = 1
	b.AddAct(child.Act{Planes: 1, Kind: child.Working}, func(b *child.Builder) { b.Decide(unix.SYS_GETPID) }, func(b *child.Builder) {
		b.Try(unix.SYS_GETPID).Save = child.ActSlot(0)
		b.Decide(unix.SYS_KILL, child.Slot(child.ActSlot(0)), child.Imm(int(unix.SIGSTOP)))
	})
	if err := l.Start(b.Vector(plan.Env)); err != nil {
		return err
	}
	for {
		ev, err := l.Next(-1)
		switch v := ev.Message.Verdict; {
		case errors.Is(err, io.EOF):
			_, err := l.Wait()
			return err
		case err != nil:
			return err
		case v != nil && v.Standing != 0:
			return fmt.Errorf("planes %b stand without a control", v.Standing)
		}
	}
}
