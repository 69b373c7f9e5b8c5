package probes

import (
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const (
	syscalls = policy.PlaneSet(1 << policy.Syscalls)

	debugProfile  = "debug"
	nestedProfile = "nested"
)

// call is a system call that the filter answers and that, without a filter, the
// kernel answers otherwise whoever makes it: the arguments are invalid, and that
// is found before any permission is looked at. Outside, one of reached shows
// that the kernel looked at it (as a call that succeeds does), inside, refused
// that it did not.
type call struct {
	name    string
	nr      int
	args    [6]uint64
	reached [3]int16
	refused int16
	also    policy.PlaneSet // planes that the call matters to besides syscalls
	openIn  string          // the profile that allows it
}

const (
	none      = ^uint64(0)  // a descriptor that is none
	cwd       = ^uint64(99) // AT_FDCWD
	ownKeys   = ^uint64(0)  // KEY_SPEC_THREAD_KEYRING: asking for it makes none, unlike the session's
	badFlags  = 0x4000_0000 // flags that no call of the table knows
	badNumber = 0x1000

	ioprioWhoPgrp = 2 // of group 0, one's own: it may reach out of the pid namespace
)

// calls holds at least one call of each class that the filter refuses. Not in it
// are classes that a caller without privileges cannot reach at all: loading
// modules and kexec, accounting, reboot, raw I/O ports.
var calls = [...]call{
	{name: "clone3", nr: sysClone3, reached: [3]int16{eINVAL}, refused: eNOSYS},
	{name: "io_uring_setup", nr: sysIoUringSetup, reached: [3]int16{eFAULT}, refused: eNOSYS},
	{name: "io_uring_enter", nr: sysIoUringEnter, args: [6]uint64{none}, reached: [3]int16{eBADF}, refused: eNOSYS},
	{name: "cachestat", nr: sysCachestat, args: [6]uint64{none}, reached: [3]int16{eBADF}, refused: eNOSYS},
	{name: "statmount", nr: sysStatmount, reached: [3]int16{eFAULT}, refused: eNOSYS},
	{name: "add_key", nr: syscall.SYS_ADD_KEY, reached: [3]int16{eFAULT}, refused: ePERM},
	{name: "request_key", nr: syscall.SYS_REQUEST_KEY, reached: [3]int16{eFAULT}, refused: ePERM},
	{name: "keyctl", nr: syscall.SYS_KEYCTL, args: [6]uint64{keyctlGetKeyringID, ownKeys}, reached: [3]int16{eNOKEY}, refused: ePERM, also: ipc},
	{name: "ptrace", nr: syscall.SYS_PTRACE, args: [6]uint64{1}, reached: [3]int16{eSRCH}, refused: ePERM, openIn: debugProfile},
	{name: "kcmp", nr: sysKcmp, reached: [3]int16{eSRCH}, refused: ePERM, openIn: debugProfile},
	{name: "process_vm_readv", nr: sysProcessVMReadv, args: [6]uint64{5: 1}, reached: [3]int16{eINVAL}, refused: ePERM, openIn: debugProfile},
	{name: "pidfd_getfd", nr: sysPidfdGetfd, args: [6]uint64{none, none, 1}, reached: [3]int16{eINVAL}, refused: ePERM},
	{name: "process_madvise", nr: sysProcessMadvise, args: [6]uint64{none, 4: 1}, reached: [3]int16{eINVAL}, refused: ePERM},
	{name: "perf_event_open", nr: syscall.SYS_PERF_EVENT_OPEN, args: [6]uint64{4: 1 << 31}, reached: [3]int16{eINVAL}, refused: ePERM},
	{name: "bpf", nr: sysBpf, args: [6]uint64{2: 1 << 20}, reached: [3]int16{e2BIG}, refused: ePERM},
	{name: "userfaultfd", nr: sysUserfaultfd, args: [6]uint64{uffdUserModeOnly | 0x40}, reached: [3]int16{eINVAL}, refused: ePERM},
	{name: "unshare", nr: syscall.SYS_UNSHARE, args: [6]uint64{1}, reached: [3]int16{eINVAL}, refused: ePERM, openIn: nestedProfile},
	{name: "setns", nr: sysSetns, args: [6]uint64{none}, reached: [3]int16{eBADF}, refused: ePERM, also: processes, openIn: nestedProfile},
	{name: "mount", nr: syscall.SYS_MOUNT, args: [6]uint64{2: none}, reached: [3]int16{eFAULT}, refused: ePERM, openIn: nestedProfile},
	{name: "umount2", nr: syscall.SYS_UMOUNT2, args: [6]uint64{1: badFlags}, reached: [3]int16{eINVAL}, refused: ePERM, openIn: nestedProfile},
	{name: "open_tree", nr: sysOpenTree, args: [6]uint64{none, 2: badFlags}, reached: [3]int16{eINVAL}, refused: ePERM, openIn: nestedProfile},
	{name: "mount_setattr", nr: sysMountSetattr, args: [6]uint64{none, 2: badFlags}, reached: [3]int16{eINVAL}, refused: ePERM, openIn: nestedProfile},
	{name: "chroot", nr: syscall.SYS_CHROOT, reached: [3]int16{eFAULT}, refused: ePERM, openIn: nestedProfile},
	{name: "name_to_handle_at", nr: sysNameToHandleAt, args: [6]uint64{none, 4: badFlags}, reached: [3]int16{eINVAL}, refused: ePERM},
	{name: "fanotify_mark", nr: syscall.SYS_FANOTIFY_MARK, args: [6]uint64{none, badFlags, 0, none}, reached: [3]int16{eINVAL}, refused: ePERM},
	{name: "mknod_device", nr: syscall.SYS_MKNODAT, args: [6]uint64{cwd, 0, syscall.S_IFBLK | 0o600}, reached: [3]int16{eFAULT}, refused: ePERM},
	{name: "get_mempolicy", nr: syscall.SYS_GET_MEMPOLICY, args: [6]uint64{4: badNumber}, reached: [3]int16{eINVAL}, refused: eNOSYS},
	{name: "clock_settime", nr: syscall.SYS_CLOCK_SETTIME, reached: [3]int16{eFAULT}, refused: ePERM},
	{name: "clock_adjtime", nr: sysClockAdjtime, reached: [3]int16{eFAULT}, refused: ePERM},
	{name: "ioprio_set_group", nr: syscall.SYS_IOPRIO_SET, args: [6]uint64{ioprioWhoPgrp, 0, none}, reached: [3]int16{eINVAL}, refused: ePERM, also: processes},
	{name: "quotactl", nr: syscall.SYS_QUOTACTL, args: [6]uint64{0xff}, reached: [3]int16{eINVAL}, refused: ePERM},
	{name: "swapon", nr: syscall.SYS_SWAPON, args: [6]uint64{1: badFlags}, reached: [3]int16{eINVAL}, refused: ePERM},
	{name: "ioctl_tiocsti_high_bit", nr: syscall.SYS_IOCTL, args: [6]uint64{none, tiocSTI | high}, reached: [3]int16{eBADF}, refused: ePERM},
	{name: "socket_vsock", nr: syscall.SYS_SOCKET, args: [6]uint64{afVsock, sockMax}, reached: [3]int16{eINVAL}, refused: eAFNOSUPPORT},
}

func (m *maker) syscalls() {
	for i := range calls {
		m.calling(&calls[i])
	}
	m.executionDomain()
	m.twinCall("getpid", syscall.SYS_GETPID)
	m.twinCall("clock_gettime", syscall.SYS_CLOCK_GETTIME, child.Imm(1), child.Ptr(m.Alloc(16, 8)))
}

// calling adds one call of the table unless the profile allows it.
func (m *maker) calling(c *call) {
	if c.openIn != "" && c.openIn == m.plan.Filter {
		return
	}
	s := &spec{
		meaning: meaning{name: "call", object: c.name, what: "make the call"},
		planes:  syscalls | c.also,
		refused: [3]refusal{{c.refused, SyscallFilter}},
		allowed: c.reached,
	}
	m.add(s, func(b *child.Builder) {
		b.Decide(c.nr, child.Imm(c.args[0]), child.Imm(c.args[1]), child.Imm(c.args[2]), child.Imm(c.args[3]), child.Imm(c.args[4]), child.Imm(c.args[5]))
	}, nil)
}

// executionDomain asks for pages that are executable because they are readable.
// It succeeds outside; the domain that was in force is set again.
func (m *maker) executionDomain() {
	s := &spec{
		meaning: meaning{name: "call", object: "personality", what: "make readable pages executable"},
		planes:  syscalls,
		refused: [3]refusal{{ePERM, SyscallFilter}},
	}
	m.add(s, func(b *child.Builder) {
		b.Decide(syscall.SYS_PERSONALITY, child.Imm(personReadImpliesExec)).Save = child.ActSlot(0)
		b.Clean(syscall.SYS_PERSONALITY, child.Slot(child.ActSlot(0))) // -1 only asks
	}, nil)
}

func (m *maker) twinCall(name string, nr int, args ...child.Arg) {
	s := &spec{meaning: meaning{name: "call_works", object: name, what: "make an ordinary call"}, planes: syscalls, kind: child.Working}
	m.add(s, func(b *child.Builder) { b.Decide(nr, args...) }, nil)
}

// foreign enters the kernel through other ABIs.
func (m *maker) foreign() {
	for i := range foreignCalls {
		m.calling(&foreignCalls[i])
	}
	if len(program32) > 0 {
		m.gate32()
	}
}

// gate32 goes through the 32-bit gate. Where a kernel has none
// (CONFIG_IA32_EMULATION, ia32_emulation=0) the attempt is a signal and no errno.
// So outside a 32-bit program is executed, which ends through the gate; without
// the gate it is ENOEXEC. Only where it ran is the gate tried inside, and then by the
// session copy as its last act: a foreign binary format could have run the program
// without any gate.
func (m *maker) gate32() {
	image, size := m.Bytes(program32, 8), len(program32)
	root := m.String("/")
	name, argv, env := m.String(""), m.Vector([]string{"sovrun"}), m.Words(0)
	m.add(&spec{
		meaning: meaning{name: "call", object: "int_0x80", what: "make a call through the 32-bit gate", differs: "a 32-bit program that ends through the gate"},
		planes:  syscalls,
		refused: [3]refusal{{eNOSYS, SyscallFilter}},
		where:   child.InSession,
		gated:   true,
	}, func(b *child.Builder) { b.Decide(child.OpInt80, child.Imm(int80Getpid)) }, func(b *child.Builder) {
		file := child.Slot(child.ActSlot(0))
		b.Try(syscall.SYS_CLONE, child.Imm(int(syscall.SIGCHLD)), child.Imm(0), child.Imm(0), child.Imm(0), child.Imm(0)).Flags |= child.FlagCopy
		// Where root hands over, the program is the new user's altogether, and another
		// process of that user could take its descriptors (pidfd_getfd(2)) or walk on
		// from its directory (/proc/PID/cwd).
		b.Try(sysCloseRange, child.Imm(0), child.Imm(1<<31-1), child.Imm(0))
		b.Try(syscall.SYS_CHDIR, child.Ptr(root))
		b.Try(sysMemfdCreate, child.Ptr(name), child.Imm(1)).Save = child.ActSlot(0) // MFD_CLOEXEC
		b.Try(syscall.SYS_WRITE, file, child.Ptr(image), child.Imm(size)).Want = int64(size)
		b.Decide(sysExecveat, file, child.Ptr(name), child.Ptr(argv), child.Ptr(env), child.Imm(atEmptyPath))
	})
}
