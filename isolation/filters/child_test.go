//go:build linux && (amd64 || arm64)

package filters_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/sovrun/sovrun/isolation/filters"
)

// The test binary runs itself with childEnv set to be confined: the filter
// cannot be taken off again, so no test loads it into its own process.
const childEnv = "SOVRUN_FILTERS_TEST_CHILD"

// none is the control: the child loads no filter.
const none filters.Profile = "none"

// nobody is the ordinary user a root-run test becomes as well.
const nobody = 65534

// childModes are what the child does once confined; args follow profile and uid.
var childModes = map[string]func(args []string) error{
	"calls":    childCalls,
	"exec":     func(args []string) error { return syscall.Exec(args[0], args, os.Environ()) },
	"workload": childWorkload,
	"foreign":  childForeign,
}

func TestMain(m *testing.M) {
	mode, isChild := os.LookupEnv(childEnv)
	if !isChild {
		os.Exit(m.Run())
	}
	runtime.LockOSThread()
	os.Unsetenv(childEnv)
	if err := child(mode, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "child %s: %v\n", mode, err)
		os.Exit(1)
	}
}

func child(mode string, args []string) error {
	run := childModes[mode]
	if run == nil {
		return fmt.Errorf("no such mode")
	}
	if args[1] == "nobody" {
		if err := becomeNobody(); err != nil {
			return err
		}
	}
	if err := confine(filters.Profile(args[0])); err != nil {
		return err
	}
	return run(args[2:])
}

func becomeNobody() error {
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("setgroups: %w", err)
	}
	if err := syscall.Setgid(nobody); err != nil {
		return fmt.Errorf("setgid: %w", err)
	}
	return syscall.Setuid(nobody)
}

const (
	prSetNoNewPrivs  = 38
	setModeFilter    = 1 // SECCOMP_SET_MODE_FILTER
	filterFlagTSync  = 1 // SECCOMP_FILTER_FLAG_TSYNC: every thread of the Go runtime
	sysSeccompAMD64  = 317
	sysSeccompARM64  = 277
	sockFilterLength = 8
)

// confine loads the filter, which needs no_new_privs and no privilege.
func confine(p filters.Profile) error {
	if p == none {
		return nil
	}
	prog, ok := filters.Program(p)
	if !ok {
		return fmt.Errorf("no program for profile %q", p)
	}
	raw := []byte(prog)
	fprog := struct {
		length uint16
		filter *byte
	}{uint16(len(raw) / sockFilterLength), &raw[0]}
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0); e != 0 {
		return fmt.Errorf("no_new_privs: %w", e)
	}
	nr := map[string]uintptr{"amd64": sysSeccompAMD64, "arm64": sysSeccompARM64}[runtime.GOARCH]
	if _, _, e := syscall.RawSyscall(nr, setModeFilter, filterFlagTSync, uintptr(unsafe.Pointer(&fprog))); e != 0 {
		return fmt.Errorf("load filter: %w", e)
	}
	return nil
}

// startChild prepares this binary as a child; user is "same" or "nobody".
func startChild(mode string, p filters.Profile, user string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", append([]string{string(p), user}, args...)...)
	cmd.Env = append(os.Environ(), childEnv+"="+mode, "HOME=/nonexistent")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// runChild runs a child to its end and returns what it wrote, both streams.
func runChild(t *testing.T, cmd *exec.Cmd) (output string, err error) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	runtime.LockOSThread() // Pdeathsig follows the thread
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	return out.String(), err
}

// users are those to test as: root also becomes an ordinary user.
func users() []string {
	if os.Getuid() == 0 {
		return []string{"same", "nobody"}
	}
	return []string{"same"}
}

// childCalls makes every call that standard input lists, one a line, "number
// arg0 ... arg5" in hexadecimal, and answers each with "result errno".
func childCalls([]string) error {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for sc := bufio.NewScanner(os.Stdin); sc.Scan(); {
		var w [7]uintptr
		if _, err := fmt.Sscanf(sc.Text(), "%x %x %x %x %x %x %x", &w[0], &w[1], &w[2], &w[3], &w[4], &w[5], &w[6]); err != nil {
			return fmt.Errorf("%q: %w", sc.Text(), err)
		}
		r, _, e := syscall.RawSyscall6(w[0], w[1], w[2], w[3], w[4], w[5], w[6])
		fmt.Fprintf(out, "%d %d\n", int(r), int(e))
	}
	return nil
}

// result is what one call answered.
type result struct {
	value int
	errno syscall.Errno
}

// makeCalls has one child make all calls in order. It fails the test unless the
// child answers every one of them and ends of itself.
func makeCalls(t *testing.T, p filters.Profile, user string, calls []call) []result {
	t.Helper()
	var in strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&in, "%x", c.nr)
		for _, a := range c.args {
			fmt.Fprintf(&in, " %x", a)
		}
		in.WriteByte('\n')
	}
	cmd := startChild("calls", p, user)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := runChild(t, cmd)
	if err != nil {
		t.Fatalf("the child did not outlive its calls: %v\n%s", err, out)
	}
	var results []result
	for line := range strings.Lines(out) {
		var r result
		if _, err := fmt.Sscan(line, &r.value, &r.errno); err != nil {
			t.Fatalf("child answered %q: %v", line, err)
		}
		results = append(results, r)
	}
	if len(results) != len(calls) {
		t.Fatalf("child answered %d of %d calls", len(results), len(calls))
	}
	return results
}
