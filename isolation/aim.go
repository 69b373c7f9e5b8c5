package isolation

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// targets makes what acts and controls aim at.
func (l *Launch) targets(h *Host) error {
	name, err := token()
	if err != nil {
		return err
	}
	t := &l.Targets
	t.Canary = base + "/.sovrun-" + name + "/canary"
	t.EnvCanary = "SOVRUN_CANARY_" + name + "="
	t.Env = append(append(make([]string, 0, len(h.Facts.Caller.Env)+1), h.Facts.Caller.Env...), t.EnvCanary+"1")
	t.Thread = largestThread()
	if err := l.listeners(); err != nil {
		return err
	}
	return l.openCanaries()
}

// token is a name that nobody can have guessed: 64 random bits in hexadecimal.
// Straight from the kernel: crypto/rand costs a launch 0.07 ms (2 %) and 150 KiB.
func token() (string, error) {
	var b [8]byte
	if n, err := unix.Getrandom(b[:], 0); err != nil || n != len(b) {
		return "", fmt.Errorf("launcher: reading random bytes: %w", err)
	}
	return strconv.FormatUint(binary.NativeEndian.Uint64(b[:]), 16), nil
}

// largestThread is the id of the launcher's newest thread. Not its pid: in a
// container that may be 1, and 1 exists inside as well.
func largestThread() int {
	top := unix.Getpid()
	fd, err := unix.Open("/proc/self/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return top
	}
	defer unix.Close(fd)
	var b [2048]byte
	names := make([]string, 0, 32)
	for {
		n, err := unix.Getdents(fd, b[:])
		if err != nil || n <= 0 {
			return top
		}
		_, _, names = unix.ParseDirent(b[:n], -1, names[:0])
		for _, name := range names {
			if id, err := strconv.Atoi(name); err == nil && id > top {
				top = id
			}
		}
	}
}

// listeners makes a TCP, a UDP and an abstract unix socket in the launcher's
// network namespace. They stay open until the acts are over: a connection that is
// refused because nobody listens any more would look like one that the sandbox
// refused.
func (l *Launch) listeners() error {
	tcp, port, err := l.inet(unix.SOCK_STREAM)
	if err != nil {
		return err
	}
	if err := unix.Listen(tcp, 4); err != nil {
		return fmt.Errorf("launcher: listening for the network probe: %w", err)
	}
	l.Targets.TCP = port
	if _, l.Targets.UDP, err = l.inet(unix.SOCK_DGRAM); err != nil {
		return err
	}
	return l.abstract()
}

// inet binds a socket on 127.0.0.1 at a port that the kernel chooses.
func (l *Launch) inet(kind int) (fd int, port uint16, err error) {
	fd, err = unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, 0, fmt.Errorf("launcher: making a socket for the network probe: %w", err)
	}
	l.aims = append(l.aims, fd)
	if err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return -1, 0, fmt.Errorf("launcher: binding a socket for the network probe: %w", err)
	}
	sa, err := unix.Getsockname(fd)
	in, ok := sa.(*unix.SockaddrInet4)
	if err != nil || !ok {
		return -1, 0, fmt.Errorf("launcher: asking a socket of the network probe for its port: %w", err)
	}
	return fd, uint16(in.Port), nil
}

// abstract listens on an abstract unix socket whose name the kernel chooses
// (unix(7), autobind).
func (l *Launch) abstract() error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("launcher: making a unix socket for the probe: %w", err)
	}
	l.aims = append(l.aims, fd)
	if err = unix.Bind(fd, &unix.SockaddrUnix{}); err != nil {
		return fmt.Errorf("launcher: naming a unix socket for the probe: %w", err)
	}
	sa, err := unix.Getsockname(fd)
	un, ok := sa.(*unix.SockaddrUnix)
	if err != nil || !ok || len(un.Name) < 2 {
		return fmt.Errorf("launcher: asking a unix socket of the probe for its name: %w", err)
	}
	l.Targets.Abstract = "\x00" + un.Name[1:]
	if err = unix.Listen(fd, 4); err != nil {
		return fmt.Errorf("launcher: listening on a unix socket for the probe: %w", err)
	}
	return nil
}

// openCanaries opens the descriptors that must not reach the provider.
func (l *Launch) openCanaries() error {
	dir, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("launcher: opening a directory for the probe: %w", err)
	}
	l.ours = append(l.ours, dir)
	low, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("launcher: opening a file for the probe: %w", err)
	}
	l.ours = append(l.ours, low)
	l.Targets.DirFD, l.Targets.LowFD, l.Targets.HighFD = dir, low, freeDescriptor()
	return nil
}

// highDescriptor is where a tool that closes only the first 1024 would miss one
// (google/nsjail issue 328).
const highDescriptor = 1024

// freeDescriptor is the first number from highDescriptor on that is not open here,
// -1 where RLIMIT_NOFILE has no room for it. Child and control each open it in the
// table that is theirs alone. In the launcher's, which has threads, the growth to
// 1024 would wait for an RCU grace period, longer than all the rest of a launch
// (fs/file.c, expand_fdtable).
func freeDescriptor() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return -1
	}
	for fd := highDescriptor; uint64(fd) < limit.Cur; fd++ {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == unix.EBADF {
			return fd
		}
	}
	return -1
}
