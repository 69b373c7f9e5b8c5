package escapes

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// patience is for conditions that come at once on an idle machine.
const patience = 60 * time.Second

// sleeper is a process of the host, of the lab's owner, with the canary in its
// environment and memory, as standard input, and beside its working directory.
type sleeper struct {
	cmd  *exec.Cmd
	out  *bufio.Reader
	life io.Closer
}

func startSleeper(l *lab) *sleeper {
	l.t.Helper()
	cmd := l.outside(l.owner, "sleep", variable)
	cmd.Dir = l.dir + "/secret"
	cmd.SysProcAttr.Setpgid = true // so that its group can be signalled
	in, err := os.Open(l.dir + "/secret/canary")
	l.must(err)
	defer in.Close()
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	r, w, err := os.Pipe()
	l.must(err)
	// Its owner could open the pipe again by its name in /proc.
	l.must(r.Chown(l.owner.uid, l.owner.gid))
	cmd.ExtraFiles = []*os.File{r}
	out, err := cmd.StdoutPipe()
	l.must(err)
	l.must(cmd.Start())
	r.Close()
	s := &sleeper{cmd: cmd, out: bufio.NewReader(out), life: w}
	var length int
	var address uint64
	_, err = fmt.Fscanln(s.out, &address, &length)
	l.must(err)
	l.names["host"], l.names["address"], l.names["length"] = strconv.Itoa(cmd.Process.Pid), strconv.FormatUint(address, 10), strconv.Itoa(length)
	l.t.Cleanup(func() { s.end(l) })
	return s
}

// end ends the process, which says what happened to it.
func (s *sleeper) end(l *lab) {
	s.life.Close()
	said, err := s.out.ReadString('\n')
	if want := "same memory true, signals []\n"; err != nil || said != want {
		l.t.Errorf("the process of the host says %q, %v; wanted %q", said, err, want)
	}
	if err := s.cmd.Wait(); err != nil {
		l.t.Errorf("the process of the host: %v", err)
	}
}

// ipcObjects makes one of each kind; the names of the lab name them.
func (l *lab) ipcObjects() {
	key := l.key()
	l.names["key"], l.names["queue"] = strconv.Itoa(key), l.name
	shm, err := unix.SysvShmGet(key, 4096, unix.IPC_CREAT|unix.IPC_EXCL|0o644)
	l.must(err)
	l.t.Cleanup(func() { _, _ = unix.SysvShmCtl(shm, unix.IPC_RMID, nil) })
	l.names["shm"] = strconv.Itoa(shm)
	memory, err := unix.SysvShmAttach(shm, 0, 0)
	l.must(err)
	copy(memory, l.canary)
	l.must(unix.SysvShmDetach(memory))
	const create = unix.IPC_CREAT | unix.IPC_EXCL | 0o644
	sem := l.sysv(unix.SYS_SEMGET, key, 1, create)
	l.t.Cleanup(func() { _, _, _ = unix.Syscall(unix.SYS_SEMCTL, sem, 0, unix.IPC_RMID) })
	msg := l.sysv(unix.SYS_MSGGET, key, create, 0)
	l.t.Cleanup(func() { _, _, _ = unix.Syscall(unix.SYS_MSGCTL, msg, unix.IPC_RMID, 0) })
	l.messageQueue()
}

// key is a random one: a positive int that is not IPC_PRIVATE.
func (l *lab) key() int {
	n, err := strconv.ParseUint(token(l.t)[:7], 16, 31)
	l.must(err)
	return int(n) + 1
}

func (l *lab) sysv(nr uintptr, a, b, c int) uintptr {
	id, _, e := unix.Syscall(nr, uintptr(a), uintptr(b), uintptr(c))
	if e != 0 {
		l.t.Fatalf("an IPC object for key %d: %v", a, e)
	}
	return id
}

// messageQueue makes a POSIX queue, mq_overview(7).
func (l *lab) messageQueue() {
	name, err := unix.BytePtrFromString(l.name)
	l.must(err)
	fd, _, e := unix.Syscall6(unix.SYS_MQ_OPEN, pointer(name), unix.O_CREAT|unix.O_EXCL|unix.O_RDWR, 0o644, 0, 0, 0)
	runtime.KeepAlive(name)
	if e != 0 {
		l.t.Fatalf("mq_open %q: %v", l.name, e)
	}
	unix.Close(int(fd))
	l.t.Cleanup(func() {
		_, _, _ = unix.Syscall(unix.SYS_MQ_UNLINK, pointer(name), 0, 0)
		runtime.KeepAlive(name)
	})
}

// facts are what an attempt could change of the host without leaving a file.
func (l *lab) facts() string {
	l.t.Helper()
	var u unix.Utsname
	l.must(unix.Uname(&u))
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	l.must(err)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	l.must(err)
	var out strings.Builder
	fmt.Fprintf(&out, "host %s\ndomain %s\ncore_pattern %s", unix.ByteSliceToString(u.Nodename[:]), unix.ByteSliceToString(u.Domainname[:]), pattern)
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, l.dir) { // whatever else is mounted meanwhile
			out.WriteString(line)
		}
	}
	return out.String()
}
