package main

import (
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// callActs make system calls by number.
func callActs() map[string]act {
	return map[string]act{
		"call":       call,
		"numbers":    numbers,
		"families":   families,
		"clone_user": func([]string) (string, error) { return forkInto(unix.SYS_CLONE, nil) },
		"clone3_user": func([]string) (string, error) {
			return forkInto(unix.SYS_CLONE3, &cloneArgs{0: unix.CLONE_NEWUSER, 4: uint64(unix.SIGCHLD)})
		},
		"userfaultfd":   userfaultfd,
		"perf":          perf,
		"adjtimex":      func([]string) (string, error) { _, err := unix.Adjtimex(&unix.Timex{}); return "", err },
		"bpf_map":       bpfMap,
		"landlock_self": landlockSelf,
	}
}

func addr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// call makes the call of the first argument with the others: numbers, "@text" for
// a pointer to the text, "&" for a pointer to a page of zeroes.
func call(a []string) (string, error) {
	var words [6]uintptr
	keep := make([][]byte, 0, len(a))
	for i, text := range a[1:] {
		switch {
		case text == "&":
			keep = append(keep, make([]byte, 4096))
		case strings.HasPrefix(text, "@"):
			keep = append(keep, append([]byte(text[1:]), 0))
		default:
			words[i] = uintptr(number(text))
			continue
		}
		words[i] = addr(&keep[len(keep)-1][0])
	}
	_, _, e := unix.Syscall6(uintptr(number(a[0])), words[0], words[1], words[2], words[3], words[4], words[5])
	runtime.KeepAlive(keep)
	if e != 0 {
		return "", e
	}
	return "", nil
}

// numbers makes every call from the first number to the last with all bits set in
// every argument, which none of them takes, and says which exist.
func numbers(a []string) (string, error) {
	const ones = ^uintptr(0)
	var known []string
	for nr := number(a[0]); nr <= number(a[1]); nr++ {
		if _, _, e := unix.Syscall6(uintptr(nr), ones, ones, ones, ones, ones, ones); e != unix.ENOSYS {
			known = append(known, itoa(nr))
		}
	}
	if len(known) == 0 {
		return "", unix.ENOSYS
	}
	return strings.Join(known, " "), nil
}

// families asks for a socket of every family from the first argument to the
// second but those that follow, with a type that none takes: a family that is
// there says EINVAL, and no module is loaded for it. Any answer but EAFNOSUPPORT
// shows that the kernel, or a rule, knows the family.
func families(a []string) (string, error) {
	var known []string
	left := " " + strings.Join(a[2:], " ") + " "
	for f := number(a[0]); f <= number(a[1]); f++ {
		if strings.Contains(left, " "+itoa(f)+" ") {
			continue
		}
		if _, err := unix.Socket(f, -1, 0); err != unix.EAFNOSUPPORT {
			known = append(known, itoa(f))
		}
	}
	if len(known) == 0 {
		return "", unix.EAFNOSUPPORT
	}
	return strings.Join(known, " "), nil
}

// cloneArgs is struct clone_args, clone3(2), in its first version: the flags are its
// first word, the signal at the end its fifth.
type cloneArgs [8]uint64

// forkInto forks a child into a new user namespace, which ends at once.
func forkInto(nr uintptr, args *cloneArgs) (string, error) {
	a0, a1 := uintptr(unix.CLONE_NEWUSER)|uintptr(unix.SIGCHLD), uintptr(0)
	if args != nil {
		a0, a1 = addr(args), unsafe.Sizeof(*args)
	}
	pid, e := rawFork(nr, a0, a1)
	runtime.KeepAlive(args)
	if e != 0 {
		return "", e
	}
	_, err := unix.Wait4(int(pid), nil, 0, nil)
	return "", err
}

// rawFork returns in the parent only. The child is a copy of one thread of a Go
// program: it may not do anything but a system call.
//
//go:nosplit
//go:norace
func rawFork(nr, a0, a1 uintptr) (uintptr, unix.Errno) {
	pid, _, e := unix.RawSyscall6(nr, a0, a1, 0, 0, 0, 0)
	if e == 0 && pid == 0 {
		for {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	return pid, e
}

// userfaultfd(2), flags UFFD_USER_MODE_ONLY (Linux 5.11) or none.
func userfaultfd(a []string) (string, error) {
	fd, _, e := unix.Syscall(unix.SYS_USERFAULTFD, uintptr(number(a[0])|unix.O_CLOEXEC), 0, 0)
	if e != 0 {
		return "", e
	}
	return "", unix.Close(int(fd))
}

// perf counts its own page faults in user mode: the least that perf_event_open(2) grants.
func perf([]string) (string, error) {
	attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_PAGE_FAULTS, Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return "", err
	}
	return "", unix.Close(fd)
}

// bpfMap makes an array of one word, bpf(2), BPF_MAP_CREATE.
func bpfMap([]string) (string, error) {
	attr := [4]uint32{unix.BPF_MAP_TYPE_ARRAY, 4, 4, 1}
	fd, _, e := unix.Syscall(unix.SYS_BPF, unix.BPF_MAP_CREATE, addr(&attr[0]), unsafe.Sizeof(attr))
	if e != 0 {
		return "", e
	}
	return "", unix.Close(int(fd))
}

// landlockSelf confines itself with Landlock, landlock(7), and finds that it holds.
func landlockSelf(a []string) (string, error) {
	access := uint64(unix.LANDLOCK_ACCESS_FS_READ_FILE)
	fd, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, addr(&access), unsafe.Sizeof(access), 0)
	if e != 0 {
		return "", e
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "", err
	}
	if _, _, e := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); e != 0 {
		return "", e
	}
	if _, err := readPath(a); err == nil {
		return "", unix.ENOTRECOVERABLE
	}
	return "", nil
}
