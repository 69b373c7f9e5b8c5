package child

import (
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	siKernel = 0x80 // si_code of what the kernel sends, sigaction(2)
	siUser   = 0
	siTkill  = -6
	siQueue  = -1
)

// caught reads what the handler wrote so far.
func caught(t *testing.T, fd int) []Caught {
	t.Helper()
	var all []byte
	for b := make([]byte, 4096); ; {
		n, err := syscall.Read(fd, b)
		if err == syscall.EAGAIN {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b[:n]...)
	}
	if len(all)%CaughtSize != 0 {
		t.Errorf("%d bytes are no whole number of signals", len(all))
	}
	return ReadCaught(all)
}

func signalPipes(t *testing.T) (r, w int) {
	t.Helper()
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC|syscall.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	return ends[0], ends[1]
}

// TestCatch: each signal comes out once, with who sent it and how.
func TestCatch(t *testing.T) {
	if !alone(t) {
		return
	}
	r, w := signalPipes(t)
	if err := Catch(w, []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGTERM}); err != nil {
		t.Fatal(err)
	}
	self := os.Getpid()
	kill := exec.Command("/bin/sh", "-c", "kill -TERM "+strconv.Itoa(self)) // kill is built in
	// A second record of a signal would be found by the row after it, at the latest
	// by the last one.
	for _, row := range []struct {
		name string
		send func() error
		want func() Caught
	}{
		{"kill", func() error { return syscall.Kill(self, syscall.SIGUSR1) },
			func() Caught { return Caught{syscall.SIGUSR1, siUser, int32(self)} }},
		{"tgkill", func() error { return unix.Tgkill(self, self, syscall.SIGUSR2) },
			func() Caught { return Caught{syscall.SIGUSR2, siTkill, int32(self)} }},
		{"sigqueue", func() error { return queue(self, syscall.SIGUSR1) },
			func() Caught { return Caught{syscall.SIGUSR1, siQueue, 7} }},
		{"the kernel", func() error {
			_, err := unix.Setitimer(unix.ITIMER_REAL, unix.Itimerval{Value: unix.Timeval{Usec: 1}})
			return err
		}, func() Caught { return Caught{syscall.SIGALRM, siKernel, 0} }},
		{"another process", kill.Run,
			func() Caught { return Caught{syscall.SIGTERM, siUser, int32(kill.Process.Pid)} }},
		{"kill again", func() error { return syscall.Kill(self, syscall.SIGUSR1) },
			func() Caught { return Caught{syscall.SIGUSR1, siUser, int32(self)} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := row.send(); err != nil {
				t.Fatal(err)
			}
			var got []Caught
			await(t, "a signal", func() bool { got = append(got, caught(t, r)...); return len(got) > 0 })
			if want := []Caught{row.want()}; !slices.Equal(got, want) {
				t.Errorf("%+v, wanted %+v", got, want)
			}
		})
	}
}

// TestCatchAgain: what a process launches next takes the place of what it launched
// before, and no descriptor stays behind.
func TestCatchAgain(t *testing.T) {
	if !alone(t) {
		return
	}
	signals := []syscall.Signal{syscall.SIGUSR1}
	before, w := signalPipes(t)
	if err := Catch(w, signals); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r, w := signalPipes(t)
		if err := Catch(w, signals); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		await(t, "a signal", func() bool { return len(caught(t, r)) > 0 })
		if n, err := syscall.Read(before, make([]byte, 1)); n != 0 || err != nil {
			t.Errorf("%d, %v: the pipe before can still be written to", n, err)
		}
		if err := syscall.Close(before); err != nil {
			t.Fatal(err)
		}
		before = r
	}
}

// queue is sigqueue(3) with a sender that it names itself.
func queue(pid int, s syscall.Signal) error {
	info := [32]int32{int32(s), 0, siQueue, 0, 7} // si_signo, si_errno, si_code, padding, si_pid
	_, _, e := syscall.RawSyscall(syscall.SYS_RT_SIGQUEUEINFO, uintptr(pid), uintptr(s), uintptr(unsafe.Pointer(&info)))
	if e != 0 {
		return e
	}
	return nil
}

// TestIgnoredStaysIgnored: whoever started sovrun under nohup(1) meant it.
func TestIgnoredStaysIgnored(t *testing.T) {
	if !alone(t) {
		return
	}
	signal.Ignore(syscall.SIGHUP)
	r, w := signalPipes(t)
	if err := Catch(w, []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR1}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR1} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	var got []Caught
	await(t, "a signal", func() bool { got = append(got, caught(t, r)...); return len(got) > 0 })
	if len(got) != 1 || got[0].Signal != syscall.SIGUSR1 {
		t.Errorf("%+v", got)
	}
	for name, want := range map[string]bool{"SigIgn": true, "SigCgt": false} {
		if got := statusMask(t, name)>>(syscall.SIGHUP-1)&1 == 1; got != want {
			t.Errorf("SIGHUP in %s: %v", name, got)
		}
	}
}

// statusMask is a signal mask of proc(5), status.
func statusMask(t *testing.T, name string) uint64 {
	t.Helper()
	text, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), name+":\t")
	mask, err := strconv.ParseUint(strings.Fields(rest)[0], 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return mask
}

// TestCatchRefuses what no process can catch.
func TestCatchRefuses(t *testing.T) {
	if !alone(t) {
		return
	}
	_, w := signalPipes(t)
	if err := Catch(w, []syscall.Signal{syscall.SIGKILL}); err == nil {
		t.Error("SIGKILL was taken")
	}
}

// TestStorm: more signals than the pipe holds block nobody, tear no record, and
// those that come after it was emptied arrive.
func TestStorm(t *testing.T) {
	if !alone(t) {
		return
	}
	const many = 20000
	r, w := signalPipes(t)
	if err := Catch(w, []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2}); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, tid := os.Getpid(), unix.Gettid()
	for range many { // to this thread: each is handled before the call returns
		if err := unix.Tgkill(pid, tid, syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
	}
	got := caught(t, r)
	want := Caught{syscall.SIGUSR1, siTkill, int32(pid)}
	if len(got) < 1000 || len(got) >= many {
		t.Errorf("%d of %d signals are in the pipe, wanted what it holds", len(got), many)
	}
	for i, c := range got {
		if c != want {
			t.Fatalf("signal %d is %+v, wanted %+v", i, c, want)
		}
	}
	if err := unix.Tgkill(pid, tid, syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	if got := caught(t, r); len(got) != 1 || got[0].Signal != syscall.SIGUSR2 {
		t.Errorf("after the storm: %+v", got)
	}
}

// TestReadCaughtTakesWholeOnes: what is torn is no signal.
func TestReadCaughtTakesWholeOnes(t *testing.T) {
	one := [3]int32{int32(syscall.SIGINT), siKernel, 0}
	text := (*[CaughtSize]byte)(unsafe.Pointer(&one))[:]
	want := Caught{syscall.SIGINT, siKernel, 0}
	for n := range 4 {
		for torn := range CaughtSize {
			b := slices.Concat(slices.Repeat(text, n), text[:torn])
			if got := ReadCaught(b); len(got) != n || n > 0 && got[n-1] != want {
				t.Errorf("%d whole ones and %d bytes: %+v", n, torn, got)
			}
		}
	}
}
