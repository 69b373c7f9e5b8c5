package cli

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// outcome of what a helper does: a sentence on standard error, and exit status 1.
func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// streamMain is "stream KIND FD PROGRAM ARGUMENT...": it runs a program with
// descriptor FD (0, 1 or 2) of a kind, and tells what came out of the other end.
func streamMain() {
	if len(os.Args) < 4 {
		fail("usage: stream KIND FD PROGRAM [ARGUMENT...]")
	}
	open, ok := streams()[os.Args[1]]
	if !ok {
		fail("stream: there is no kind %q", os.Args[1])
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil || n < 0 || n > 2 {
		fail("stream: descriptor %q", os.Args[2])
	}
	f, after, err := open()
	if err != nil {
		fail("stream: %s: %v", os.Args[1], err)
	}
	cmd := exec.Command(os.Args[3], os.Args[4:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	switch n {
	case 0:
		cmd.Stdin = f
	case 1:
		cmd.Stdout = f
	case 2:
		cmd.Stderr = f
	}
	err = cmd.Run()
	f.Close()
	if after != nil {
		fmt.Fprintln(os.Stderr, after())
	}
	var x *exec.ExitError
	if errors.As(err, &x) {
		os.Exit(x.ExitCode())
	} else if err != nil {
		fail("stream: %v", err)
	}
}

// opener makes a descriptor, and what tells how it was used.
type opener func() (f *os.File, after func() string, err error)

// streamName is the file that the kinds of files open.
const streamName = "stream.txt"

func streams() map[string]opener {
	file := func(flags int) opener {
		return func() (*os.File, func() string, error) {
			f, err := os.OpenFile(streamName, flags, 0)
			return f, nil, err
		}
	}
	return map[string]opener{
		"read": file(os.O_RDONLY), "append": file(os.O_WRONLY | os.O_APPEND), "both": file(os.O_RDWR),
		"path": file(unix.O_PATH), "removed": removed, "directory": directory, "block": block,
		"tcp": tcp, "listener": listener, "udp": udp, "netlink": netlink, "unix": unixPair(unix.SOCK_STREAM), "datagram": unixPair(unix.SOCK_DGRAM),
		"pidfd": pidfd, "namespace": namespace, "process": process, "memory": memory,
	}
}

func removed() (*os.File, func() string, error) {
	f, err := os.Open(streamName)
	if err == nil {
		err = os.Remove(streamName)
	}
	return f, nil, err
}

func directory() (*os.File, func() string, error) {
	f, err := os.Open("/etc")
	return f, nil, err
}

func block() (*os.File, func() string, error) {
	f, err := os.Open("/dev/loop0")
	return f, nil, err
}

func tcp() (*os.File, func() string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	f, err := c.(*net.TCPConn).File()
	return f, nil, err
}

func listener() (*os.File, func() string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	f, err := l.(*net.TCPListener).File()
	return f, nil, err
}

// udp is a socket that is connected to one that listens.
func udp() (*os.File, func() string, error) {
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	c, err := net.Dial("udp", l.LocalAddr().String())
	if err != nil {
		return nil, nil, err
	}
	f, err := c.(*net.UDPConn).File()
	return f, func() string {
		b := make([]byte, 64)
		_ = l.SetReadDeadline(time.Now().Add(time.Second))
		n, _, err := l.ReadFrom(b)
		if err != nil {
			return "nothing arrived"
		}
		return "arrived: " + string(b[:n])
	}, err
}

func fromFD(fd int, err error) (*os.File, func() string, error) {
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), "stream"), nil, nil
}

func netlink() (*os.File, func() string, error) {
	return fromFD(unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE))
}

func unixPair(kind int) opener {
	return func() (*os.File, func() string, error) {
		fds, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
		return fromFD(fds[0], err)
	}
}

func pidfd() (*os.File, func() string, error) { return fromFD(unix.PidfdOpen(os.Getpid(), 0)) }

func namespace() (*os.File, func() string, error) {
	f, err := os.Open("/proc/self/ns/net")
	return f, nil, err
}

// process is a file that acts when it is written to; this one only on ourselves.
func process() (*os.File, func() string, error) {
	f, err := os.OpenFile("/proc/self/oom_score_adj", os.O_RDWR, 0)
	return f, nil, err
}

func memory() (*os.File, func() string, error) {
	fd, err := unix.MemfdCreate("stream", 0)
	if err == nil {
		_, err = unix.Write(fd, []byte("in memory\n"))
	}
	if err == nil {
		_, err = unix.Seek(fd, 0, 0)
	}
	return fromFD(fd, err)
}
