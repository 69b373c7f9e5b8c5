package escapes

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// reach is a call with arguments that the kernel takes from nobody: it gets far
// enough to answer otherwise than a filter.
type reach struct {
	name    string
	nr      int
	args    []string
	outside []syscall.Errno // what the kernel answers root; none: success
	user    []syscall.Errno // and a user
	inside  syscall.Errno   // 0: EPERM
}

func refusedCalls() []Technique {
	efault, einval, ebadf := errnos(unix.EFAULT), errnos(unix.EINVAL), errnos(unix.EBADF)
	enosys := unix.ENOSYS
	// A kernel without modules, kexec or process accounting says so: ENOSYS is
	// another answer than the filter's.
	or := func(e ...syscall.Errno) []syscall.Errno { return append(e, unix.ENOSYS) }
	out := techniques([]reach{
		{"bpf", unix.SYS_BPF, args("0", "0", "-1"), errnos(unix.E2BIG), errnos(unix.E2BIG), 0},
		{"perf_event_open", unix.SYS_PERF_EVENT_OPEN, args("0", "0", "0", "0", "-1"), einval, einval, 0},
		{"add_key", unix.SYS_ADD_KEY, args("0", "0", "0", "0", "0"), efault, efault, 0},
		{"request_key", unix.SYS_REQUEST_KEY, args("0", "0", "0", "0"), efault, efault, 0},
		{"keyctl", unix.SYS_KEYCTL, args("-1"), errnos(unix.EOPNOTSUPP), errnos(unix.EOPNOTSUPP), 0},
		{"process_madvise", unix.SYS_PROCESS_MADVISE, args("-1", "0", "0", "0", "-1"), einval, einval, 0},
		{"init_module", unix.SYS_INIT_MODULE, args("0", "0", "0"), or(unix.ENOEXEC, unix.EFAULT), or(), 0},
		{"finit_module", unix.SYS_FINIT_MODULE, args("-1", "0", "0"), or(unix.EBADF, unix.EFAULT), or(), 0},
		{"delete_module", unix.SYS_DELETE_MODULE, args("0", "0"), or(unix.EFAULT), or(), 0},
		{"kexec_load", unix.SYS_KEXEC_LOAD, args("0", "-1", "0", "0"), or(unix.EINVAL), or(), 0},
		{"kexec_file_load", unix.SYS_KEXEC_FILE_LOAD, args("-1", "-1", "0", "0", "-1"), or(unix.EINVAL), or(), 0},
		{"acct", unix.SYS_ACCT, args("1"), or(unix.EFAULT), or(), 0},
		{"swapon", unix.SYS_SWAPON, args("0", "-1"), or(unix.EINVAL), or(unix.EINVAL), 0},
		{"swapoff", unix.SYS_SWAPOFF, args("0"), or(unix.EFAULT), or(), 0},
		{"reboot", unix.SYS_REBOOT, args("0", "0", "0", "0"), einval, nil, 0},
		{"quotactl", unix.SYS_QUOTACTL, args("-1", "0", "0", "0"), or(unix.EINVAL, unix.ENODEV, unix.EFAULT), or(unix.EINVAL, unix.ENODEV, unix.EFAULT), 0},
		{"setns", unix.SYS_SETNS, args("-1", "0"), ebadf, ebadf, 0},
		{"unshare", unix.SYS_UNSHARE, args("1"), einval, einval, 0},
		{"get_mempolicy", unix.SYS_GET_MEMPOLICY, args("0", "0", "0", "0", "-1"), einval, einval, enosys},
	})
	return append(out, []Technique{
		{Row: "S01", Name: "bpf-map", Says: "make a map for a program in the kernel", Plane: syscalls, Act: "bpf_map", Good: errnos(unix.EPERM)},
		{Row: "S01", Name: "perf", Says: "count its own page faults", Plane: syscalls, Act: "perf", Good: errnos(unix.EPERM), User: errnos(unix.EACCES)},
		{Row: "S08", Name: "numbers", Says: "make the calls of 450 and up", Plane: syscalls, Act: "numbers", Args: args("450", "600"), Good: errnos(unix.ENOSYS)},
		{Row: "S19", Name: "landlock", Says: "confine itself with Landlock", Plane: filesystem, Act: "landlock_self", Args: args("{ws}/own"), Works: true},
		{Row: "S20", Name: "kill", Says: "be killed by a filter of its own", Plane: syscalls, How: Fixture},
	}...)
}

// techniques makes them of row S01.
func techniques(calls []reach) []Technique {
	var out []Technique
	for _, c := range calls {
		good := c.inside
		if good == 0 {
			good = unix.EPERM
		}
		out = append(out, Technique{Row: "S01", Name: c.name, Says: "reach " + c.name, Plane: syscalls, Act: "call",
			Args: append(args(nr(c.nr)), c.args...), Good: errnos(good), Root: c.outside, User: c.user})
	}
	return out
}

// otherWays go to the same calls by another door.
func otherWays() []Technique {
	enosys := errnos(unix.ENOSYS)
	// kernel.io_uring_disabled answers so.
	eperm := errnos(unix.EPERM)
	return append([]Technique{
		{Row: "S03", Name: "x32", Says: "make a call of the x32 table", Plane: syscalls, Act: "x32", Args: args(nr(unix.SYS_GETPID)), Good: enosys},
		{Row: "S05", Name: "open", Says: "have io_uring open a file outside", Plane: syscalls, Act: "ring_open", Args: args("{secret}/canary"), Proof: true, Good: enosys, Root: eperm, User: eperm},
		{Row: "S05", Name: "connect", Says: "have io_uring connect to the host", Plane: syscalls, Act: "ring_connect", Args: args("{tcp_port}"), Good: enosys, Root: eperm, User: eperm},
		{Row: "S05", Name: "socket", Says: "have io_uring make a socket", Plane: syscalls, Act: "ring_socket", Good: enosys, Root: eperm, User: eperm},
		{Row: "S06", Name: "clone3", Says: "hide a new user namespace behind a pointer", Plane: syscalls, Act: "clone3_user", Good: enosys},
		{Row: "S10", Name: "tasks", Says: "find a thread without a filter", Plane: syscalls, Act: "unconfined", Good: errnos(unix.ENOENT)},
		{Row: "S13", Name: "userfaultfd", Says: "handle page faults of the kernel", Plane: syscalls, Act: "userfaultfd", Args: args("0"), Good: errnos(unix.EPERM)},
		{Row: "S13", Name: "userfaultfd-user", Says: "handle its own page faults", Plane: syscalls, Act: "userfaultfd", Args: args("1"), Good: errnos(unix.EPERM)},
		{Row: "S13", Name: "device", Says: "open /dev/userfaultfd", Plane: filesystem, Act: "open_both", Args: args("/dev/userfaultfd"), User: errnos(unix.EACCES)},
		{Row: "S17", Name: "no-randomize", Says: "turn address randomisation off", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_PERSONALITY), "0x0040000"), Good: errnos(unix.EPERM)},
		{Row: "S17", Name: "read-implies-exec", Says: "make all memory executable", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_PERSONALITY), "0x0400000"), Good: errnos(unix.EPERM)},
		{Row: "S17", Name: "query", Says: "ask for its execution domain", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_PERSONALITY), "0xffffffff"), Works: true},
	}, foreignWays()...)
}

func tracing() []Technique {
	eperm := errnos(unix.EPERM)
	return []Technique{
		{Row: "S11", Name: "sibling", Says: "trace a process of its own", Plane: syscalls, Act: "seize_sibling", Good: eperm},
		{Row: "S12", Name: "read", Says: "read the memory of a process of the host", Plane: syscalls, Act: "vm_read", Args: args("{host}", "{address}", "{length}"), Proof: true, Good: eperm},
		{Row: "S12", Name: "write", Says: "write the memory of a process of the host", Plane: syscalls, Act: "vm_write", Args: args("{host}", "{address}", "{length}"), Good: eperm},
		{Row: "S12", Name: "init-read", Says: "read the memory of pid 1", Plane: syscalls, Act: "vm_read", Args: args("{init}", "{address}", "{length}"), Proof: true, Good: eperm},
		{Row: "S12", Name: "getfd", Says: "take a descriptor of a process of the host", Plane: syscalls, Act: "pidfd_getfd", Args: args("{host}", "0"), Proof: true, Good: errnos(unix.ESRCH, unix.EPERM)},
		{Row: "S12", Name: "init-getfd", Says: "take a descriptor of pid 1", Plane: syscalls, Act: "pidfd_getfd", Args: args("{init}", "0"), Proof: true, Good: eperm},
		{Row: "S12", Name: "kcmp", Says: "compare descriptors with a process of the host", Plane: syscalls, Act: "kcmp", Args: args("{host}"), Good: eperm},
		{Row: "S12", Name: "init-kcmp", Says: "compare descriptors with pid 1", Plane: syscalls, Act: "kcmp", Args: args("{init}"), Good: eperm},
		{Row: "S12", Name: "seize", Says: "trace a process of the host", Plane: syscalls, Act: "seize", Args: args("{host}"), Good: eperm},
		{Row: "S12", Name: "init-seize", Says: "trace pid 1", Plane: syscalls, Act: "seize", Args: args("{init}"), Good: eperm},
	}
}

func machineCalls() []Technique {
	eperm, efault := errnos(unix.EPERM), errnos(unix.EFAULT)
	return []Technique{
		{Row: "N12", Name: "hostname", Says: "set the host's name", Plane: syscalls, Act: "hostname", Args: args("host"), Good: eperm},
		{Row: "N12", Name: "domainname", Says: "set the host's domain", Plane: syscalls, Act: "hostname", Args: args("domain"), Good: eperm},
		{Row: "N12", Name: "clock_settime", Says: "reach clock_settime", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_CLOCK_SETTIME), "0", "1"), Good: eperm, Root: efault, User: efault},
		{Row: "N12", Name: "settimeofday", Says: "reach settimeofday", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_SETTIMEOFDAY), "1", "0"), Good: eperm, Root: efault, User: efault},
		{Row: "N12", Name: "adjtimex", Says: "use the call that adjusts the clock", Plane: syscalls, Act: "adjtimex", Good: eperm},
	}
}
