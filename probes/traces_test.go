package probes

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sovrun/sovrun/isolation"
	"github.com/sovrun/sovrun/policy"
)

// TestActsLeaveNothingOutside compares the launcher, its workspace and the host
// before and after launches.
func TestActsLeaveNothingOutside(t *testing.T) {
	dir := workspace(t)
	launch(t, policy.Policy{Workspace: dir}) // what the first launch opens for good is no trace
	before := traces(t, dir)
	for range 3 {
		launch(t, policy.Policy{Workspace: dir})
	}
	if after := traces(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// traces are all the places that an act could have left something in.
func traces(t *testing.T, dir string) string {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	lines := []string{
		"workspace holds " + strings.Join(list(t, dir), " ") + " since " + strconv.FormatInt(st.Mtim.Nano(), 10),
		"in /tmp " + strings.Join(named(list(t, "/tmp"), ".sovrun"), " "),
		"open descriptors " + strconv.Itoa(len(list(t, "/proc/self/fd"))),
		"shared memory here " + strings.Join(named(strings.Split(read(t, "/proc/self/maps"), "\n"), "SYSV"), " "),
		"processes " + err.Error(),
		"limits " + strings.Join(named(strings.Split(read(t, "/proc/self/limits"), "\n"), "Max open files"), " "),
		"personality " + read(t, "/proc/self/personality"),
	}
	return strings.Join(lines, "\n")
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func named(l []string, part string) (out []string) {
	for _, s := range l {
		if strings.Contains(s, part) {
			out = append(out, s)
		}
	}
	return out
}

// undone is a provider that looks for what acts did to the process that it was:
// limits lowered and set again, a signal that came with EFBIG, another execution
// domain, descriptors, shared memory.
const undone = `
grep -q '^Max open files *512 *512 ' /proc/self/limits || exit 11
grep -q '^Max file size *1073741824 *1073741824 ' /proc/self/limits || exit 12
test "$1" = 0 || grep -q '^Max processes *16384 *16384 ' /proc/self/limits || exit 13
grep -q '^SigPnd:.0*$' /proc/self/status && grep -q '^ShdPnd:.0*$' /proc/self/status || exit 14
grep -q '^SigBlk:.0*$' /proc/self/status || exit 15
test "$(cat /proc/self/personality)" = 00000000 || exit 16
test "$(ls /proc/self/fd | tr '\n' ' ')" = '0 1 2 3 ' || exit 17
test "$(wc -l < /proc/sysvipc/shm)" = 1 || exit 18
test -z "$(ls -A)" || exit 19
exit 7
`

// TestActsLeaveNothingInside executes a provider after the acts.
func TestActsLeaveNothingInside(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pol := policy.Policy{Workspace: workspace(t), Require: policy.AllPlanes, Limits: someLimits(os.Getuid())}
	l, err := isolation.Begin(policy.NamespacesOf(pol))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// What executes something makes the launcher non-dumpable, and then this
	// process could not start another as a user.
	defer syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 1, 0)
	l.Builder().P.Execute = true
	out, err := prepareFor(l, pol, "/bin/sh", "-c", undone, "sh", strconv.Itoa(os.Getuid()))
	if err != nil {
		l.Abandon()
		t.Fatal(err)
	}
	status, err := exitOf(l)
	if err != nil {
		l.Abandon()
		t.Fatal(err)
	}
	if _, err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	if status.ExitStatus() != 7 {
		t.Errorf("status %#x, wanted exit 7 (argv %q)", status, out.plan.Command.Argv)
	}
}

func exitOf(l *isolation.Launch) (ws syscall.WaitStatus, err error) {
	ws = 0xff00
	for {
		ev, err := l.Next(patience)
		switch {
		case errors.Is(err, io.EOF):
			return ws, nil
		case err != nil:
			return 0, err
		case ev.Late:
			return 0, errors.New("no word of the sandbox for " + patience.String())
		case ev.Message.Failure != nil:
			return 0, isolation.Explain(l.Program(), ev.Message.Failure)
		case ev.Message.Exit != nil:
			ws = *ev.Message.Exit
		}
	}
}
