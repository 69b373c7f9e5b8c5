// Package filters holds the system call filters that a sandbox loads, compiled
// ahead of time for amd64 and arm64.
//
// The tables behind them are in cmd/sovrun-seccomp/profiles, the same rules in
// the runtime-spec's form in profiles/*.json beside this file; `go generate`
// makes both the JSON and the programs in bpf/, and a test of
// cmd/sovrun-seccomp fails when they differ from the tables. The JSON is meant
// for reading, and as a start for a profile of one's own for sovrun: other
// engines do not let a rule with arguments override one without.
//
// # What the filter answers
//
// A call passes if its name is on the list, which starts from that of container
// engines. Everything else is an errno, never a signal: a kill writes a line to
// the kernel's log at every launch, and hides from the program what it could
// handle. A number that is on no list gets ENOSYS, as on a kernel that lacks it,
// since libraries fall back then and fail on EPERM (opencontainers/runc#2151).
// That goes for every number of 450 and up, cachestat(2), fchmodat2(2), mseal(2)
// and map_shadow_stack(2) among them: what a kernel adds later is refused today.
//
// What is refused, with which errno, and why:
//
//   - Any other ABI, ENOSYS: i386 by int 0x80 and x32 on amd64, 32-bit arm on
//     arm64. Their numbers mean other calls, and their socketcall(2) and ipc(2)
//     hide arguments from a filter.
//   - clone3, ENOSYS: its flags lie behind a pointer (CVE-2021-41133, flatpak).
//     Every libc falls back to clone(2).
//   - clone with a CLONE_NEW* flag, unshare, setns, sethostname, setdomainname,
//     EPERM: a user namespace gives back every capability over what is inside
//     it, and with them the kernel's network and file system code
//     (CVE-2022-0185).
//   - mount, umount2, pivot_root, chroot, open_tree, move_mount, fsopen,
//     fsconfig, fsmount, fspick, mount_setattr, EPERM: each could peel off a mask
//     or a read-only mount (CVE-2021-41133 was such a gap).
//   - io_uring_*, ENOSYS: a ring does file and socket work that no filter sees
//     (io_uring(7)). libuv, tokio and others fall back.
//   - ptrace, process_vm_readv, process_vm_writev, kcmp, pidfd_getfd,
//     process_madvise, perf_event_open, lookup_dcookie, EPERM: they reach into
//     other processes (perf_event_open: CVE-2013-2094).
//   - add_key, request_key, keyctl, EPERM: keyrings belong to the user, not to a
//     namespace (keyrings(7); CVE-2016-0728).
//   - name_to_handle_at, open_by_handle_at, EPERM: a handle opens files that are
//     not mounted here (open_by_handle_at(2)).
//   - userfaultfd, EPERM: stops the kernel in the middle of a copy, which wins
//     races (userfaultfd(2)).
//   - fanotify_init, fanotify_mark, EPERM: watch what others do (fanotify(7)).
//   - bpf, init_module, finit_module, delete_module, kexec_load,
//     kexec_file_load, EPERM: code in the kernel (bpf: CVE-2020-8835).
//   - reboot, swapon, swapoff, acct, quotactl, quotactl_fd, syslog, vhangup,
//     settimeofday, clock_settime, adjtimex, clock_adjtime, EPERM: the machine is
//     not the sandbox's. Reading a clock's correction by adjtimex is lost.
//   - mbind, set_mempolicy, get_mempolicy, migrate_pages, move_pages, ENOSYS:
//     placement of memory, seldom needed. That is what a kernel without NUMA
//     answers; libnuma before 2.0.19 goes on after EPERM and fails later.
//   - ioperm, iopl, modify_ldt, EPERM: amd64's processor state (CVE-2017-17053).
//   - personality but for 0, PER_LINUX32 and the query 0xffffffff, EPERM: the
//     other bits weaken the caller's own hardening, READ_IMPLIES_EXEC first
//     (personality(2)).
//   - socket of a family that is not unix, inet, inet6 or netlink, EAFNOSUPPORT:
//     socket(2) loads modules for anybody (AF_RDS: CVE-2010-3904; AF_TIPC:
//     CVE-2022-0435), AF_VSOCK leads to the hypervisor, AF_ALG into the kernel's
//     cryptography. A family with bits above the low 32 counts as what the kernel
//     makes of it. socketpair of anything but unix, EAFNOSUPPORT.
//   - Streams and datagrams of inet with a protocol above 17 (UDP), of inet6 above
//     58 (ICMPv6), EPROTONOSUPPORT: UDP-Lite, SCTP (CVE-2021-23133), L2TP, SMC,
//     and MPTCP, which Landlock's TCP rules do not see. Other types,
//     ESOCKTNOSUPPORT: SEQPACKET is SCTP, type 6 DCCP (CVE-2017-6074). Raw
//     sockets, EPERM, as without CAP_NET_RAW.
//   - Netlink but NETLINK_ROUTE, EPROTONOSUPPORT, the kernel's own answer where a
//     protocol is not built in: netfilter, audit, generic netlink and the rest
//     are kernel code that a runtime does not need. NETLINK_ROUTE stays, since
//     Go, Node and Python list interfaces by it when they start.
//   - ioctl TIOCSTI and TIOCLINUX, EPERM: typing into the caller's terminal
//     (CVE-2017-5226, CVE-2023-28100), whatever stands in the high half of the
//     number (CVE-2019-10063, CVE-2019-7303). TIOCSETD, EPERM: line disciplines
//     are modules. 0x4b00-0x4bff and 0x5600-0x56ff, EPERM: keyboard, font and
//     switching of a virtual console (ioctl_console(2)), which otherwise answers
//     whoever has it as controlling terminal.
//   - mknod and mknodat of a device, EPERM.
//   - setpriority and ioprio_set of process group 0, EPERM: that is the caller's
//     own group, and where the sandbox was started in the group of a script or a
//     pipeline, the kernel changes the priority of these as well.
//   - setrlimit of RLIMIT_CORE, and prlimit64 of it with a new limit: success,
//     and nothing changes. The launcher's limit of 1 keeps a core_pattern pipe
//     from starting, 0 would not (core(5)); a program that sets the limit goes on.
//     With both a new and an old limit asked for, the old one is not filled in.
//     getrlimit, and prlimit64 without a new limit, tell the truth.
//
// Debug lets ptrace, process_vm_readv, process_vm_writev and kcmp pass, and
// personality with ADDR_NO_RANDOMIZE: gdb, strace and LeakSanitizer need it.
// Since Linux 4.8 a tracer cannot get a call past the filter.
//
// Nested lets the namespace and mount calls pass, clone with any flag, and mknod
// of character device 0:0, an overlay's whiteout. clone3 stays ENOSYS.
//
// # What stays open
//
//   - Arguments behind pointers: paths, addresses, iovecs. No filter can judge
//     them; other planes do.
//   - The calls that pass, and the kernel's bugs in them. Message flags such as
//     MSG_OOB, socket options and most ioctls are not looked at, so that send and
//     receive stay decided by their number.
//   - TIOCSCTTY and TIOCNOTTY pass, since terminals made inside need them. For the
//     caller's terminal the kernel refuses TIOCSCTTY, as it belongs to another
//     session (EPERM without CAP_SYS_ADMIN); TIOCNOTTY is ENOTTY in a session of
//     the sandbox's own, and in the caller's session it only lets the process
//     itself go.
//   - prctl, seccomp and landlock_* pass: a program may confine itself further,
//     and an errno of this filter beats what a later one allows (seccomp(2)).
//   - memfd_create and execveat pass: executing is no boundary.
//   - uretprobe and uprobe (335 and 336 on amd64) never reach a filter, since 6.14
//     and from the start (kernel commit cf6cb56ef244). They do nothing outside of
//     a probe that the host set.
//   - Set-user-ID bits: open with O_CREAT takes them too, so no rule on chmod
//     would close that.
package filters
