package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// acts are attempts by name. nil means that it succeeded; an error holds the errno.
func acts() map[string]func(arg string) error {
	return map[string]func(string) error{
		"read":       readSecret,
		"plant":      plant,
		"environ":    readEnviron,
		"trace":      withNumber(trace),
		"signal":     withNumber(func(pid int) error { return unix.Kill(pid, unix.SIGCONT) }), // of a running process: no effect
		"connect":    withNumber(connect),
		"abstract":   connectAbstract,
		"attach":     withNumber(attach),
		"descriptor": withNumber(readBeneath),
		"terminal":   typeIntoTerminal,
		"namespace":  namespace,
		"mount":      func(dir string) error { return unix.Mount("demo", dir, "tmpfs", 0, "") },
		"ring":       ring,
		"watch":      watch,
	}
}

// succeeded is what attempt prints where there is no errno.
const succeeded = "success"

// attempt makes one and prints the errno's name.
func attempt(args []string) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: demo act NAME ARGUMENT")
		return 2
	}
	act, ok := acts()[args[0]]
	if !ok {
		fmt.Fprintf(os.Stderr, "no act %q\n", args[0])
		return 2
	}
	err := act(args[1])
	var errno syscall.Errno
	switch {
	case err == nil:
		fmt.Println(succeeded)
	case errors.As(err, &errno):
		fmt.Println(unix.ErrnoName(errno))
	default:
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

// withNumber is for acts whose target is a number.
func withNumber(act func(int) error) func(string) error {
	return func(arg string) error {
		n, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		return act(n)
	}
}

// secret is what the targets hold.
const secret = "demo-secret"

// holds fails where something was read, but not the secret.
func holds(text []byte, err error) error {
	if err == nil && !bytes.Contains(text, []byte(secret)) {
		return fmt.Errorf("read %d bytes without the secret", len(text))
	}
	return err
}

func readSecret(path string) error { return holds(os.ReadFile(path)) }

func readEnviron(pid string) error { return holds(os.ReadFile("/proc/" + pid + "/environ")) }

// plant adds a line to a file that a shell would run.
func plant(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString("# planted\n")
	return errors.Join(err, f.Close())
}

// trace takes hold of a process without stopping it, ptrace(2); it is let go when this process ends.
func trace(pid int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, 0, 0, 0)
	return asError(errno)
}

// asError keeps a zero errno from being an error.
func asError(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

func connect(port int) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
}

func connectAbstract(name string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Connect(fd, &unix.SockaddrUnix{Name: "@" + name})
}

// attach maps a shared memory segment, shmat(2), by the id that ipcs(1) shows to everybody.
func attach(id int) error {
	segment, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	return holds(segment, err)
}

// readBeneath goes through a directory that was open when the program was started.
func readBeneath(fd int) error {
	f, err := unix.Openat(fd, secretName, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return holds(os.ReadFile("/proc/self/fd/" + strconv.Itoa(f)))
}

// typeIntoTerminal puts a character into the terminal's input as if it had been typed, TIOCSTI of ioctl_tty(2): what
// runs after this program would read it.
func typeIntoTerminal(string) error {
	c := byte('x')
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
	return asError(errno)
}

// namespace becomes root of a new user namespace and mounts something there, user_namespaces(7): the way to most of
// the kernel that an ordinary user is otherwise kept away from.
func namespace(dir string) error {
	c := exec.Command("/proc/self/exe", "act", "mount", dir)
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := c.Output()
	if err == nil && string(out) != succeeded+"\n" {
		return fmt.Errorf("mounted nothing: %s", out)
	}
	return err
}

// ring asks for an io_uring, whose requests no system call filter sees; the kernel fills in the parameters.
func ring(string) error {
	var parameters [120]byte // struct io_uring_params
	_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&parameters)), 0)
	return asError(errno)
}

// watch learns what others do in a directory, inotify(7).
func watch(dir string) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	_, err = unix.InotifyAddWatch(fd, dir, unix.IN_ALL_EVENTS)
	return err
}
