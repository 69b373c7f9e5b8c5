package profiles

// group is a set of calls allowed whatever their arguments.
type group struct {
	what  string
	names []string
}

// allowed starts from the allow-list of container engines
// (github.com/moby/profiles/seccomp v0.3.0) without the names that exist only
// on 32-bit ABIs, without every number of 450 and up, and without what refused
// lists. ioctl, setrlimit, prlimit64, mknod and mknodat are allowed here and
// narrowed by their arguments in ruled.
var allowed = []group{
	{"open, read, write", []string{
		"close", "close_range", "copy_file_range", "creat", "dup", "dup2", "dup3",
		"fadvise64", "fallocate", "fcntl", "fdatasync", "flock", "fsync", "ftruncate",
		"ioctl", "lseek", "open", "openat", "openat2", "pread64", "preadv", "preadv2",
		"pwrite64", "pwritev", "pwritev2", "read", "readahead", "readv", "sendfile",
		"splice", "sync", "sync_file_range", "syncfs", "tee", "truncate", "vmsplice",
		"write", "writev",
	}},
	{"names, attributes, directories", []string{
		"access", "chdir", "chmod", "chown", "faccessat", "faccessat2", "fchdir",
		"fchmod", "fchmodat", "fchown", "fchownat", "fgetxattr", "flistxattr",
		"fremovexattr", "fsetxattr", "fstat", "fstatfs", "futimesat", "getcwd",
		"getdents", "getdents64", "getxattr", "lchown", "lgetxattr", "link", "linkat",
		"listxattr", "llistxattr", "lremovexattr", "lsetxattr", "lstat", "mkdir",
		"mkdirat", "mknod", "mknodat", "newfstatat", "readlink", "readlinkat",
		"removexattr", "rename", "renameat", "renameat2", "rmdir", "setxattr", "stat",
		"statfs", "statx", "symlink", "symlinkat", "umask", "unlink", "unlinkat",
		"utime", "utimensat", "utimes",
	}},
	{"waiting for events, asynchronous I/O of the old kind", []string{
		"epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2",
		"epoll_wait", "eventfd", "eventfd2", "inotify_add_watch", "inotify_init",
		"inotify_init1", "inotify_rm_watch", "io_cancel", "io_destroy", "io_getevents",
		"io_pgetevents", "io_setup", "io_submit", "pipe", "pipe2", "poll", "ppoll",
		"pselect6", "select", "signalfd", "signalfd4", "timerfd_create",
		"timerfd_gettime", "timerfd_settime",
	}},
	{"memory", []string{
		"brk", "madvise", "memfd_create", "memfd_secret", "mincore", "mlock", "mlock2",
		"mlockall", "mmap", "mprotect", "mremap", "msync", "munlock", "munlockall",
		"munmap", "pkey_alloc", "pkey_free", "pkey_mprotect", "remap_file_pages",
	}},
	{"processes and threads", []string{
		"arch_prctl", "execve", "execveat", "exit", "exit_group", "fork", "futex",
		"futex_waitv", "get_robust_list", "getpgid", "getpgrp", "getpid", "getppid",
		"getsid", "gettid", "kill", "membarrier", "pause", "pidfd_open",
		"pidfd_send_signal", "prctl", "process_mrelease", "restart_syscall", "rseq",
		"rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo",
		"rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_tgsigqueueinfo",
		"set_robust_list", "set_tid_address", "setpgid", "setsid", "sigaltstack",
		"tgkill", "tkill", "vfork", "wait4", "waitid",
	}},
	{"scheduling, limits, facts about the system", []string{
		"getcpu", "getpriority", "getrandom", "getrlimit", "getrusage", "ioprio_get",
		"ioprio_set", "prlimit64", "sched_get_priority_max", "sched_get_priority_min",
		"sched_getaffinity", "sched_getattr", "sched_getparam", "sched_getscheduler",
		"sched_rr_get_interval", "sched_setaffinity", "sched_setattr",
		"sched_setparam", "sched_setscheduler", "sched_yield", "setpriority",
		"setrlimit", "sysinfo", "uname",
	}},
	{"reading clocks, sleeping, timers", []string{
		"alarm", "clock_getres", "clock_gettime", "clock_nanosleep", "getitimer",
		"gettimeofday", "nanosleep", "setitimer", "time", "timer_create",
		"timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime", "times",
	}},
	{"sockets once made (socket and socketpair are ruled)", []string{
		"accept", "accept4", "bind", "connect", "getpeername", "getsockname",
		"getsockopt", "listen", "recvfrom", "recvmmsg", "recvmsg", "sendmmsg",
		"sendmsg", "sendto", "setsockopt", "shutdown",
	}},
	{"System V and POSIX IPC, private to the IPC namespace", []string{
		"mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive", "mq_timedsend",
		"mq_unlink", "msgctl", "msgget", "msgrcv", "msgsnd", "semctl", "semget",
		"semop", "semtimedop", "shmat", "shmctl", "shmdt", "shmget",
	}},
	{"credentials, which no_new_privs and the dropped sets bound", []string{
		"capget", "capset", "getegid", "geteuid", "getgid", "getgroups", "getresgid",
		"getresuid", "getuid", "setfsgid", "setfsuid", "setgid", "setgroups",
		"setregid", "setresgid", "setresuid", "setreuid", "setuid",
	}},
	{"a sandbox of the program's own", []string{
		"landlock_add_rule", "landlock_create_ruleset", "landlock_restrict_self",
		"seccomp",
	}},
}
