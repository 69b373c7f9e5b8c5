//go:build linux && (amd64 || arm64)

package filters_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sovrun/sovrun/isolation/filters"
)

func hostArch() arch {
	for _, a := range arches {
		if a.name == runtime.GOARCH {
			return a
		}
	}
	panic("no filter for " + runtime.GOARCH)
}

// notCalled are refused numbers that no test may call: the kernel lets both past
// every filter (uretprobe since commit cf6cb56ef244 in 6.14, uprobe since it
// exists, 6.18) and answers the first with SIGILL and the second with ENXIO
// outside of a probe's trampoline.
const notCalled = "uretprobe uprobe"

// lastCalled is well above the highest number of Linux 7.0, 471.
const lastCalled = 600

// Every refused number, with and without the x32 bit, is called once under the
// loaded filter and answers the table's errno; the process lives on.
func TestRefusedNumbersAnswer(t *testing.T) {
	forEachUserAndProfile(t, func(t *testing.T, user string, p filters.Profile) {
		var calls []call
		var wants []syscall.Errno
		want, name := verdicts(p), hostArch().names(t)
		for nr := uint32(0); nr <= lastCalled; nr++ {
			verdict, ok := answer(want, name[nr])
			if ok && verdict != retAllow && !slices.Contains(strings.Fields(notCalled), name[nr]) {
				calls = append(calls, call{nr: nr, args: allOnes})
				wants = append(wants, syscall.Errno(verdict&0xffff))
			}
			if runtime.GOARCH == "amd64" {
				calls = append(calls, call{nr: x32Bit | nr, args: allOnes})
				wants = append(wants, syscall.ENOSYS)
			}
		}
		for i, r := range makeCalls(t, p, user, calls) {
			if r.errno != wants[i] {
				t.Errorf("%s (%#x): errno %d, wanted %d", name[calls[i].nr], calls[i].nr, r.errno, wants[i])
			}
		}
	})
}

// Every argument case that is refused, or answered with success in the kernel's
// stead, is called once.
func TestRefusedArgumentsAnswer(t *testing.T) {
	forEachUserAndProfile(t, func(t *testing.T, user string, p filters.Profile) {
		numbers := hostArch().numbers(t)
		var calls []call
		var cases []argCase
		for _, c := range argCases() {
			if nr, has := numbers[c.name]; has && c.wantIn(p) != retAllow {
				calls = append(calls, call{nr: nr, args: c.arguments()})
				cases = append(cases, c)
			}
		}
		for i, r := range makeCalls(t, p, user, calls) {
			want := syscall.Errno(cases[i].wantIn(p) & 0xffff)
			if r.errno != want || want == 0 && r.value != 0 {
				t.Errorf("%s%#x: %d, errno %d, wanted errno %d", cases[i].name, cases[i].args, r.value, r.errno, want)
			}
		}
	})
}

// witness is a call that reaches the kernel unprivileged, fails there in one way
// and under the filter in another: what shows that the filter refuses it.
type witness struct {
	name            string
	args            []uint64
	outside, inside syscall.Errno
}

const noFD, badFlags = ^uint64(0), ^uint64(0)

var witnesses = []witness{
	{"clone3", []uint64{0, 0}, syscall.EINVAL, syscall.ENOSYS},
	{"clone", []uint64{0x10000000 | 0x200, 0}, syscall.EINVAL, syscall.EPERM}, // NEWUSER|FS
	{"add_key", []uint64{0, 0, 0, 0, 0}, syscall.EFAULT, syscall.EPERM},
	{"request_key", []uint64{0, 0, 0, 0}, syscall.EFAULT, syscall.EPERM},
	{"unshare", []uint64{0x1}, syscall.EINVAL, syscall.EPERM},
	{"setns", []uint64{noFD, 0}, syscall.EBADF, syscall.EPERM},
	{"kcmp", []uint64{0, 0, 0, 0, 0}, syscall.ESRCH, syscall.EPERM},
	{"ptrace", []uint64{0x4206, 0, 0, 0}, syscall.ESRCH, syscall.EPERM},
	{"process_vm_readv", []uint64{0, 0, 0, 0, 0, badFlags}, syscall.EINVAL, syscall.EPERM},
	{"pidfd_getfd", []uint64{noFD, 0, 0}, syscall.EBADF, syscall.EPERM},
	{"name_to_handle_at", []uint64{noFD, 0, 0, 0, badFlags}, syscall.EINVAL, syscall.EPERM},
	{"perf_event_open", []uint64{0, 0, 0, 0, 0}, syscall.EFAULT, syscall.EPERM},
	{"get_mempolicy", []uint64{0, 0, 0, 0, badFlags}, syscall.EINVAL, syscall.ENOSYS},
	{"personality", []uint64{0x0400000}, 0, syscall.EPERM},
	{"ioctl", []uint64{noFD, 0x5412, 0}, syscall.EBADF, syscall.EPERM},
	{"ioctl", []uint64{noFD, 0x5412 | high, 0}, syscall.EBADF, syscall.EPERM},
	{"ioctl", []uint64{noFD, 0x541c | high, 0}, syscall.EBADF, syscall.EPERM},
	{"ioctl", []uint64{noFD, 0x5423, 0}, syscall.EBADF, syscall.EPERM},
	{"socket", []uint64{0, badFlags, 0}, syscall.EINVAL, syscall.EAFNOSUPPORT},
	{"socket", []uint64{2, 1 | 0x10, 262}, syscall.EINVAL, syscall.EPROTONOSUPPORT},
	{"socketpair", []uint64{2, badFlags, 0, 0}, syscall.EINVAL, syscall.EAFNOSUPPORT},
	{"mknodat", []uint64{noFD, 0, 0o020666, 0}, syscall.EFAULT, syscall.EPERM},
	{"prlimit64", []uint64{0, 4, 1, 0}, syscall.EFAULT, 0},
	{"prlimit64", []uint64{0, 4 | high, high, 0}, syscall.EFAULT, 0},
	{"setrlimit", []uint64{4, 1}, syscall.EFAULT, 0},
	{"ioprio_set", []uint64{2, 0, badFlags}, syscall.EINVAL, syscall.EPERM},
	// Controls that answer the same inside: the kernel is reached.
	{"ioctl", []uint64{noFD, 0x5401, 0}, syscall.EBADF, syscall.EBADF},
	{"ioctl", []uint64{noFD, 0x540e, 0}, syscall.EBADF, syscall.EBADF},
	{"ioctl", []uint64{noFD, 0x5422, 0}, syscall.EBADF, syscall.EBADF},
	{"clone", []uint64{0x00000800, 0}, syscall.EINVAL, syscall.EINVAL}, // SIGHAND without VM
	{"personality", []uint64{0xffffffff}, 0, 0},
	{"prlimit64", []uint64{0, 4, 0, 1}, syscall.EFAULT, syscall.EFAULT},
	{"prlimit64", []uint64{0, 7, 1, 0}, syscall.EFAULT, syscall.EFAULT},
	{"setrlimit", []uint64{7, 1}, syscall.EFAULT, syscall.EFAULT},
	{"ioprio_set", []uint64{1, 0, badFlags}, syscall.EINVAL, syscall.EINVAL},
	{"seccomp", []uint64{badFlags, 0, 0}, syscall.EINVAL, syscall.EINVAL},
	{"prctl", []uint64{22, 99, 0}, syscall.EINVAL, syscall.EINVAL}, // PR_SET_SECCOMP
	{"openat2", []uint64{noFD, 0, 0, 0}, syscall.EINVAL, syscall.EINVAL},
	{"socket", []uint64{16, 3, 0}, 0, 0},
	{"mknodat", []uint64{noFD, 0, 0o010600, 0}, syscall.EFAULT, syscall.EFAULT},
}

func TestWitnesses(t *testing.T) {
	numbers := hostArch().numbers(t)
	var calls []call
	for _, w := range witnesses {
		c := call{nr: numbers[w.name]}
		copy(c.args[:], w.args)
		calls = append(calls, c)
	}
	for _, user := range users() {
		t.Run(user, func(t *testing.T) {
			outside, inside := makeCalls(t, none, user, calls), makeCalls(t, filters.Default, user, calls)
			for i, w := range witnesses {
				if outside[i].errno != w.outside || inside[i].errno != w.inside {
					t.Errorf("%s%#x: errno %d outside and %d inside, wanted %d and %d",
						w.name, w.args, outside[i].errno, inside[i].errno, w.outside, w.inside)
				}
			}
		})
	}
}

func forEachUserAndProfile(t *testing.T, check func(t *testing.T, user string, p filters.Profile)) {
	for _, user := range users() {
		for _, p := range filters.Names() {
			t.Run(fmt.Sprintf("%s/%s", user, p), func(t *testing.T) { check(t, user, p) })
		}
	}
}

// Names lists the constants, and what is no profile has no program.
func TestProgram(t *testing.T) {
	for _, p := range filters.Names() {
		if prog, ok := filters.Program(p); !ok || len(prog) == 0 || len(prog)%sockFilterLength != 0 {
			t.Errorf("%q: program of %d bytes, ok %t", p, len(prog), ok)
		}
	}
	for _, p := range []filters.Profile{"", none, "Default", "default "} {
		if prog, ok := filters.Program(p); ok || prog != "" {
			t.Errorf("%q: a program of %d bytes, wanted none", p, len(prog))
		}
	}
}
