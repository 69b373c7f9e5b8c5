package isolation

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// opened is a descriptor of some kind; errors of kinds that this kernel or this
// user does not have are in lacks.
type opened struct {
	name  string
	open  func() (int, error)
	lacks []unix.Errno
	class policy.StreamClass
	what  string
}

func socketOf(family, kind, protocol int) func() (int, error) {
	return func() (int, error) { return unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol) }
}

func fileAt(path string, flags int) func() (int, error) {
	return func() (int, error) { return unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NOCTTY, 0) }
}

// noFamily is what a kernel without a family says, and one that asks for root.
var noFamily = []unix.Errno{unix.EAFNOSUPPORT, unix.EPERM, unix.EPROTONOSUPPORT, unix.ESOCKTNOSUPPORT}

// leadsOut are kinds of descriptors that lead past the planes.
func leadsOut(dir string) []opened {
	const (
		network  = "a network socket"
		datagram = "a datagram socket"
		odd      = "neither a file nor a terminal, pipe or socket"
		object   = "an object of the kernel's that has no path"
	)
	refuse := func(name, what string, open func() (int, error), lacks ...unix.Errno) opened {
		return opened{name, open, lacks, policy.StreamRefused, what}
	}
	return []opened{
		refuse("UDP", network, socketOf(unix.AF_INET, unix.SOCK_DGRAM, 0)),
		refuse("TCP over IPv6", network, socketOf(unix.AF_INET6, unix.SOCK_STREAM, 0), noFamily...),
		refuse("netlink", network, socketOf(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)),
		refuse("packet", network, socketOf(unix.AF_PACKET, unix.SOCK_RAW, 0), noFamily...),
		refuse("vsock", network, socketOf(unix.AF_VSOCK, unix.SOCK_STREAM, 0), noFamily...),
		refuse("crypto", network, socketOf(unix.AF_ALG, unix.SOCK_SEQPACKET, 0), noFamily...),
		refuse("unix packets", datagram, socketOf(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)),
		refuse("listening", "a listening socket", func() (int, error) {
			fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err == nil {
				err = unix.Bind(fd, &unix.SockaddrUnix{Name: dir + "/socket"})
			}
			if err == nil {
				err = unix.Listen(fd, 1)
			}
			return fd, err
		}),
		refuse("network namespace", object, fileAt("/proc/self/ns/net", unix.O_RDONLY)),
		refuse("mount namespace", object, fileAt("/proc/self/ns/mnt", unix.O_RDONLY)),
		refuse("epoll", odd, func() (int, error) { return unix.EpollCreate1(unix.EPOLL_CLOEXEC) }),
		refuse("timer", odd, func() (int, error) { return unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC) }),
		refuse("inotify", odd, func() (int, error) { return unix.InotifyInit1(unix.IN_CLOEXEC) }),
		refuse("directory opened as a path", "a descriptor opened with O_PATH", fileAt("/", unix.O_PATH)),
		refuse("a kernel log", "a device", fileAt("/dev/kmsg", unix.O_RDONLY), unix.EPERM, unix.EACCES, unix.ENOENT),
		refuse("a block device", "a block device", anyBlockDevice, unix.EACCES, unix.ENOENT, unix.EPERM),
	}
}

// anyBlockDevice opens one for reading, where there is one and this user may.
func anyBlockDevice() (int, error) {
	names, _ := filepath.Glob("/sys/block/*")
	last := error(unix.ENOENT)
	for _, n := range names {
		fd, err := unix.Open("/dev/"+filepath.Base(n), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err == nil {
			return fd, nil
		}
		if err == unix.EACCES {
			last = err
		}
	}
	return -1, last
}

// staysIn are kinds that a command may have.
func staysIn(t *testing.T, dir string) []opened {
	let := func(name string, class policy.StreamClass, open func() (int, error)) opened {
		return opened{name, open, nil, class, ""}
	}
	file, gone, moved := dir+"/file", dir+"/gone", dir+"/moved"
	for _, f := range []string{file, gone, moved} {
		check(t, os.WriteFile(f, []byte("x"), 0o600))
	}
	check(t, unix.Mkfifo(dir+"/fifo", 0o600))
	after := func(open func() (int, error), then func()) func() (int, error) {
		return func() (int, error) { fd, err := open(); then(); return fd, err }
	}
	return []opened{
		let("terminal", policy.StreamTerminal, terminal(t)),
		let("FIFO", policy.StreamPipe, fileAt(dir+"/fifo", unix.O_RDWR)),
		let("full", policy.StreamNull, fileAt("/dev/full", unix.O_RDWR)),
		let("random", policy.StreamNull, fileAt("/dev/random", unix.O_RDONLY)),
		let("urandom", policy.StreamNull, fileAt("/dev/urandom", unix.O_RDONLY)),
		let("file for reading", policy.StreamReopen, fileAt(file, unix.O_RDONLY)),
		let("file for writing", policy.StreamFile, fileAt(file, unix.O_WRONLY)),
		let("file for both", policy.StreamFile, fileAt(file, unix.O_RDWR)),
		let("file of /proc", policy.StreamReopen, fileAt("/proc/version", unix.O_RDONLY)),
		let("file that was removed", policy.StreamFeed, after(fileAt(gone, unix.O_RDONLY), func() { os.Remove(gone) })),
		let("file that another took the name of", policy.StreamFeed, after(fileAt(moved, unix.O_RDONLY), func() {
			check(t, os.Link(moved, dir+"/other"))
			check(t, os.Remove(moved))
			check(t, os.WriteFile(moved, nil, 0o600))
		})),
		let("file in memory for writing", policy.StreamFile, func() (int, error) { return unix.MemfdCreate("x", unix.MFD_CLOEXEC) }),
	}
}

// terminal opens the side of a pty that programs have.
func terminal(t *testing.T) func() (int, error) {
	return func() (int, error) {
		master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, err
		}
		t.Cleanup(func() { unix.Close(master) })
		check(t, unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0))
		return unix.IoctlRetInt(master, unix.TIOCGPTPEER)
	}
}

// TestClassifyEveryKind of descriptor that there is.
func TestClassifyEveryKind(t *testing.T) {
	dir := t.TempDir()
	for _, row := range append(leadsOut(dir), staysIn(t, dir)...) {
		t.Run(row.name, func(t *testing.T) {
			fd, err := row.open()
			for _, e := range row.lacks {
				if err == e {
					t.Logf("not to be had here: %v", err)
					return
				}
			}
			check(t, err)
			defer unix.Close(fd)
			if got := classifyOne(fd); got.Class != row.class || got.What != row.what {
				t.Errorf("it is %v %q, wanted %v %q", got.Class, got.What, row.class, row.what)
			}
		})
	}
}

// TestClassifyProcess: a descriptor of a process is refused, whether the kernel
// makes it a file or not.
func TestClassifyProcess(t *testing.T) {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	check(t, err)
	defer unix.Close(fd)
	if got := classifyOne(fd); got.Class != policy.StreamRefused {
		t.Errorf("it is %v", got.Class)
	}
}

// TestClassifyTellsWhatItIs: by these the file is compared when it is opened again.
func TestClassifyTellsWhatItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(path, []byte("text"), 0o600))
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	check(t, err)
	defer unix.Close(fd)
	var st unix.Stat_t
	check(t, unix.Stat(path, &st))
	got := classifyOne(fd)
	if got.Path != path || got.Inode != st.Ino || got.Major != unix.Major(st.Dev) || got.Minor != unix.Minor(st.Dev) || got.Flags&unix.O_ACCMODE != unix.O_RDONLY {
		t.Errorf("%+v, wanted %q, inode %d", got, path, st.Ino)
	}
}
