package cli

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// attemptMain is "attempt WHAT": it tries to get somewhere through descriptor 0,
// or another thing that only a program can try, and tells what came of it.
func attemptMain() {
	if len(os.Args) < 2 || attempts()[os.Args[1]] == nil {
		fail("usage: attempt WHAT")
	}
	if err := attempts()[os.Args[1]](); err != nil {
		fail("%s: %v", os.Args[1], err)
	}
	fmt.Println(os.Args[1] + ": got through")
}

func attempts() map[string]func() error {
	return map[string]func() error{
		// A file that is granted for reading is written to.
		"reopen": func() error {
			fd, err := unix.Open("/proc/self/fd/0", unix.O_WRONLY, 0)
			if err == nil {
				_, err = unix.Write(fd, []byte("changed"))
			}
			return err
		},
		"chmod":    func() error { return unix.Fchmod(0, 0o666) },
		"chtimes":  func() error { return unix.Futimes(0, []unix.Timeval{{}, {}}) },
		"truncate": func() error { return unix.Ftruncate(0, 0) },
		// A directory of the host is entered.
		"enter": func() error {
			fd, err := unix.Openat(0, "passwd", unix.O_RDONLY, 0)
			if err == nil {
				_, err = unix.Read(fd, make([]byte, 1))
			}
			return err
		},
		"send": func() error { return unix.Send(0, []byte("a message"), 0) },
		// A connected socket is taken elsewhere.
		"reconnect": reconnect,
		"read": func() error {
			_, err := unix.Read(0, make([]byte, 512))
			return err
		},
		"write": func() error {
			_, err := unix.Write(0, []byte("0"))
			return err
		},
		"signal": func() error { return unix.PidfdSendSignal(0, 0, nil, 0) },
		"join":   func() error { return unix.Fstat(0, new(unix.Stat_t)) },
	}
}

func reconnect() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var b [16]byte // struct sockaddr with AF_UNSPEC, connect(2)
	if _, _, e := unix.RawSyscall(unix.SYS_CONNECT, 0, pointerTo(&b), uintptr(len(b))); e != 0 {
		return e
	}
	return unix.Connect(0, &unix.SockaddrInet4{Port: l.Addr().(*net.TCPAddr).Port, Addr: [4]byte{127, 0, 0, 1}})
}
