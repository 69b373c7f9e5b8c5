package child

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// ordinary is a program with acts, a copy and a session, as launches have.
func ordinary() *Builder {
	b := controlled()
	refusal(b)
	act(b, func(b *Builder) { cloned(b, 0, FlagCopy); decides(fails(b)) })
	ownSession(b)
	b.AddAct(Act{Where: InSession, Control: InSession}, leadsSession, nil)
	return b
}

// faults counts the page faults of this process and of those that it waited for.
func faults(t *testing.T, do func()) int64 {
	t.Helper()
	count := func() (n int64) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var u syscall.Rusage
			if err := syscall.Getrusage(who, &u); err != nil {
				t.Fatal(err)
			}
			n += u.Minflt + u.Majflt
		}
		return n
	}
	before := count()
	do()
	return count() - before
}

const pageSize = 4096

// dirty writes to every page.
func dirty(b []byte) {
	for i := 0; i < len(b); i += pageSize {
		b[i]++
	}
}

// TestNothingIsCopied: a launch from a process with 300 MB of its own costs no
// more page faults than one from a small process, and leaves no page behind that
// has to be copied before it is written to again. A fork without shared memory
// does; that is the control.
func TestNothingIsCopied(t *testing.T) {
	if !alone(t) {
		return
	}
	const launches, size = 10, 300 << 20
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	some := func() {
		for range launches {
			carryOut(t, ordinary())
		}
	}
	some() // what is faulted in once and for all
	small := faults(t, some)
	heap := make([]byte, size)
	dirty(heap)
	large := faults(t, some)
	if again := faults(t, func() { dirty(heap) }); again > size/pageSize/100 {
		t.Errorf("after the launches %d pages had to be copied", again)
	}
	if large > 2*small+500 {
		t.Errorf("%d launches took %d page faults from a large process, %d from a small one", launches, large, small)
	}
	t.Logf("%d launches: %d page faults from a small process, %d from a large one", launches, small, large)
	plainFork(t)
	if again := faults(t, func() { dirty(heap) }); again < 100 {
		t.Errorf("after a plain fork only %d pages had to be copied: the count shows nothing", again)
	}
}

// plainFork makes a process with a copy of this memory and waits for its end.
func plainFork(t *testing.T) {
	t.Helper()
	b := NewBuilder()
	tasks, stacks := b.P.newTasks()
	copied := &tasks[taskInsideCopy]
	beforeFork()
	pid, e := cloneTask(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), copied.stack, uintptr(unsafe.Pointer(copied)))
	afterFork()
	if e != 0 {
		t.Fatal(syscall.Errno(e))
	}
	if _, err := syscall.Wait4(int(pid), nil, waitAll, nil); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(stacks)
	runtime.KeepAlive(tasks)
}

// TestManyLaunches: 200 of them in one process leave nothing of themselves.
func TestManyLaunches(t *testing.T) {
	if !alone(t) {
		return
	}
	const launches = 200
	runtime.LockOSThread()
	for range 10 {
		carryOut(t, ordinary())
	}
	files, size := openFiles(t), resident(t)
	for range launches {
		if got := carryOut(t, ordinary()); got.verdict == nil || got.failure != nil {
			t.Fatalf("verdict %v, failure %+v", got.verdict, got.failure)
		}
	}
	if now := openFiles(t); now != files {
		t.Errorf("%d descriptors are open, before it were %d", now, files)
	}
	if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG|waitAll, nil); err != syscall.ECHILD {
		t.Errorf("there is still a child: %v", err)
	}
	debug.FreeOSMemory()
	if now := resident(t); now > size+16<<20 {
		t.Errorf("%d bytes are resident, before it were %d", now, size)
	}
}

// openFiles counts the descriptors of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	names, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// resident is the memory of this process, in bytes (proc(5), statm).
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestHold: a held process keeps its namespace until it is released, and leaves
// nothing.
func TestHold(t *testing.T) {
	if !alone(t) {
		return
	}
	runtime.LockOSThread()
	files := openFiles(t)
	for range 5 {
		h, err := HoldNamespace(syscall.CLONE_NEWUSER)
		if err != nil {
			t.Fatal(err)
		}
		link := "/proc/" + strconv.Itoa(h.PID) + "/ns/user"
		mine, err := os.Readlink("/proc/self/ns/user")
		if err != nil {
			t.Fatal(err)
		}
		if its, err := os.Readlink(link); err != nil || its == mine {
			t.Errorf("its namespace is %q, %v; ours is %q", its, err, mine)
		}
		h.Release()
		if _, err := os.Readlink(link); err == nil {
			t.Error("it is still there")
		}
	}
	if now := openFiles(t); now != files {
		t.Errorf("%d descriptors are open, before it were %d", now, files)
	}
}

// TestHoldWithoutPermission: what cannot be held is an error and leaves nothing.
func TestHoldWithoutPermission(t *testing.T) {
	if !alone(t) {
		return
	}
	runtime.LockOSThread()
	files := openFiles(t)
	if h, err := HoldNamespace(syscall.CLONE_NEWUSER | syscall.CLONE_FS); err == nil { // EINVAL, clone(2)
		h.Release()
		t.Error("it was held")
	}
	if now := openFiles(t); now != files {
		t.Errorf("%d descriptors are open, before it were %d", now, files)
	}
}

// TestDecimal is how pid 1 learns whom it waits for.
func TestDecimal(t *testing.T) {
	for _, n := range []uintptr{0, 1, 9, 10, 4194304, 1<<32 - 1, ^uintptr(0)} {
		var b [24]byte
		b[23] = 'x'
		decimal(uintptr(unsafe.Pointer(&b)), n)
		if want := strconv.FormatUint(uint64(n), 10) + "\x00"; string(b[:len(want)]) != want || b[23] != 'x' {
			t.Errorf("%d is %q", n, b)
		}
	}
}

// TestHeldEndsWithItsLauncher: when nobody is left who could release it, it does
// not wait on, even if the launcher died before it had asked for a signal.
func TestHeldEndsWithItsLauncher(t *testing.T) {
	if !alone(t) {
		return
	}
	runtime.LockOSThread()
	h, err := HoldNamespace(syscall.CLONE_NEWUSER)
	if err != nil {
		t.Fatal(err)
	}
	syscall.Close(h.release)
	if _, err := syscall.Wait4(h.PID, nil, waitAll, nil); err != nil { // the deadline of this process ends it otherwise
		t.Error(err)
	}
}
