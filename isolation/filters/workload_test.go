//go:build linux && (amd64 || arm64)

package filters_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/sovrun/sovrun/isolation/filters"
)

// workload is what ordinary programs do and the filter must let them do, each by
// name. dir is an empty directory of the test's own.
var workload = []struct {
	name string
	work func(dir string) error
}{
	{"every thread is confined", everyThreadConfined},
	{"threads", workThreads},
	{"clone with CLONE_VFORK and execve", workSpawn},
	{"rename", workRename},
	{"netlink route", workNetlinkRoute},
	{"inotify", workInotify},
	{"/dev/shm", workDevShm},
	{"memfd", workMemfd},
	{"TCP on loopback", workTCP},
	{"FIFO and unix socket pair", workFIFO},
	{"a pseudo-terminal of its own becomes the controlling one", workTerminal},
	{"limits", workLimits},
	{"a filter of its own on top", workSecondFilter},
}

func childWorkload(args []string) error {
	for _, w := range workload {
		if err := w.work(args[0]); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	fmt.Println("done")
	return nil
}

func TestGoWorkload(t *testing.T) {
	for _, p := range append([]filters.Profile{none}, filters.Names()...) {
		for _, user := range users() {
			dir := t.TempDir()
			if user == "nobody" {
				if err := errors.Join(os.Chown(dir, nobody, nobody), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
					t.Fatal(err)
				}
			}
			out, err := runChild(t, startChild("workload", p, user, dir))
			if err != nil || out != "done\n" {
				t.Errorf("%s as %s: %v\n%s", p, user, err, out)
			}
		}
	}
}

// everyThreadConfined wants all threads in the same mode: 2, or 0 in the control.
func everyThreadConfined(string) error {
	tasks, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(tasks) < 2 {
		return fmt.Errorf("%d threads, %v; wanted several", len(tasks), err)
	}
	var modes []string
	for _, task := range tasks {
		status, err := os.ReadFile(task)
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(string(status), "\nSeccomp:\t")
		modes = append(modes, rest[:1])
	}
	if all := strings.Join(modes, ""); strings.Trim(all, all[:1]) != "" {
		return fmt.Errorf("threads in modes %s; wanted one mode", all)
	}
	return nil
}

func workThreads(string) error {
	var started, done sync.WaitGroup
	release := make(chan struct{})
	for range 16 {
		started.Add(1)
		done.Go(func() {
			runtime.LockOSThread()
			started.Done()
			<-release
		})
	}
	started.Wait()
	close(release)
	done.Wait()
	return nil
}

func workSpawn(string) error {
	out, err := exec.Command("/bin/echo", "spawned").CombinedOutput()
	if err != nil || string(out) != "spawned\n" {
		return fmt.Errorf("echo: %q, %w", out, err)
	}
	return nil
}

func workRename(dir string) error {
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	return errors.Join(os.WriteFile(from, nil, 0o600), os.Rename(from, to), os.Remove(to))
}

func workNetlinkRoute(string) error {
	ifs, err := net.Interfaces()
	if err == nil && len(ifs) == 0 {
		err = errors.New("no interface")
	}
	return err
}

func workInotify(dir string) error {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_CREATE); err != nil {
		return err
	}
	name := filepath.Join(dir, "seen")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return err
	}
	buf := make([]byte, 4096)
	n, err := syscall.Read(fd, buf)
	if err == nil && !bytes.Contains(buf[:n], []byte("seen")) {
		err = errors.New("no event")
	}
	return errors.Join(err, os.Remove(name))
}

func workDevShm(string) error {
	f, err := os.CreateTemp("/dev/shm", "sovrun-filters-test-")
	if err != nil {
		return err
	}
	defer f.Close()
	defer os.Remove(f.Name())
	if err := f.Truncate(4096); err != nil {
		return err
	}
	m, err := syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	m[0] = 1
	return syscall.Munmap(m)
}

func workMemfd(string) error {
	nr := map[string]uintptr{"amd64": 319, "arm64": 279}[runtime.GOARCH]
	name := [...]byte{'m', 0}
	fd, _, e := syscall.Syscall(nr, uintptr(unsafe.Pointer(&name)), 1, 0)
	if e != 0 {
		return e
	}
	return errors.Join(syscall.Ftruncate(int(fd), 4096), syscall.Close(int(fd)))
}

func workTCP(string) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	s, err := l.Accept()
	return errors.Join(err, s.Close(), c.Close())
}

func workFIFO(dir string) error {
	fifo := filepath.Join(dir, "fifo")
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(syscall.Close(pair[0]), syscall.Close(pair[1]),
		syscall.Mkfifo(fifo, 0o600), os.Remove(fifo))
}

// workTerminal gives a session leader, this child, a terminal made inside: it
// takes it with TIOCSCTTY, opens it as /dev/tty and lets go of it with TIOCNOTTY.
func workTerminal(string) error {
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer ptmx.Close()
	var unlock, n int32
	if err := ioctl(ptmx, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock)); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	if err := ioctl(ptmx, syscall.TIOCGPTN, unsafe.Pointer(&n)); err != nil {
		return fmt.Errorf("number: %w", err)
	}
	pts, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer pts.Close()
	if err := ioctl(pts, syscall.TIOCSCTTY, nil); err != nil {
		return fmt.Errorf("TIOCSCTTY: %w", err)
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGCONT) // sent to a leader that lets go
	return errors.Join(ioctl(tty, syscall.TIOCNOTTY, nil), tty.Close())
}

func ioctl(f *os.File, cmd uintptr, arg unsafe.Pointer) error {
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), cmd, uintptr(arg)); e != 0 {
		return e
	}
	return nil
}

// workLimits sees that a change of RLIMIT_CORE is pretended (under a filter) or
// real (in the control), and that other limits change.
func workLimits(string) error {
	lower, files := syscall.Rlimit{Cur: 200, Max: 300}, syscall.Rlimit{}
	err := errors.Join(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &lower), syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files))
	if err == nil && files != lower {
		err = fmt.Errorf("file limit is %v, wanted %v", files, lower)
	}
	return errors.Join(err, coreLimit())
}

func coreLimit() error {
	const rlimitCore = 4
	var before, after syscall.Rlimit
	if err := syscall.Getrlimit(rlimitCore, &before); err != nil {
		return err
	}
	other := syscall.Rlimit{Cur: before.Max, Max: before.Max}
	switch before.Max {
	case 0:
		return nil // nothing to change to: TestWitnesses shows what is pretended
	case before.Cur:
		other.Cur = 0
	}
	if err := errors.Join(syscall.Setrlimit(rlimitCore, &other), syscall.Getrlimit(rlimitCore, &after)); err != nil {
		return fmt.Errorf("core: %w", err)
	}
	if confined() != (after == before) {
		return fmt.Errorf("core limit was %v and is %v", before, after)
	}
	return nil
}

func confined() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err == nil && bytes.Contains(status, []byte("\nSeccomp:\t2\n"))
}

func workSecondFilter(string) error {
	return confine(filters.Default)
}
