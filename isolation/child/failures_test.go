package child

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child/wire"
)

// lists are those whose failures are reported, in the order in which they are
// numbered.
var lists = []struct {
	name string
	of   func(*Program) *[]Op
}{
	{"early", func(p *Program) *[]Op { return &p.Early }},
	{"setup", func(p *Program) *[]Op { return &p.Setup }},
	{"provider", func(p *Program) *[]Op { return &p.Provider }},
	{"exec", func(p *Program) *[]Op { return &p.Exec }},
	{"init", func(p *Program) *[]Op { return &p.Init }},
}

// TestFailuresAreFound: whichever list an op belongs to, its number leads back to
// it, with its stage and object.
func TestFailuresAreFound(t *testing.T) {
	if !alone(t) {
		return
	}
	for i, list := range lists {
		t.Run(list.name, func(t *testing.T) {
			b := builder()
			b.P.Execute = true
			for k, l := range lists[2:] { // of different lengths, so that no number fits by chance
				for range k + 1 {
					b.Do(l.of(b.P), syscall.SYS_GETPID)
				}
			}
			b.At(Stage(i+1), list.name)
			b.Do(list.of(b.P), syscall.SYS_CLOSE, Imm(-1))
			index := len(*list.of(b.P)) - 1
			for _, l := range lists[:i] {
				index += len(*l.of(b.P))
			}
			b.Do(list.of(b.P), syscall.SYS_GETPID)
			got := carryOut(t, b)
			wantFailure(t, b, got, Failure{Index: index, Errno: syscall.EBADF}, Stage(i+1), list.name)
		})
	}
}

// TestFailedChildEndsWithItsStatus: what failed exits with the status for it.
func TestFailedChildEndsWithItsStatus(t *testing.T) {
	if !alone(t) {
		return
	}
	b := builder()
	b.Setup(OpFail, Imm(int(syscall.EIO)))
	if got := carryOut(t, b); !got.status.Exited() || got.status.ExitStatus() != ExitSetup {
		t.Errorf("the child ended with %#x, wanted status %d", got.status, ExitSetup)
	}
}

// TestProviderThatCannotBeCloned is told as what it is, and not as a failure of
// the op before.
func TestProviderThatCannotBeCloned(t *testing.T) {
	if !alone(t) {
		return
	}
	b := builder()
	if os.Getuid() == 0 { // whom RLIMIT_NPROC does not bind
		const nobody = 65534
		b.Setup(syscall.SYS_SETRESUID, Imm(nobody), Imm(nobody), Imm(nobody))
	}
	b.At(StageFilter, "last")
	b.Setup(unix.SYS_PRLIMIT64, Imm(0), Imm(unix.RLIMIT_NPROC), Ptr(b.Words(0, 0)), Imm(0))
	index := len(b.P.Early) + len(b.P.Setup)
	b.At(StageInit, "image")
	b.Do(&b.P.Provider, syscall.SYS_GETPID)
	got := carryOut(t, b)
	wantFailure(t, b, got, Failure{Index: index, Errno: syscall.EAGAIN}, StageInit, "image")
}

// TestOwnDescriptors: when Continue returns, the child has descriptors of its own
// and goes on without the launcher's.
func TestOwnDescriptors(t *testing.T) {
	if !alone(t) {
		return
	}
	report, word := pipe(t), pipe(t)
	b := builder()
	b.P.ErrorFD = report[1]
	b.Setup(syscall.SYS_CLOSE, Imm(word[1])) // of its own: ours stays open
	b.Setup(syscall.SYS_READ, Imm(word[0]), Ptr(b.Alloc(8, 8)), Imm(1)).Want = 1
	runtime.LockOSThread()
	l, err := b.P.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Continue(); err != nil {
		t.Fatal(err)
	}
	if l.dead() {
		t.Error("the child is gone, it should wait for a word")
	}
	syscall.Close(report[1])
	syscall.Close(word[0])
	if _, err := syscall.Write(word[1], []byte{1}); err != nil {
		t.Errorf("writing to the child: %v", err)
	}
	got, err := l.follow(os.NewFile(uintptr(report[0]), "report"), nil)
	if err != nil || got.failure != nil || got.verdict == nil {
		t.Errorf("%v, %+v, %+v", err, got.failure, got.verdict)
	}
}

// TestContinueSeesADeadChild: one that ends before it has descriptors of its own
// does not keep the launcher waiting.
func TestContinueSeesADeadChild(t *testing.T) {
	if !alone(t) {
		return
	}
	b := builder()
	b.At(StageClone, "namespaces")
	b.Do(&b.P.Early, OpFail, Imm(int(syscall.ENOSPC)))
	begin := time.Now()
	got := carryOut(t, b)
	wantFailure(t, b, got, Failure{Index: 1, Errno: syscall.ENOSPC}, StageClone, "namespaces")
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}

// TestAwaitInit: the provider's process waits until pid 1 has a memory of its own,
// has ended, or does neither in time.
func TestAwaitInit(t *testing.T) {
	if !alone(t) {
		return
	}
	for _, row := range []struct {
		name string
		init func(b *Builder)
		want syscall.Errno
	}{
		{"pid 1 executes", func(b *Builder) {
			argv := b.Vector([]string{"sh", "-c", "read word <&3"})
			b.Do(&b.P.Init, syscall.SYS_EXECVE, Ptr(b.String("/bin/sh")), Ptr(argv), Ptr(b.Words(0)))
		}, 0},
		{"pid 1 ends", func(*Builder) {}, 0},
		{"pid 1 does nothing", func(b *Builder) {
			b.Do(&b.P.Init, syscall.SYS_NANOSLEEP, Ptr(b.Words(2*patience, 0)), Imm(0))
		}, syscall.ETIMEDOUT},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := builder()
			b.Setup(syscall.SYS_SET_TID_ADDRESS, b.InitAlive())
			b.At(StageInit, row.name)
			b.Do(&b.P.Provider, OpAwaitInit)
			row.init(b)
			index := len(b.P.Early) + len(b.P.Setup)
			got := carryOut(t, b)
			switch {
			case row.want != 0:
				wantFailure(t, b, got, Failure{Index: index, Errno: row.want}, StageInit, row.name)
			case got.failure != nil || got.verdict == nil:
				t.Errorf("failure %+v, verdict %+v", got.failure, got.verdict)
			}
		})
	}
}

// TestReportEnds: a report that a killed child left in its middle is no report.
func TestReportEnds(t *testing.T) {
	p := NewBuilder().P
	p.Acts = make([]Act, 3)
	whole := func(h wire.Header) string {
		return string((*[wire.HeaderSize]byte)(ptrOf(&h))[:])
	}
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", "EOF"},
		{"half a message", whole(wire.Header{Kind: wire.Exit})[:wire.HeaderSize/2], wire.ErrShort.Error()},
		{"an unknown message", whole(wire.Header{Kind: 9}), "unknown message 9"},
		{"a verdict about other acts", whole(wire.Header{Kind: wire.Verdict, B: 2}), "judged 2 acts, wanted 3"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := p.ReadMessage(strings.NewReader(row.text))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, wanted %q", err, row.want)
			}
		})
	}
}

// TestStartErrorNamesItsErrno is what explanations are found by.
func TestStartErrorNamesItsErrno(t *testing.T) {
	var err error = &StartError{"child", syscall.ENOSPC}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "clone child: no space") {
		t.Errorf("%v", err)
	}
}
