package filters_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sovrun/sovrun/isolation/filters"
)

// The tables below are written by hand, in the order of the kernel's amd64
// table, and share nothing with the tables the filters are generated from.

// allowedNames pass on their number alone, in every profile.
const allowedNames = `
read write open close stat fstat lstat poll lseek mmap mprotect munmap brk
rt_sigaction rt_sigprocmask rt_sigreturn pread64 pwrite64 readv writev access
pipe select sched_yield mremap msync mincore madvise shmget shmat shmctl dup dup2
pause nanosleep getitimer alarm setitimer getpid sendfile connect accept sendto
recvfrom sendmsg recvmsg shutdown bind listen getsockname getpeername setsockopt
getsockopt fork vfork execve exit wait4 kill uname semget semop semctl shmdt
msgget msgsnd msgrcv msgctl fcntl flock fsync fdatasync truncate ftruncate
getdents getcwd chdir fchdir rename mkdir rmdir creat link unlink symlink
readlink chmod fchmod chown fchown lchown umask gettimeofday getrlimit getrusage
sysinfo times getuid getgid setuid setgid geteuid getegid setpgid getppid getpgrp
setsid setreuid setregid getgroups setgroups setresuid getresuid setresgid
getresgid getpgid setfsuid setfsgid getsid capget capset rt_sigpending
rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack utime statfs fstatfs
getpriority sched_setparam sched_getparam sched_setscheduler
sched_getscheduler sched_get_priority_max sched_get_priority_min
sched_rr_get_interval mlock munlock mlockall munlockall prctl arch_prctl sync
gettid readahead setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr
listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr tkill time
futex sched_setaffinity sched_getaffinity io_setup io_destroy io_getevents
io_submit io_cancel epoll_create remap_file_pages getdents64 set_tid_address
restart_syscall semtimedop fadvise64 timer_create timer_settime timer_gettime
timer_getoverrun timer_delete clock_gettime clock_getres clock_nanosleep
exit_group epoll_wait epoll_ctl tgkill utimes mq_open mq_unlink mq_timedsend
mq_timedreceive mq_notify mq_getsetattr waitid ioprio_get inotify_init
inotify_add_watch inotify_rm_watch openat mkdirat fchownat futimesat newfstatat
unlinkat renameat linkat symlinkat readlinkat fchmodat faccessat pselect6 ppoll
set_robust_list get_robust_list splice tee sync_file_range vmsplice utimensat
epoll_pwait signalfd timerfd_create eventfd fallocate timerfd_settime
timerfd_gettime accept4 signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1
preadv pwritev rt_tgsigqueueinfo recvmmsg syncfs sendmmsg getcpu sched_setattr
sched_getattr renameat2 seccomp getrandom memfd_create execveat membarrier mlock2
copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx
io_pgetevents rseq pidfd_send_signal pidfd_open close_range openat2 faccessat2
epoll_pwait2 landlock_create_ruleset landlock_add_rule landlock_restrict_self
memfd_secret process_mrelease futex_waitv
`

// refusedNames answer EPERM in every profile.
const refusedNames = `
syslog vhangup modify_ldt adjtimex acct settimeofday swapon swapoff reboot iopl
ioperm init_module delete_module quotactl lookup_dcookie clock_settime kexec_load
add_key request_key keyctl perf_event_open fanotify_init fanotify_mark
name_to_handle_at open_by_handle_at clock_adjtime finit_module kexec_file_load bpf
userfaultfd pidfd_getfd process_madvise quotactl_fd
`

// debugNames answer EPERM but under Debug, nestedNames but under Nested.
const (
	debugNames  = `ptrace process_vm_readv process_vm_writev kcmp`
	nestedNames = `
pivot_root chroot mount umount2 sethostname setdomainname unshare setns open_tree
move_mount fsopen fsconfig fsmount fspick mount_setattr
`
)

// absentNames answer ENOSYS in every profile: calls refused that way, calls that
// no kernel has any more, and uretprobe and uprobe, which have no business with
// a filter.
const absentNames = `
uselib ustat sysfs _sysctl create_module get_kernel_syms query_module nfsservctl
getpmsg putpmsg afs_syscall tuxcall security set_thread_area get_thread_area
epoll_ctl_old epoll_wait_old vserver uretprobe uprobe
io_uring_setup io_uring_enter io_uring_register clone3
mbind set_mempolicy get_mempolicy migrate_pages move_pages
`

// ruledNames are judged by their arguments: argument_test.go.
const ruledNames = `
ioctl socket socketpair clone mknod personality setrlimit mknodat prlimit64
setpriority ioprio_set
`

const (
	retAllow = 0x7fff0000 // SECCOMP_RET_ALLOW
	retErrno = 0x00050000 // SECCOMP_RET_ERRNO, the errno in the low half
)

func errno(e syscall.Errno) uint32 { return retErrno | uint32(e) }

// firstFutureNumber is the first number that no profile ever allows.
const firstFutureNumber = 450

// verdicts returns the answer by name under a profile; ruledNames are left out.
func verdicts(p filters.Profile) map[string]uint32 {
	want := make(map[string]uint32)
	add := func(names string, verdict uint32) {
		for _, name := range strings.Fields(names) {
			if _, twice := want[name]; twice {
				panic(fmt.Sprintf("%s stands in two tables", name))
			}
			want[name] = verdict
		}
	}
	openIf := func(open bool) uint32 {
		if open {
			return retAllow
		}
		return errno(syscall.EPERM)
	}
	add(allowedNames, retAllow)
	add(refusedNames, errno(syscall.EPERM))
	add(debugNames, openIf(p == filters.Debug))
	add(nestedNames, openIf(p == filters.Nested))
	add(absentNames, errno(syscall.ENOSYS))
	return want
}

// Every number that a kernel gives a meaning below 450 is in exactly one table,
// and the tables hold no name that neither architecture has.
func TestVerdictTablesAreComplete(t *testing.T) {
	want := verdicts(filters.Default)
	for _, name := range strings.Fields(ruledNames) {
		if _, twice := want[name]; twice {
			t.Errorf("%s is ruled and stands in another table", name)
		}
		want[name] = 0
	}
	known := make(map[string]bool)
	for _, arch := range arches {
		for name, nr := range arch.numbers(t) {
			known[name] = true
			if _, listed := want[name]; nr < firstFutureNumber && !listed {
				t.Errorf("%s: number %d %s stands in no table", arch.name, nr, name)
			}
			if _, listed := want[name]; nr >= firstFutureNumber && listed {
				t.Errorf("%s: number %d %s stands in a table; all of %d and up are refused", arch.name, nr, name, firstFutureNumber)
			}
		}
	}
	for name := range want {
		if !known[name] {
			t.Errorf("%s is no system call", name)
		}
	}
}

// Every number of 0 to 1023 gets the table's answer whatever the arguments; the
// same numbers with the x32 bit, and negative ones, get ENOSYS.
func TestEveryNumber(t *testing.T) {
	nosys := errno(syscall.ENOSYS)
	forEachProgram(t, func(t *testing.T, arch arch, p filters.Profile, prog program) {
		want, name := verdicts(p), arch.names(t)
		for nr := uint32(0); nr < 1024; nr++ {
			for _, args := range [][6]uint64{{}, allOnes} {
				checkVerdict(t, prog, call{nr: x32Bit | nr, arch: arch.audit, args: args}, nosys, "x32 "+name[nr])
				checkVerdict(t, prog, call{nr: ^nr, arch: arch.audit, args: args}, nosys, "negative")
				if verdict, ok := answer(want, name[nr]); ok {
					checkVerdict(t, prog, call{nr: nr, arch: arch.audit, args: args}, verdict, name[nr])
				}
			}
		}
	})
}

// answer looks a name up; ok is false for a ruled one, and no name is ENOSYS.
func answer(want map[string]uint32, name string) (verdict uint32, ok bool) {
	if verdict, ok = want[name]; ok {
		return verdict, true
	}
	ruled := slices.Contains(strings.Fields(ruledNames), name)
	return errno(syscall.ENOSYS), !ruled
}

// A foreign ABI gets ENOSYS for every number, never a kill: a kill writes a line
// to the kernel's log.
func TestForeignABIs(t *testing.T) {
	forEachProgram(t, func(t *testing.T, arch arch, p filters.Profile, prog program) {
		for _, audit := range foreign {
			if audit == arch.audit {
				continue
			}
			for nr := uint32(0); nr < 1024; nr++ {
				for _, bit := range []uint32{0, x32Bit, 0x80000000} {
					checkVerdict(t, prog, call{nr: bit | nr, arch: audit}, errno(syscall.ENOSYS), "foreign")
				}
			}
		}
	})
}

// hotNames are called so often that an argument rule on them is felt: their
// verdict must depend on the number alone, so that the kernel's bitmap answers.
const hotNames = `
read write open openat openat2 close stat fstat lstat newfstatat statx lseek mmap
munmap mprotect brk readv writev pread64 pwrite64 access faccessat faccessat2
readlink readlinkat getdents64 poll ppoll select pselect6 epoll_wait epoll_pwait
epoll_ctl futex clock_gettime gettimeofday nanosleep clock_nanosleep rt_sigaction
rt_sigprocmask rt_sigreturn sched_yield getpid gettid getppid madvise fcntl dup
pipe2 sendto recvfrom sendmsg recvmsg sendfile execve wait4 exit_group unlink
unlinkat rename renameat renameat2 mkdir mkdirat
`

func TestHotCallsReadNoArgument(t *testing.T) {
	forEachProgram(t, func(t *testing.T, arch arch, p filters.Profile, prog program) {
		numbers := arch.numbers(t)
		for _, name := range strings.Fields(hotNames) {
			nr, has := numbers[name]
			if !has {
				continue
			}
			if _, usedArgs := prog.run(t, call{nr: nr, arch: arch.audit}); usedArgs {
				t.Errorf("%s: the verdict depends on an argument", name)
			}
		}
		if _, usedArgs := prog.run(t, call{nr: numbers["ioctl"], arch: arch.audit}); !usedArgs {
			t.Error("ioctl: the evaluator reports no argument read, though the verdict depends on one")
		}
	})
}
