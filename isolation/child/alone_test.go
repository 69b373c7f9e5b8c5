package child

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/sovrun/sovrun/isolation/child/wire"
)

// aloneEnv names the test that a process was started for; "all" lets every test
// run where it is, for a look at the coverage.
const aloneEnv = "SOVRUN_TEST_ALONE"

// deadline is how long one test may take on a busy machine.
const deadline = 60 * time.Second

// alone reports whether this process was started for the calling test; if not, it
// starts one. The processes of a program share the memory of the one that starts
// them: a mistake there hangs or ends it, and that shall not be the test runner.
func alone(t *testing.T) bool {
	t.Helper()
	if v := os.Getenv(aloneEnv); v == t.Name() || v == "all" {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), aloneEnv+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}

// outcome is how a program went.
type outcome struct {
	failure *Failure
	verdict *Verdict
	status  syscall.WaitStatus // of the child
	tasks   *[numTasks]task
}

// builder starts a program that ends with its launcher and has descriptors of its own.
func builder() *Builder {
	b := NewBuilder()
	die := func(list *[]Op) {
		b.Do(list, syscall.SYS_PRCTL, Imm(syscall.PR_SET_PDEATHSIG), Imm(int(syscall.SIGKILL)))
	}
	die(&b.P.Early)
	die(&b.P.Prelude)
	b.Setup(syscall.SYS_UNSHARE, Imm(cloneFiles))
	b.Setup(OpOwnFiles)
	return b
}

// carryOut runs a program to the end of all its processes.
func carryOut(t *testing.T, b *Builder) outcome {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out, err := perform(b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func perform(b *Builder) (out outcome, err error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return out, err
	}
	report := os.NewFile(uintptr(ends[0]), "report")
	defer report.Close()
	b.P.ErrorFD = ends[1]
	l, err := b.P.Begin()
	if err != nil {
		syscall.Close(ends[1])
		return out, err
	}
	err = l.Continue()
	syscall.Close(ends[1])
	return l.follow(report, err)
}

// follow reads the report and reaps the child.
func (l *Launch) follow(report io.Reader, err error) (out outcome, _ error) {
	out.tasks = l.tasks
	for err == nil {
		var m Message
		if m, err = l.program.ReadMessage(report); err == nil {
			out.failure, out.verdict = pick(out.failure, m.Failure), pick(out.verdict, m.Verdict)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if _, e := syscall.Wait4(l.PID, &out.status, waitAll, nil); e != nil {
		return out, e
	}
	syscall.Close(l.PIDFD)
	l.Release()
	return out, err
}

func pick[T any](old, now *T) *T {
	if now != nil {
		return now
	}
	return old
}

// word32 and word64 read the arena.
func (b *Builder) word32(at uint32) uint32 { return binary.NativeEndian.Uint32(b.P.Arena[at:]) }

func (b *Builder) word64(at uint32) uint64 { return binary.NativeEndian.Uint64(b.P.Arena[at:]) }

func ptrOf(h *wire.Header) unsafe.Pointer { return unsafe.Pointer(h) }
