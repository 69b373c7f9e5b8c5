package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// row is one thing that is tried; nil is success.
type row struct {
	name string
	try  func() error
}

func rows(canary string) []row {
	var out []row
	for _, list := range [][]row{files(canary), calls(), others(), namespaces(), sockets(), rest()} {
		out = append(out, list...)
	}
	return out
}

func open(path string, flags int) func() error {
	return func() error {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
}

func files(canary string) []row {
	return []row{
		{"open /etc/shadow", open("/etc/shadow", unix.O_RDONLY)},
		{"open /proc/1/environ", open("/proc/1/environ", unix.O_RDONLY)},
		{"open environ of the parent", open("/proc/"+strconv.Itoa(os.Getppid())+"/environ", unix.O_RDONLY)},
		{"open /proc/1/root/etc/hostname", open("/proc/1/root/etc/hostname", unix.O_RDONLY)},
		{"canary", open(canary, unix.O_RDONLY)},
		{"canary through /proc/self/root", open("/proc/self/root"+canary, unix.O_RDONLY)},
		{"canary through /..", open("/.."+canary, unix.O_RDONLY)},
		{"open core_pattern for writing", open("/proc/sys/kernel/core_pattern", unix.O_WRONLY)},
		{"open sysrq-trigger for writing", open("/proc/sysrq-trigger", unix.O_WRONLY)},
		{"open /dev/vda", open("/dev/vda", unix.O_RDONLY)},
		{"open /dev/mem", open("/dev/mem", unix.O_RDONLY)},
		{"open /dev/kmsg", open("/dev/kmsg", unix.O_RDONLY)},
		{"open /dev/shm", open("/dev/shm", unix.O_RDONLY|unix.O_DIRECTORY)},
		{"mknod of a device in /tmp", func() error {
			name := "/tmp/probe-" + strconv.Itoa(os.Getpid())
			defer os.Remove(name)
			return unix.Mknod(name, unix.S_IFCHR|0o600, 1<<8|3)
		}},
		{"set-uid bit on a file of one's own", func() error {
			name := "probe-" + strconv.Itoa(os.Getpid())
			defer os.Remove(name)
			return errors.Join(os.WriteFile(name, nil, 0o700), unix.Chmod(name, 0o4700))
		}},
	}
}

func raw(nr uintptr, a ...uintptr) func() error {
	return func() error {
		var x [6]uintptr
		copy(x[:], a)
		r, _, e := unix.Syscall6(nr, x[0], x[1], x[2], x[3], x[4], x[5])
		if e != 0 {
			return e
		}
		_ = r
		return nil
	}
}

const none = ^uintptr(0)

func calls() []row {
	name, _ := unix.BytePtrFromString("probe")
	kind, _ := unix.BytePtrFromString("user")
	return []row{
		{"io_uring_setup", func() error {
			params := new([120]byte)
			_, _, e := unix.Syscall(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(params)), 0)
			if e != 0 {
				return e
			}
			return nil
		}},
		{"bpf", raw(unix.SYS_BPF, 5, 0, 0)},
		{"userfaultfd", raw(unix.SYS_USERFAULTFD, 0)},
		{"perf_event_open", raw(unix.SYS_PERF_EVENT_OPEN, 0, 0, none, none, 0)},
		{"keyctl: join a session", raw(unix.SYS_KEYCTL, 1, 0)},
		{"add_key", raw(unix.SYS_ADD_KEY, uintptr(unsafe.Pointer(kind)), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(name)), 5, ^uintptr(1))},
		{"name_to_handle_at", func() error {
			_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, "/", 0)
			return err
		}},
		{"memfd_create and exec", memfd},
		{"shmget", func() error {
			id, _, e := unix.Syscall(unix.SYS_SHMGET, 0, 4096, 0o600|0o1000)
			if e != 0 {
				return e
			}
			_, _, _ = unix.Syscall(unix.SYS_SHMCTL, id, 0, 0)
			return nil
		}},
		{"sethostname to the same", func() error {
			h, _ := os.Hostname()
			return unix.Sethostname([]byte(h))
		}},
		{"TIOCSTI on standard input", raw(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(name)))},
		{"TIOCSTI with a high bit", raw(unix.SYS_IOCTL, 0, unix.TIOCSTI|1<<32, uintptr(unsafe.Pointer(name)))},
	}
}

// memfd runs a copy of /bin/true that has no path.
func memfd() error {
	text, err := os.ReadFile("/bin/true")
	if err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("probe", 0)
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, text); err != nil {
		return err
	}
	return exec.Command(fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd)).Run()
}

// others are tries on the process that started the sandbox, or inside stands for it.
func others() []row {
	pid, _ := strconv.Atoi(os.Getenv(outerVar))
	self := [1]byte{}
	local := unix.Iovec{Base: &self[0], Len: 1}
	remote := unix.RemoteIovec{Base: 4096, Len: 1}
	return []row{
		{"ptrace of who started it", raw(unix.SYS_PTRACE, 0x4206, uintptr(pid), 0, 0)}, // PTRACE_SEIZE
		{"process_vm_readv of it", func() error {
			_, err := unix.ProcessVMReadv(pid, []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
			return err
		}},
		{"kill of it with signal 0", func() error { return unix.Kill(pid, 0) }},
		{"pidfd_getfd of it", func() error {
			fd, err := unix.PidfdOpen(pid, 0)
			if err == nil {
				_, err = unix.PidfdGetfd(fd, 0, 0)
			}
			return err
		}},
	}
}

func namespaces() []row {
	empty, _ := unix.BytePtrFromString("")
	tmpfs, _ := unix.BytePtrFromString("tmpfs")
	root, _ := unix.BytePtrFromString("/")
	tmp, _ := unix.BytePtrFromString("/tmp")
	args := [11]uint64{0: unix.CLONE_NEWUSER, 4: uint64(unix.SIGCHLD)}
	return []row{
		{"unshare of a user namespace", copied(unix.CLONE_NEWUSER)},
		{"unshare of a user and a mount namespace", copied(unix.CLONE_NEWUSER | unix.CLONE_NEWNS)},
		{"clone3 of a user namespace", func() error {
			r, _, e := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
			if e != 0 {
				return e
			}
			if r == 0 {
				unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
			}
			return nil
		}},
		{"chroot", raw(unix.SYS_CHROOT, uintptr(unsafe.Pointer(root)))},
		{"mount of a tmpfs", func() error {
			// In a mount namespace of the try's own: outside it would be the machine's.
			_ = unix.Unshare(unix.CLONE_NEWNS)
			_ = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
			return raw(unix.SYS_MOUNT, uintptr(unsafe.Pointer(tmpfs)), uintptr(unsafe.Pointer(tmp)), uintptr(unsafe.Pointer(tmpfs)), 0, 0)()
		}},
		{"open_tree: a clone of /", raw(unix.SYS_OPEN_TREE, ^uintptr(99), uintptr(unsafe.Pointer(root)), 1)},
		{"fsopen of a tmpfs", raw(unix.SYS_FSOPEN, uintptr(unsafe.Pointer(tmpfs)), 0)},
		{"statmount", raw(457, uintptr(unsafe.Pointer(empty)), 0, 0, 0)},
	}
}

// copied unshares in a process that has one thread, which a user namespace wants.
func copied(flags uintptr) func() error {
	return func() error {
		r, _, e := unix.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if e != 0 {
			return e
		}
		if r == 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return nil
	}
}

const mptcp = 262 // IPPROTO_MPTCP

func socket(family, kind, protocol int) func() error {
	return func() error {
		fd, err := unix.Socket(family, kind, protocol)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
}

func bound(protocol int) func() error {
	return func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, protocol)
		if err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
}

func connected(protocol int) func() error {
	return func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, protocol)
		if err != nil {
			return err
		}
		return unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}})
	}
}

func sockets() []row {
	return []row{
		{"socket: TCP", socket(unix.AF_INET, unix.SOCK_STREAM, 0)},
		{"socket: UDP", socket(unix.AF_INET, unix.SOCK_DGRAM, 0)},
		{"socket: MPTCP", socket(unix.AF_INET, unix.SOCK_STREAM, mptcp)},
		{"socket: raw ICMP", socket(unix.AF_INET, unix.SOCK_RAW, 1)},
		{"socket: packet", socket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
		{"socket: netlink route", socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)},
		{"socket: vsock", socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
		{"socket: alg", socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
		{"socket: unix", socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)},
		{"TCP bind on loopback", bound(0)},
		{"MPTCP bind on loopback", bound(mptcp)},
		{"TCP connect to port 9 of loopback", connected(0)},
		{"MPTCP connect to the same", connected(mptcp)},
	}
}
