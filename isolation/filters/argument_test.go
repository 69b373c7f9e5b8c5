package filters_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/sovrun/sovrun/isolation/filters"
)

// high is a bit of the half that the kernel does not look at for an int.
const high = 1 << 32

// argCase is a call, by name and arguments, and the answer of each profile.
// Arguments not given are all ones, so that no rule leans on a zero there.
type argCase struct {
	name string
	args []uint64
	want uint32
	// debug and nested replace want under their profile unless 0.
	debug, nested uint32
}

var (
	pass    = uint32(retAllow)
	success = errno(0)
	eperm   = errno(syscall.EPERM)
	noFam   = errno(syscall.EAFNOSUPPORT)
	noProto = errno(syscall.EPROTONOSUPPORT)
	noType  = errno(syscall.ESOCKTNOSUPPORT)
)

var ioctlCases = []argCase{
	// TIOCSTI and its neighbours TIOCOUTQ and TIOCGWINSZ.
	{name: "ioctl", args: []uint64{0, 0x5411}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x5412}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x5412 | high}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x5412 | 0xffffffff<<32}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x5412 | 1<<63}, want: eperm},
	{name: "ioctl", args: []uint64{high, 0x5412}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x5413}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x5412 | 1<<31}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x5412 | 1<<16}, want: pass},
	// TIOCLINUX between TIOCMSET+… and TIOCCONS.
	{name: "ioctl", args: []uint64{0, 0x541b}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x541c}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x541c | high}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x541d}, want: pass},
	// TIOCSETD between TIOCNOTTY and TIOCGETD.
	{name: "ioctl", args: []uint64{0, 0x5422}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x5423}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x5423 | high}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x5424}, want: pass},
	// The console: KD* and VT*.
	{name: "ioctl", args: []uint64{0, 0x4aff}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x4b00}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x4b47}, want: eperm}, // KDSKBENT
	{name: "ioctl", args: []uint64{0, 0x4bff | high}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x4c00}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x55ff}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x5600}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x56ff | high}, want: eperm},
	{name: "ioctl", args: []uint64{0, 0x5700}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x80045600}, want: pass},
	// What terminals made inside need: TCGETS, TIOCSCTTY, TIOCGPTN sign-extended.
	{name: "ioctl", args: []uint64{0, 0x5401}, want: pass},
	{name: "ioctl", args: []uint64{0, 0x540e}, want: pass},
	{name: "ioctl", args: []uint64{0, 0xffffffff80045430}, want: pass},
	{name: "ioctl", args: []uint64{0, 0}, want: pass},
	{name: "ioctl", args: []uint64{0, 0xffffffffffffffff}, want: pass},
}

var socketCases = []argCase{
	{name: "socket", args: []uint64{1, 1, 0}, want: pass},
	{name: "socket", args: []uint64{1, 5, 0}, want: pass},
	{name: "socket", args: []uint64{1, 2, 262}, want: pass},
	{name: "socket", args: []uint64{1 | high, 1, 0}, want: pass}, // the kernel's view: AF_UNIX
	// Streams: protocols 0, TCP, and up to the last allowed one.
	{name: "socket", args: []uint64{2, 1, 0}, want: pass},
	{name: "socket", args: []uint64{2, 1, 6}, want: pass},
	{name: "socket", args: []uint64{2, 1 | 0x80800, 6}, want: pass}, // SOCK_CLOEXEC|SOCK_NONBLOCK
	{name: "socket", args: []uint64{2, 1, 17}, want: pass},
	{name: "socket", args: []uint64{2, 1, 18}, want: noProto},
	{name: "socket", args: []uint64{2, 1, 132}, want: noProto}, // SCTP
	{name: "socket", args: []uint64{2, 1, 256}, want: noProto}, // SMC
	{name: "socket", args: []uint64{2, 1, 262}, want: noProto}, // MPTCP
	{name: "socket", args: []uint64{2, 1, 262 | high}, want: noProto},
	{name: "socket", args: []uint64{2 | high, 1, 262}, want: noProto},
	{name: "socket", args: []uint64{2, 1 | high, 262}, want: noProto},
	{name: "socket", args: []uint64{2, 1 | 0x80800, 262}, want: noProto},
	{name: "socket", args: []uint64{2, 1, 0xffffffffffffffff}, want: noProto},
	{name: "socket", args: []uint64{2, 1, high}, want: noProto},
	{name: "socket", args: []uint64{2 | high, 1, 6}, want: pass},
	// Datagrams.
	{name: "socket", args: []uint64{2, 2, 0}, want: pass},
	{name: "socket", args: []uint64{2, 2, 1}, want: pass}, // ICMP echo
	{name: "socket", args: []uint64{2, 2, 17}, want: pass},
	{name: "socket", args: []uint64{2, 2, 115}, want: noProto}, // L2TP
	{name: "socket", args: []uint64{2, 2, 136}, want: noProto}, // UDP-Lite
	{name: "socket", args: []uint64{10, 1, 6}, want: pass},
	{name: "socket", args: []uint64{10, 1, 262}, want: noProto},
	{name: "socket", args: []uint64{10, 1, 262 | high}, want: noProto},
	{name: "socket", args: []uint64{10, 2, 17}, want: pass},
	{name: "socket", args: []uint64{10, 2, 58}, want: pass}, // ICMPv6 echo
	{name: "socket", args: []uint64{10, 2, 59}, want: noProto},
	{name: "socket", args: []uint64{10 | high, 2, 59}, want: noProto},
	// Raw sockets, and types that are none or lead to SCTP and DCCP.
	{name: "socket", args: []uint64{2, 3, 1}, want: eperm},
	{name: "socket", args: []uint64{2, 3 | 0x80000, 255}, want: eperm},
	{name: "socket", args: []uint64{2, 3 | high, 0}, want: eperm},
	{name: "socket", args: []uint64{10, 3, 58}, want: eperm},
	{name: "socket", args: []uint64{2, 0, 0}, want: noType},
	{name: "socket", args: []uint64{2, 4, 0}, want: noType},
	{name: "socket", args: []uint64{2, 5, 0}, want: noType},
	{name: "socket", args: []uint64{2, 5, 132}, want: noType},
	{name: "socket", args: []uint64{2, 6, 33}, want: noType},
	{name: "socket", args: []uint64{2, 7, 0}, want: noType},
	{name: "socket", args: []uint64{2, 8, 0}, want: noType},
	{name: "socket", args: []uint64{10, 10, 0}, want: noType},
	{name: "socket", args: []uint64{10, 15, 0}, want: noType},
	// Netlink: route alone.
	{name: "socket", args: []uint64{16, 3, 0}, want: pass},
	{name: "socket", args: []uint64{16, 2 | 0x80000, 0}, want: pass},
	{name: "socket", args: []uint64{16, 3, 1}, want: noProto},
	{name: "socket", args: []uint64{16, 3, 9}, want: noProto},  // audit
	{name: "socket", args: []uint64{16, 3, 12}, want: noProto}, // netfilter
	{name: "socket", args: []uint64{16, 3, 16}, want: noProto}, // generic
	{name: "socket", args: []uint64{16 | high, 3, 12}, want: noProto},
	{name: "socket", args: []uint64{16, 3, high}, want: noProto},
	{name: "socket", args: []uint64{16, 3, 0xffffffffffffffff}, want: noProto},
	// Pairs: AF_UNIX alone.
	{name: "socketpair", args: []uint64{1, 1, 0}, want: pass},
	{name: "socketpair", args: []uint64{1 | high, 1, 0}, want: pass},
	{name: "socketpair", args: []uint64{0, 1, 0}, want: noFam},
	{name: "socketpair", args: []uint64{2, 1, 0}, want: noFam},
	{name: "socketpair", args: []uint64{30, 1, 0}, want: noFam}, // AF_TIPC
	{name: "socketpair", args: []uint64{2 | high, 1, 0}, want: noFam},
}

var cloneCases = []argCase{
	{name: "clone", args: []uint64{17}, want: pass},
	{name: "clone", args: []uint64{0x3d0f00}, want: pass}, // a glibc thread
	{name: "clone", args: []uint64{0x4111}, want: pass},   // CLONE_VM|CLONE_VFORK|SIGCHLD
	{name: "clone", args: []uint64{0x3d0f00 | high}, want: pass},
	{name: "clone", args: []uint64{0x80}, want: pass}, // CLONE_NEWTIME is part of the signal here
	{name: "clone", args: []uint64{0x00020000}, want: eperm, nested: pass},
	{name: "clone", args: []uint64{0x02000000}, want: eperm, nested: pass},
	{name: "clone", args: []uint64{0x04000000}, want: eperm, nested: pass},
	{name: "clone", args: []uint64{0x08000000}, want: eperm, nested: pass},
	{name: "clone", args: []uint64{0x10000000}, want: eperm, nested: pass},
	{name: "clone", args: []uint64{0x20000000}, want: eperm, nested: pass},
	{name: "clone", args: []uint64{0x40000000}, want: eperm, nested: pass},
	{name: "clone", args: []uint64{0x10000000 | 17}, want: eperm, nested: pass},
	{name: "clone", args: []uint64{0x10000000 | high}, want: eperm, nested: pass},
	{name: "clone", args: []uint64{0xffffffffffffffff}, want: eperm, nested: pass},
}

var personalityCases = []argCase{
	{name: "personality", args: []uint64{0}, want: pass},
	{name: "personality", args: []uint64{8}, want: pass},
	{name: "personality", args: []uint64{0xffffffff}, want: pass},
	{name: "personality", args: []uint64{0xffffffffffffffff}, want: pass},
	{name: "personality", args: []uint64{high}, want: pass}, // the kernel's view: 0
	{name: "personality", args: []uint64{0x0040000}, want: eperm, debug: pass},
	{name: "personality", args: []uint64{0x0040008}, want: eperm, debug: pass},
	{name: "personality", args: []uint64{0x0040000 | high}, want: eperm, debug: pass},
	{name: "personality", args: []uint64{0x0400000}, want: eperm}, // READ_IMPLIES_EXEC
	{name: "personality", args: []uint64{0x0400000 | high}, want: eperm},
	{name: "personality", args: []uint64{0x0440000}, want: eperm},
	{name: "personality", args: []uint64{0x0100000}, want: eperm}, // MMAP_PAGE_ZERO
	{name: "personality", args: []uint64{0x0200000}, want: eperm}, // ADDR_COMPAT_LAYOUT
	{name: "personality", args: []uint64{0x0020000}, want: eperm}, // UNAME26
	{name: "personality", args: []uint64{1}, want: eperm},
	{name: "personality", args: []uint64{7}, want: eperm},
	{name: "personality", args: []uint64{9}, want: eperm},
	{name: "personality", args: []uint64{0xfffffffe}, want: eperm},
}

var limitCases = []argCase{
	{name: "setrlimit", args: []uint64{3}, want: pass},
	{name: "setrlimit", args: []uint64{4}, want: success},
	{name: "setrlimit", args: []uint64{4 | high}, want: success},
	{name: "setrlimit", args: []uint64{5}, want: pass},
	{name: "setrlimit", args: []uint64{4 | 1<<31}, want: pass}, // EINVAL in the kernel
	{name: "prlimit64", args: []uint64{0, 4, 0, 0}, want: pass},
	{name: "prlimit64", args: []uint64{0, 4, 0}, want: pass},
	{name: "prlimit64", args: []uint64{0, 4, 1}, want: success},
	{name: "prlimit64", args: []uint64{0, 4, high}, want: success},
	{name: "prlimit64", args: []uint64{0, 4, 1 << 47}, want: success},
	{name: "prlimit64", args: []uint64{0, 4 | high, high}, want: success},
	{name: "prlimit64", args: []uint64{0, 4 | high, 0}, want: pass},
	{name: "prlimit64", args: []uint64{1, 4, 0x7fff0000}, want: success},
	{name: "prlimit64", args: []uint64{0, 3, 0x7fff0000}, want: pass},
	{name: "prlimit64", args: []uint64{0, 5, 0x7fff0000}, want: pass},
	{name: "prlimit64", args: []uint64{0, 7, 0x7fff0000}, want: pass},
}

var mknodCases = []argCase{
	{name: "mknod", args: []uint64{0, 0o644, 0}, want: pass},
	{name: "mknod", args: []uint64{0, 0o100644, 0}, want: pass},
	{name: "mknod", args: []uint64{0, 0o010644, 0}, want: pass}, // FIFO
	{name: "mknod", args: []uint64{0, 0o140644, 0}, want: pass}, // socket
	{name: "mknod", args: []uint64{0, 0o020666, 0}, want: eperm, nested: pass},
	{name: "mknod", args: []uint64{0, 0o020666 | high, 0}, want: eperm, nested: pass},
	{name: "mknod", args: []uint64{0, 0o020666 | 1<<16, 0}, want: eperm, nested: pass},
	{name: "mknod", args: []uint64{0, 0o020666, 0x103}, want: eperm},
	{name: "mknod", args: []uint64{0, 0o020666, high}, want: eperm},
	{name: "mknod", args: []uint64{0, 0o060660, 0}, want: eperm},
	{name: "mknod", args: []uint64{0, 0o060660 | high, 0x800}, want: eperm},
	{name: "mknodat", args: []uint64{0, 0, 0o010644, 0}, want: pass},
	{name: "mknodat", args: []uint64{0, 0, 0o140644, 0x103}, want: pass},
	{name: "mknodat", args: []uint64{0, 0, 0o020666, 0}, want: eperm, nested: pass},
	{name: "mknodat", args: []uint64{0, 0, 0o020666 | high, 0x103}, want: eperm},
	{name: "mknodat", args: []uint64{0, 0, 0o020666, 0x103}, want: eperm},
	{name: "mknodat", args: []uint64{0, 0, 0o060660, 0}, want: eperm},
	{name: "mknodat", args: []uint64{0, 0o060660, 0o644, 0}, want: pass},
}

var groupCases = []argCase{
	{name: "setpriority", args: []uint64{0, 0}, want: pass}, // PRIO_PROCESS, oneself
	{name: "setpriority", args: []uint64{1, 0}, want: eperm},
	{name: "setpriority", args: []uint64{1 | high, high}, want: eperm},
	{name: "setpriority", args: []uint64{1, 7}, want: pass},
	{name: "setpriority", args: []uint64{2, 0}, want: pass}, // PRIO_USER: only who is in view
	{name: "ioprio_set", args: []uint64{1, 0}, want: pass},
	{name: "ioprio_set", args: []uint64{2, 0}, want: eperm},
	{name: "ioprio_set", args: []uint64{2 | high, high}, want: eperm},
	{name: "ioprio_set", args: []uint64{2, 7}, want: pass},
	{name: "ioprio_set", args: []uint64{3, 0}, want: pass},
}

func argCases() []argCase {
	var all []argCase
	for _, table := range [][]argCase{ioctlCases, socketCases, cloneCases, personalityCases, limitCases, mknodCases, groupCases} {
		all = append(all, table...)
	}
	return all
}

func (c argCase) wantIn(p filters.Profile) uint32 {
	switch {
	case p == filters.Debug && c.debug != 0:
		return c.debug
	case p == filters.Nested && c.nested != 0:
		return c.nested
	}
	return c.want
}

func (c argCase) arguments() [6]uint64 {
	args := allOnes
	copy(args[:], c.args)
	return args
}

func TestArguments(t *testing.T) {
	forEachProgram(t, func(t *testing.T, arch arch, p filters.Profile, prog program) {
		numbers := arch.numbers(t)
		for _, c := range argCases() {
			if nr, has := numbers[c.name]; has {
				checkVerdict(t, prog, call{nr: nr, arch: arch.audit, args: c.arguments()}, c.wantIn(p), c.name)
			}
		}
	})
}

// Every call that is ruled has cases.
func TestArgumentCasesAreComplete(t *testing.T) {
	covered := make(map[string]bool)
	for _, c := range argCases() {
		covered[c.name] = true
	}
	for _, name := range strings.Fields(ruledNames) {
		if !covered[name] {
			t.Errorf("%s is ruled and has no case", name)
		}
		delete(covered, name)
	}
	for name := range covered {
		t.Errorf("%s has cases and is not ruled", name)
	}
}

// Families 0 to 63 and beyond: four pass, all others are unknown, whatever type
// and protocol stand beside them.
func TestSocketFamilies(t *testing.T) {
	open := map[uint64]bool{1: true, 2: true, 10: true, 16: true}
	forEachProgram(t, func(t *testing.T, arch arch, p filters.Profile, prog program) {
		nr := arch.numbers(t)["socket"]
		families := []uint64{1<<31 | 2, 1<<16 | 1, 0xffffffff, 0xffffffffffffffff}
		for f := uint64(0); f < 64; f++ {
			families = append(families, f)
		}
		for _, family := range families {
			want := noFam
			if open[family] {
				want = pass
			}
			for _, f := range []uint64{family, family | high} {
				checkVerdict(t, prog, call{nr: nr, arch: arch.audit, args: [6]uint64{f, 1, 0}}, want, "family")
				if want == noFam {
					checkVerdict(t, prog, call{nr: nr, arch: arch.audit, args: [6]uint64{f, 3, 262}}, want, "family")
				}
			}
		}
	})
}

// Every bit of a 32-bit ioctl number counts, and no bit above it does.
func TestIoctlBits(t *testing.T) {
	forEachProgram(t, func(t *testing.T, arch arch, p filters.Profile, prog program) {
		nr := arch.numbers(t)["ioctl"]
		for _, cmd := range []uint64{0x5412, 0x541c, 0x5423} {
			for bit := 0; bit < 64; bit++ {
				flipped, want := cmd^1<<bit, pass
				if bit >= 32 || flipped>>8 == 0x56 { // 0x54 with bit 9 flipped is VT_*
					want = eperm
				}
				args := [6]uint64{0, flipped, 0}
				checkVerdict(t, prog, call{nr: nr, arch: arch.audit, args: args}, want, "ioctl")
			}
		}
	})
}

// sweptProtocols are the allowed ones, their neighbours, and those of modules.
var sweptProtocols = []uint64{0, 1, 2, 6, 16, 17, 18, 32, 33, 34, 57, 58, 59, 63, 64, 115, 132, 136, 255, 256, 261, 262, 263}

// Families, types and protocols crossed: what passes is exactly this.
func TestSocketSweep(t *testing.T) {
	passes := func(family, kind, proto uint64) bool {
		stream := kind == 1 || kind == 2
		return family == 1 || family == 16 && proto == 0 ||
			family == 2 && stream && proto <= 17 || family == 10 && stream && proto <= 58
	}
	forEachProgram(t, func(t *testing.T, arch arch, p filters.Profile, prog program) {
		nr := arch.numbers(t)["socket"]
		for i := uint64(0); i < 48*16; i++ {
			family, kind := i/16, i%16
			for _, proto := range sweptProtocols {
				verdict, _ := prog.run(t, call{nr: nr, arch: arch.audit, args: [6]uint64{family, kind, proto}})
				if (verdict == retAllow) != passes(family, kind, proto) {
					t.Errorf("socket(%d, %d, %d): verdict %#x", family, kind, proto, verdict)
				}
			}
		}
	})
}
