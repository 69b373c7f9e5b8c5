package child

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/sovrun/sovrun/isolation/child/wire"
)

// imageLimitBytes is what the image may take: a header and a page of the kernel's
// would be too much for what it does.
const imageLimitBytes = 1024

// TestImageIsAStaticProgram: nothing is loaded but itself, and nothing of it can
// be written and executed both.
func TestImageIsAStaticProgram(t *testing.T) {
	for _, row := range []struct {
		name    string
		image   []byte
		machine elf.Machine
	}{
		{"this machine", InitImage(), elf.Machine(machine())},
		{"amd64", imageOf([]byte{0x0f, 0x0b}, uint16(elf.EM_X86_64)), elf.EM_X86_64},
		{"arm64", imageOf([]byte{0, 0, 0, 0}, uint16(elf.EM_AARCH64)), elf.EM_AARCH64},
	} {
		t.Run(row.name, func(t *testing.T) {
			if len(row.image) > imageLimitBytes {
				t.Errorf("%d bytes, wanted at most %d", len(row.image), imageLimitBytes)
			}
			f, err := elf.NewFile(bytes.NewReader(row.image))
			if err != nil {
				t.Fatal(err)
			}
			if f.Type != elf.ET_EXEC || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Machine != row.machine {
				t.Errorf("%v %v %v %v", f.Type, f.Class, f.Data, f.Machine)
			}
			checkSegments(t, f, uint64(len(row.image)))
		})
	}
}

func checkSegments(t *testing.T, f *elf.File, size uint64) {
	t.Helper()
	entered := false
	for _, p := range f.Progs {
		switch p.Type {
		case elf.PT_LOAD:
			entered = entered || f.Entry >= p.Vaddr && f.Entry < p.Vaddr+p.Filesz
			if p.Off+p.Filesz > size || p.Memsz != p.Filesz || p.Off%p.Align != p.Vaddr%p.Align {
				t.Errorf("a segment that is not in the file: %+v", p.ProgHeader)
			}
		case elf.PT_GNU_STACK:
		default:
			t.Errorf("a segment of type %v", p.Type)
		}
		if p.Flags&elf.PF_W != 0 && p.Flags&elf.PF_X != 0 {
			t.Errorf("a segment that can be written and executed: %+v", p.ProgHeader)
		}
	}
	if !entered || len(f.Progs) != 2 {
		t.Errorf("%d segments, the entry point lies in one: %v", len(f.Progs), entered)
	}
}

// Environment of the processes that play a part in these tests.
const (
	playEnv  = "SOVRUN_TEST_PLAY"  // "init" or a part below
	imageEnv = "SOVRUN_TEST_IMAGE" // the image that pid 1 executes
	partEnv  = "SOVRUN_TEST_PART"  // whom pid 1 starts before
)

// TestMain is where the parts are played.
func TestMain(m *testing.M) {
	switch part := os.Getenv(playEnv); part {
	case "":
		os.Exit(m.Run())
	case "init":
		playInit()
	default:
		playProvider(part)
	}
}

// playInit does what the child does: it starts the provider's process and executes
// the image with every signal blocked and the report pipe as descriptor 3. The
// provider's process waits for that.
func playInit() {
	runtime.LockOSThread()
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	r, w, err := os.Pipe()
	check(err)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{playEnv + "=" + os.Getenv(partEnv)}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdin, os.Stdout, os.Stderr, []*os.File{r}
	check(cmd.Start())
	all := ^uint64(0)
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 2, uintptr(unsafe.Pointer(&all)), 0, 8, 0, 0) // SIG_SETMASK
	err = syscall.Exec(os.Getenv(imageEnv), []string{"sovrun-init", strconv.Itoa(cmd.Process.Pid)}, nil)
	runtime.KeepAlive(w)
	check(err)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
}

// playProvider is the process that pid 1 waits for. Its part is a word and numbers.
func playProvider(part string) {
	_, _ = os.NewFile(3, "pid 1 is executed").Read(make([]byte, 1))
	word, arg, _ := strings.Cut(part, " ")
	n, _ := strconv.Atoi(arg)
	switch word {
	case "exit":
		os.Exit(n)
	case "die":
		dieBy(syscall.Signal(n))
	case "orphans":
		makeOrphans(n)
	case "signals":
		tellSignals()
	case "leave":
		cmd := exec.Command("/bin/sleep", "1000")
		cmd.Stdout = os.Stdout
		check(cmd.Start())
	}
}

func dieBy(s syscall.Signal) {
	signal.Reset(s)
	if s != syscall.SIGKILL { // the runtime catches some for good
		var act sigactiont
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&act)), 0, 8, 0, 0)
	}
	check(syscall.Kill(os.Getpid(), s))
	for {
		_ = syscall.Pause()
	}
}

// makeOrphans makes n processes that end when their parent has ended, on a word.
func makeOrphans(n int) {
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	_, _ = in.ReadString('\n')
	sh := exec.Command("/bin/sh", "-c", "i=0; while [ $i -lt "+strconv.Itoa(n)+" ]; do ( : & ); i=$((i+1)); done")
	check(sh.Run())
	fmt.Println("made")
	_, _ = in.ReadString('\n')
	os.Exit(7)
}

// tellSignals tells each signal that arrives, after it sent one to pid 1 itself,
// and ends with SIGTERM.
func tellSignals() {
	c := make(chan os.Signal, 64)
	signal.Notify(c, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGTERM)
	check(syscall.Kill(1, syscall.SIGUSR2))
	check(syscall.Kill(1, syscall.SIGTERM))
	fmt.Println("ready")
	for s := range c {
		fmt.Println(int(s.(syscall.Signal)))
		if s == syscall.SIGTERM {
			os.Exit(5)
		}
	}
}

// stranger is the user that root's tests become: the owner of what is in /proc
// shows whether a process is dumpable only if that is not root anyway.
const stranger = 54321

// sandboxInit is pid 1 of a pid namespace, and what it is connected to.
type sandboxInit struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	report *os.File
}

// startInit starts the image with a provider's process that plays a part.
func startInit(t *testing.T, part string) *sandboxInit {
	t.Helper()
	dir := publicDir(t)
	image := filepath.Join(dir, "init")
	if err := os.WriteFile(image, InitImage(), 0o755); err != nil {
		t.Fatal(err)
	}
	id := os.Getuid()
	if id == 0 {
		id = stranger
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	one := []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir, cmd.ExtraFiles, cmd.Stderr = dir, []*os.File{w}, os.Stderr
	cmd.Env = []string{playEnv + "=init", imageEnv + "=" + image, partEnv + "=" + part}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID, UidMappings: one,
		GidMappings: []syscall.SysProcIDMap{{ContainerID: id, HostID: os.Getgid(), Size: 1}},
		Credential:  &syscall.Credential{Uid: uint32(id), Gid: uint32(id), NoSetGroups: true},
	}
	s := &sandboxInit{cmd: cmd, report: r}
	if s.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	late := time.AfterFunc(deadline, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop(); _ = cmd.Process.Kill(); _ = cmd.Wait(); r.Close() })
	return s
}

// publicDir is a directory that everybody may search.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "sovrun-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// line reads what the provider's process says.
func (s *sandboxInit) line(t *testing.T) string {
	t.Helper()
	text, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("no further line: %v", err)
	}
	return strings.TrimSpace(text)
}

// end waits for pid 1 and gives its exit code and the wait status that it told.
func (s *sandboxInit) end(t *testing.T) (code int, told syscall.WaitStatus) {
	t.Helper()
	text, err := io.ReadAll(s.report)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	m, err := NewBuilder().P.ReadMessage(bytes.NewReader(text))
	if err != nil || m.Exit == nil || len(text) != wire.HeaderSize {
		t.Fatalf("the report is %d bytes, %x: %+v, %v; pid 1 ended with %v", len(text), text, m, err, s.cmd.ProcessState)
	}
	return s.cmd.ProcessState.ExitCode(), *m.Exit
}

// TestInitEndsLikeTheProvider: its exit code is the shell's word for how the
// provider ended, and the report holds the wait status itself.
func TestInitEndsLikeTheProvider(t *testing.T) {
	for _, code := range []int{0, 1, 42, 125, 127, 128, 255} {
		t.Run("exit "+strconv.Itoa(code), func(t *testing.T) {
			s := startInit(t, "exit "+strconv.Itoa(code))
			if got, told := s.end(t); got != code || !told.Exited() || told.ExitStatus() != code {
				t.Errorf("exit code %d, wait status %#x", got, told)
			}
		})
	}
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGTERM, syscall.SIGSYS} {
		t.Run(sig.String(), func(t *testing.T) {
			s := startInit(t, "die "+strconv.Itoa(int(sig)))
			if got, told := s.end(t); got != 128+int(sig) || !told.Signaled() || told.Signal() != sig {
				t.Errorf("exit code %d, wait status %#x", got, told)
			}
		})
	}
}

// TestInitReapsOrphans: hundreds of them, that end while pid 1 sleeps and all at
// once for it. Stopped, it leaves them; that is the control.
func TestInitReapsOrphans(t *testing.T) {
	const many = 300
	s := startInit(t, "orphans "+strconv.Itoa(many))
	pid := s.cmd.Process.Pid
	s.line(t)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(s.in)
	s.line(t)
	await(t, "the orphans are there", func() bool { return children(pid) == many+1 })
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	await(t, "only the provider's process is left", func() bool { return children(pid) == 1 })
	fmt.Fprintln(s.in)
	if code, _ := s.end(t); code != 7 {
		t.Errorf("exit code %d, wanted 7", code)
	}
}

// children counts the children of a process, zombies among them (proc(5), stat).
func children(pid int) int {
	dirs, _ := filepath.Glob("/proc/[0-9]*/stat")
	n := 0
	for _, d := range dirs {
		text, _ := os.ReadFile(d)
		_, rest, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(pid) {
			n++
		}
	}
	return n
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for limit := time.Now().Add(deadline); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// TestInitPassesSignalsOn: those that come from outside of the pid namespace, and
// none that come from inside, where whoever may signal pid 1 may signal the
// provider as well.
func TestInitPassesSignalsOn(t *testing.T) {
	s := startInit(t, "signals")
	s.line(t)
	for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGHUP, syscall.SIGWINCH, syscall.SIGUSR1, syscall.SIGTERM} {
		if err := s.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if got := s.line(t); got != strconv.Itoa(int(sig)) {
			t.Errorf("signal %s arrived, wanted %d", got, sig)
		}
	}
	if code, told := s.end(t); code != 5 || told.ExitStatus() != 5 {
		t.Errorf("exit code %d, wait status %#x, wanted 5", code, told)
	}
}

// TestNothingOutlivesInit: what the provider left ends with it.
func TestNothingOutlivesInit(t *testing.T) {
	s := startInit(t, "leave")
	if rest, err := io.ReadAll(s.out); err != nil || len(rest) > 0 { // ends when the last holder has ended
		t.Errorf("%q, %v", rest, err)
	}
	if code, _ := s.end(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestInitWithoutReader: a launcher that is gone does not keep it.
func TestInitWithoutReader(t *testing.T) {
	s := startInit(t, "orphans 1")
	s.line(t)
	s.report.Close()
	s.in.Close()
	_ = s.cmd.Wait()
	if code := s.cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("pid 1 ended with %v, wanted exit status 7", s.cmd.ProcessState)
	}
}

// TestInitCannotBeRead: it is non-dumpable though its file can be read, so its
// /proc belongs to root. The provider's process is the control.
func TestInitCannotBeRead(t *testing.T) {
	s := startInit(t, "orphans 1")
	s.line(t)
	pid := s.cmd.Process.Pid
	if uid := procOwner(t, pid); uid != 0 {
		t.Errorf("the /proc of pid 1 belongs to uid %d, wanted root", uid)
	}
	if uid := procOwner(t, childOf(t, pid)); uid == 0 {
		t.Error("the /proc of the provider's process belongs to root: that shows nothing")
	}
}

func procOwner(t *testing.T, pid int) uint32 {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Stat("/proc/"+strconv.Itoa(pid)+"/environ", &st); err != nil {
		t.Fatal(err)
	}
	return st.Uid
}

func childOf(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatalf("pid 1 has the children %q", text)
	}
	return child
}

// TestInitMessageIsTheReports: the image writes by hand what header describes.
func TestInitMessageIsTheReports(t *testing.T) {
	s := startInit(t, "exit 3")
	text, _ := io.ReadAll(s.report)
	want := wire.Header{Kind: wire.Exit, A: 3 << 8}
	if len(text) != wire.HeaderSize || !bytes.Equal(text, (*[wire.HeaderSize]byte)(unsafe.Pointer(&want))[:]) {
		t.Errorf("%x", text)
	}
	if binary.NativeEndian.Uint32(text) != wire.Exit {
		t.Errorf("kind %d", binary.NativeEndian.Uint32(text))
	}
}
