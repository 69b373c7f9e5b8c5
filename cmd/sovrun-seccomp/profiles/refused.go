package profiles

import "syscall"

// class is a set of calls refused whatever their arguments, unless the profile
// is in openIn.
type class struct {
	what   string
	errno  syscall.Errno
	openIn []string
	names  []string
}

// refused names what answers otherwise than the default. The reasons and
// sources stand in doc.go of isolation/filters, where users look for them.
var refused = []class{
	{"flags behind a pointer", syscall.ENOSYS, nil, []string{"clone3"}},
	{"io_uring", syscall.ENOSYS, nil, []string{
		"io_uring_enter", "io_uring_register", "io_uring_setup"}},
	{"tracing", syscall.EPERM, []string{Debug}, []string{
		"kcmp", "process_vm_readv", "process_vm_writev", "ptrace"}},
	{"other processes", syscall.EPERM, nil, []string{
		"lookup_dcookie", "perf_event_open", "pidfd_getfd", "process_madvise"}},
	{"keyrings", syscall.EPERM, nil, []string{"add_key", "keyctl", "request_key"}},
	{"fault handling", syscall.EPERM, nil, []string{"userfaultfd"}},
	{"file handles", syscall.EPERM, nil, []string{"name_to_handle_at", "open_by_handle_at"}},
	{"watching whole file systems", syscall.EPERM, nil, []string{"fanotify_init", "fanotify_mark"}},
	{"mounts", syscall.EPERM, []string{Nested}, []string{
		"chroot", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr",
		"move_mount", "open_tree", "pivot_root", "umount2"}},
	{"namespaces", syscall.EPERM, []string{Nested}, []string{
		"setdomainname", "sethostname", "setns", "unshare"}},
	{"programs in the kernel", syscall.EPERM, nil, []string{
		"bpf", "delete_module", "finit_module", "init_module", "kexec_file_load", "kexec_load"}},
	{"running the machine", syscall.EPERM, nil, []string{
		"acct", "quotactl", "quotactl_fd", "reboot", "swapoff", "swapon", "syslog", "vhangup"}},
	{"clocks", syscall.EPERM, nil, []string{
		"adjtimex", "clock_adjtime", "clock_settime", "settimeofday"}},
	{"processor state", syscall.EPERM, nil, []string{"ioperm", "iopl", "modify_ldt"}},
	{"memory policy", syscall.ENOSYS, nil, []string{
		"get_mempolicy", "mbind", "migrate_pages", "move_pages", "set_mempolicy"}},
	// What an argument rule of table ruled does not allow:
	{"clone into new namespaces", syscall.EPERM, []string{Nested}, []string{"clone"}},
	{"execution domains", syscall.EPERM, nil, []string{"personality"}},
	{"address families", syscall.EAFNOSUPPORT, nil, []string{"socket", "socketpair"}},
}
