package probes

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sovrun/sovrun/isolation"
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// A process that tries to get at root's memory while root hands over to its user.
// No account has that uid, so its group is nobody's.
const (
	intruderRole = "SOVRUN_TEST_INTRUDER" // the uid
	intruderGID  = 65534
)

// init turns the test program into the intruder: before the testing package looks
// at flags, and with nothing of root's left.
func init() {
	uid, err := strconv.Atoi(os.Getenv(intruderRole))
	if err != nil {
		return
	}
	if syscall.Setgroups(nil) != nil || syscall.Setresgid(intruderGID, intruderGID, intruderGID) != nil || syscall.Setresuid(uid, uid, uid) != nil {
		os.Exit(3)
	}
	intrude(uid)
	os.Exit(0)
}

// intrude looks for processes of its own user until its input ends, and tells of
// each that it sees whether it could open its memory for writing.
func intrude(uid int) {
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	told := make(map[string]bool)
	for {
		select {
		case <-over:
			return
		default:
		}
		entries, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range entries {
			line := trespass(dir, uid)
			if line != "" && !told[line] {
				told[line] = true
				fmt.Println(line)
			}
		}
	}
}

// trespass tries one process.
func trespass(dir string, uid int) string {
	if filepath.Base(dir) == fmt.Sprint(os.Getpid()) {
		return ""
	}
	status, err := os.ReadFile(dir + "/status")
	if err != nil || !strings.Contains(string(status), fmt.Sprintf("\nUid:\t%d\t%d\t", uid, uid)) {
		return ""
	}
	if exe, err := os.Readlink(dir + "/exe"); err == nil && strings.HasPrefix(exe, "/memfd:") {
		return inherited(dir)
	}
	f, err := os.OpenFile(dir+"/mem", os.O_RDWR, 0)
	if err == nil {
		f.Close()
		return "opened " + filepath.Base(dir)
	}
	return "refused " + filepath.Base(dir)
}

// inherited looks at the program that the control executes, whose memory is its own
// and which is the user's altogether: it must hold no descriptor of root's.
func inherited(dir string) string {
	fds, err := os.ReadDir(dir + "/fd")
	if err != nil || len(fds) == 0 {
		return ""
	}
	what, _ := os.Readlink(dir + "/fd/" + fds[0].Name())
	return fmt.Sprintf("opened descriptor %s (%s), one of %d, of %s", fds[0].Name(), what, len(fds), filepath.Base(dir))
}

// TestNewUserCannotReachRootsMemory: until they execute something, the processes
// of a launch share the memory of the launcher, which is root's. While they have
// the user that root hands over to, another process of that user must not be able
// to open it. (It can open the memory of a process that is the user's altogether.)
func TestNewUserCannotReachRootsMemory(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can hand over; run the tests as root too")
	}
	uid := 1_900_000_000 + os.Getpid() // of no other test that runs now
	victim := exec.Command("/bin/sleep", "600")
	victim.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: intruderGID}, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Wait()
	defer victim.Process.Kill()
	intruder := exec.Command("/proc/self/exe")
	intruder.Env = []string{intruderRole + "=" + strconv.Itoa(uid)}
	intruder.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stop, err := intruder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	told, err := intruder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := intruder.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(told)
	want := fmt.Sprintf("opened %d", victim.Process.Pid)
	if !lines.Scan() || lines.Text() != want {
		t.Fatalf("the intruder says %q first, wanted %q", lines.Text(), want)
	}
	handOverSlowly(t, uid)
	stop.Close()
	refused := 0
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "opened ") {
			t.Errorf("a process of the new user %s, which shares root's memory", lines.Text())
		}
		refused++
	}
	if err := intruder.Wait(); err != nil {
		t.Error(err)
	}
	if refused < 3 {
		t.Errorf("the intruder saw %d processes, wanted pid 1, the command's process and the control", refused)
	}
}

// handOverSlowly is a launch whose acts take long enough to be looked at, inside
// and outside.
func handOverSlowly(t *testing.T, uid int) {
	t.Helper()
	dir := workspace(t)
	if err := os.Chown(dir, uid, intruderGID); err != nil {
		t.Fatal(err)
	}
	pol := policy.Policy{Workspace: dir}
	l, err := isolation.Begin(policy.NamespacesOf(pol))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b := l.Builder()
	pause := b.Words(0, uint64(500*time.Millisecond))
	b.AddAct(child.Act{}, func(b *child.Builder) { b.Decide(syscall.SYS_NANOSLEEP, child.Ptr(pause), child.Imm(0)) }, nil)
	out, err := prepareFor(l, pol, "/bin/true")
	if err != nil {
		l.Abandon()
		t.Fatal(err)
	}
	if id := out.plan.Identity; !id.Changed || id.UID != uid || id.GID != intruderGID {
		t.Errorf("identity %+v, wanted %d:%d", id, uid, intruderGID)
	}
	if _, err := verdictOf(l); err != nil {
		t.Error(err)
	}
	if _, err := l.Wait(); err != nil {
		t.Error(err)
	}
}

// TestNewUserOwnsNoNamespaceBesideRootsMemory: whoever owns a user namespace may
// trace what is in it, and the copies of the control share root's memory.
func TestNewUserOwnsNoNamespaceBesideRootsMemory(t *testing.T) {
	for _, handed := range []bool{false, true} {
		plan, targets := syntheticPlan(), syntheticTargets()
		plan.Identity.Changed = handed
		b := child.NewBuilder()
		Acts(b, &plan, &targets)
		made := 0
		for i := range b.P.Acts {
			a := &b.P.Acts[i]
			span := a.Ops
			if a.Controls.Last > a.Controls.First {
				span = a.Controls
			}
			if a.Control == child.InSetup || a.Control == child.Nowhere {
				continue
			}
			for _, op := range b.P.ActOps[span.First:span.Last] {
				if op.Nr == syscall.SYS_CLONE && op.Args[0]&cloneNewuser != 0 {
					made++
				}
			}
		}
		if (made > 0) == handed {
			t.Errorf("handed over %v: the control makes %d user namespaces", handed, made)
		}
	}
}

// TestExecutedHoldsNoDescriptors: what a control executes is the new user's where root
// hands over, so the copy gives up every descriptor and its directory first.
func TestExecutedHoldsNoDescriptors(t *testing.T) {
	plan, targets := syntheticPlan(), syntheticTargets()
	b := child.NewBuilder()
	Acts(b, &plan, &targets)
	executed := 0
	for k, op := range b.P.ActOps {
		if op.Nr != sysExecveat || op.Flags&child.FlagDecisive == 0 {
			continue
		}
		executed++
		for op.Flags&child.FlagCopy == 0 {
			k--
			op = b.P.ActOps[k]
		}
		if first := b.P.ActOps[k+1]; first.Nr != sysCloseRange || first.Args[0] != 0 || first.Args[1] != math.MaxInt32 || first.Args[2] != 0 {
			t.Errorf("the copy of op %d executes a program with the descriptors of the launcher", k)
		}
		if second := b.P.ActOps[k+2]; second.Nr != syscall.SYS_CHDIR {
			t.Errorf("the copy of op %d executes a program in the directory of the launcher", k)
		}
	}
	if want := len(program32); executed != min(want, 1) {
		t.Errorf("%d programs are executed", executed)
	}
}
