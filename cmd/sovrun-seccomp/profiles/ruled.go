package profiles

import (
	"syscall"

	"github.com/opencontainers/runtime-spec/specs-go"
)

// ruling is an argument rule of the profiles that notIn and onlyIn leave.
type ruling struct {
	rule   specs.LinuxSyscall
	notIn  []string
	onlyIn string
}

// The kernel reads an int or unsigned int argument from the low half of its
// register, the filter sees the whole of it: a rule that compares 64 bits lets
// TIOCSTI|1<<32 through (CVE-2019-7303 in snapd). So a refusal compares the low
// half alone (low32), and a comparison of 64 bits is used only where a set high
// half ends in a refusal.

// low32 matches when the low half of argument i is v.
func low32(i uint, v uint64) specs.LinuxSeccompArg { return masked(i, 0xffffffff, v) }

// masked matches when the bits of mask in argument i are exactly v.
func masked(i uint, mask, v uint64) specs.LinuxSeccompArg {
	return specs.LinuxSeccompArg{Index: i, Op: specs.OpMaskedEqual, Value: mask, ValueTwo: v}
}

// whole compares all 64 bits of argument i.
func whole(i uint, op specs.LinuxSeccompOperator, v uint64) specs.LinuxSeccompArg {
	return specs.LinuxSeccompArg{Index: i, Op: op, Value: v}
}

// Kernel constants by the name of their symbol; the same on amd64 and arm64.
const (
	afUnix    = 1
	afInet    = 2
	afInet6   = 10
	afNetlink = 16

	sockTypeMask = 0xf // SOCK_TYPE_MASK: the rest of the word is flags
	sockStream   = 1
	sockDgram    = 2
	sockRaw      = 3

	netlinkRoute  = 0
	ipprotoUDP    = 17
	ipprotoICMPv6 = 58

	tiocSTI   = 0x5412
	tiocLinux = 0x541c
	tiocSetD  = 0x5423
	kdIoctls  = 0x4b00 // KDSKBENT and all others of linux/kd.h
	vtIoctls  = 0x5600 // VT_ACTIVATE and all others of linux/vt.h

	rlimitCore = 4

	prioPgrp      = 1 // PRIO_PGRP
	ioprioWhoPgrp = 2 // IOPRIO_WHO_PGRP

	sIFMT  = 0xf000
	sIFCHR = 0x2000
	sIFBLK = 0x6000

	perLinux        = 0
	perLinux32      = 0x0008
	addrNoRandomize = 0x0040000
	perQuery        = 0xffffffff

	// CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID and NET. CLONE_NEWTIME (0x80)
	// lies in the exit signal of clone(2) and cannot be given there.
	cloneNew = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 |
		0x10000000 | 0x20000000 | 0x40000000
)

// ruled is every argument rule. Two rules of one name never match the same
// arguments with different answers: the library leaves open which one wins.
var ruled = concat(cloneRules, personalityRules, socketRules, ioctlRules, coreRules, mknodRules, groupRules)

func concat(tables ...[]ruling) (all []ruling) {
	for _, t := range tables {
		all = append(all, t...)
	}
	return all
}

var cloneRules = []ruling{
	{rule: allow([]string{"clone"}, masked(0, cloneNew, 0)), notIn: []string{Nested}},
}

// Exact values: READ_IMPLIES_EXEC, MMAP_PAGE_ZERO, ADDR_COMPAT_LAYOUT and every
// other bit that weakens the caller's own hardening stays refused.
var personalityRules = []ruling{
	{rule: allow([]string{"personality"}, low32(0, perLinux))},
	{rule: allow([]string{"personality"}, low32(0, perLinux32))},
	{rule: allow([]string{"personality"}, low32(0, perQuery))},
	{rule: allow([]string{"personality"}, low32(0, addrNoRandomize)), onlyIn: Debug},
	{rule: allow([]string{"personality"}, low32(0, addrNoRandomize|perLinux32)), onlyIn: Debug},
}

var socketRules = concat(
	[]ruling{
		{rule: allow([]string{"socket", "socketpair"}, low32(0, afUnix))},
		{rule: allow([]string{"socket"}, low32(0, afNetlink), whole(2, specs.OpEqualTo, netlinkRoute))},
		{rule: refuse([]string{"socket"}, syscall.EPROTONOSUPPORT,
			low32(0, afNetlink), whole(2, specs.OpNotEqual, netlinkRoute))},
	},
	inet(afInet, ipprotoUDP),
	inet(afInet6, ipprotoICMPv6),
)

// inet allows streams and datagrams of family up to protocol last, which covers
// TCP, UDP and ICMP echo. Above it are UDP-Lite (136), SCTP (132), L2TP (115),
// SMC (256) and MPTCP (262); socket(2) loads their modules for anybody, and
// Landlock's TCP rules see none of them.
func inet(family, last uint64) []ruling {
	socket := []string{"socket"}
	kind := func(mask, v uint64) specs.LinuxSeccompArg { return masked(1, mask, v) }
	var rules []ruling
	for _, t := range []uint64{sockStream, sockDgram} {
		rules = append(rules,
			ruling{rule: allow(socket, low32(0, family), kind(sockTypeMask, t),
				whole(2, specs.OpLessEqual, last))},
			ruling{rule: refuse(socket, syscall.EPROTONOSUPPORT, low32(0, family),
				kind(sockTypeMask, t), whole(2, specs.OpGreaterThan, last))})
	}
	return append(rules,
		// The kernel's own answer without CAP_NET_RAW.
		ruling{rule: refuse(socket, syscall.EPERM, low32(0, family), kind(sockTypeMask, sockRaw))},
		// Types 0, 4 to 7 (SEQPACKET is SCTP, 6 is DCCP) and 8 to 15.
		ruling{rule: refuse(socket, syscall.ESOCKTNOSUPPORT, low32(0, family), kind(sockTypeMask, 0))},
		ruling{rule: refuse(socket, syscall.ESOCKTNOSUPPORT, low32(0, family), kind(0xc, 4))},
		ruling{rule: refuse(socket, syscall.ESOCKTNOSUPPORT, low32(0, family), kind(8, 8))})
}

var ioctlRules = []ruling{
	{rule: refuse([]string{"ioctl"}, syscall.EPERM, low32(1, tiocSTI))},
	{rule: refuse([]string{"ioctl"}, syscall.EPERM, low32(1, tiocLinux))},
	{rule: refuse([]string{"ioctl"}, syscall.EPERM, low32(1, tiocSetD))},
	{rule: refuse([]string{"ioctl"}, syscall.EPERM, masked(1, 0xffffff00, kdIoctls))},
	{rule: refuse([]string{"ioctl"}, syscall.EPERM, masked(1, 0xffffff00, vtIoctls))},
}

// Errno 0 is success without the call: the limit of 1 that stops a core_pattern
// pipe stays, and `ulimit -c` goes on. A new limit is any pointer but NULL, in
// all 64 bits; with NULL prlimit64 only reads, and reads the truth.
var coreRules = []ruling{
	{rule: refuse([]string{"setrlimit"}, 0, low32(0, rlimitCore))},
	{rule: refuse([]string{"prlimit64"}, 0, low32(1, rlimitCore), whole(2, specs.OpNotEqual, 0))},
}

// mknodMode is the place of the mode in each call; the device follows it.
var mknodMode = map[string]uint{"mknod": 1, "mknodat": 2}

// Devices; FIFOs, sockets and plain files pass. `nested` keeps character device
// 0:0, the whiteout of an overlay, which the kernel lets anyone make since 5.8.
var mknodRules = concat(mknod("mknod"), mknod("mknodat"))

func mknod(name string) []ruling {
	names, mode := []string{name}, mknodMode[name]
	return []ruling{
		{rule: refuse(names, syscall.EPERM, masked(mode, sIFMT, sIFBLK))},
		{rule: refuse(names, syscall.EPERM, masked(mode, sIFMT, sIFCHR)), notIn: []string{Nested}},
		{rule: refuse(names, syscall.EPERM, masked(mode, sIFMT, sIFCHR),
			whole(mode+1, specs.OpNotEqual, 0)), onlyIn: Nested},
	}
}

// Group 0 is the caller's own process group, all of it: members outside of the pid
// namespace too, who have no number inside (kernel/sys.c, block/ioprio.c). A group
// with a number is one of the sandbox.
var groupRules = []ruling{
	{rule: refuse([]string{"setpriority"}, syscall.EPERM, low32(0, prioPgrp), low32(1, 0))},
	{rule: refuse([]string{"ioprio_set"}, syscall.EPERM, low32(0, ioprioWhoPgrp), low32(1, 0))},
}
