package isolation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// aloneEnv names the test that a process was started for; "all" lets every test
// of the present user run where it is, for a look at the coverage.
const aloneEnv = "SOVRUN_TEST_ALONE"

// deadline is how long one test may take on a busy machine.
const deadline = 90 * time.Second

// stranger is the ordinary user that root's tests become. No account has this
// number, so none has to be made or removed.
const stranger = 54321

// player is who launches a sandbox, and who owns the workspace, which is whom the
// command runs as.
type player struct {
	name       string
	uid, owner int
}

// players are those that this process can be.
func players() []player {
	if uid := os.Getuid(); uid != 0 {
		return []player{{"user", uid, uid}}
	}
	return []player{{"root", 0, 0}, {"handover", 0, stranger}, {"user", stranger, stranger}}
}

// each runs a test once a player, in a process of its own: a launch shares its
// memory, ends with its thread, and may hang.
func each(t *testing.T, body func(t *testing.T, s *scene)) {
	t.Helper()
	eachStarted(t, func(player) syscall.SysProcAttr { return syscall.SysProcAttr{} }, body)
}

// placeEnv names the directory that a test's own process may use. It is removed by
// whoever started that: mount points cannot be while something is mounted there.
const placeEnv = "SOVRUN_TEST_PLACE"

// hostMountsEnv names the mount namespace of whoever started a process.
const hostMountsEnv = "SOVRUN_TEST_HOST_MOUNTS"

// eachMounting is each in a mount namespace of its own, in which the test may mount:
// nobody else sees that. An ordinary user gets the right to it in a user namespace.
func eachMounting(t *testing.T, body func(t *testing.T, s *scene)) {
	t.Helper()
	if os.Getenv(aloneEnv) == "all" {
		return // where it is, the mounts would be the machine's
	}
	apart := func(t *testing.T, s *scene) {
		t.Helper()
		here, err := os.Readlink("/proc/thread-self/ns/mnt")
		check(t, err)
		if host := os.Getenv(hostMountsEnv); host == "" || host == here {
			t.Fatalf("the mount namespace %s is that of the machine", here)
		}
		body(t, s)
	}
	eachStarted(t, func(p player) syscall.SysProcAttr {
		if p.uid == 0 {
			return syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
		}
		id := func(host int) []syscall.SysProcIDMap {
			return []syscall.SysProcIDMap{{ContainerID: p.uid, HostID: host, Size: 1}}
		}
		gid := os.Getgid()
		if os.Getuid() == 0 {
			gid = p.uid
		}
		return syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS, UidMappings: id(p.uid), GidMappings: id(gid),
			AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_DAC_OVERRIDE}, // an overlay makes a directory that nobody may enter
		}
	}, apart)
}

func eachStarted(t *testing.T, how func(player) syscall.SysProcAttr, body func(t *testing.T, s *scene)) {
	t.Helper()
	for _, p := range players() {
		t.Run(p.name, func(t *testing.T) {
			switch v := os.Getenv(aloneEnv); {
			case v == t.Name(), v == "all" && p.uid == os.Getuid():
				runtime.LockOSThread()
				body(t, newScene(t, p))
			case v == "":
				startAlone(t, p.uid, how(p))
			}
		})
	}
}

// startAlone runs the calling test in a process of its own, as a user.
func startAlone(t *testing.T, uid int, attr syscall.SysProcAttr) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.CommandContext(ctx, "/proc/self/exe", "-test.run="+pattern, "-test.v")
	host, err := os.Readlink("/proc/thread-self/ns/mnt")
	check(t, err)
	place := publicDir(t)
	check(t, os.Chown(place, uid, -1))
	cmd.Env = append(os.Environ(), aloneEnv+"="+t.Name(), hostMountsEnv+"="+host, placeEnv+"="+place)
	cmd.Dir = "/var/tmp"
	// A launch in this process left it so that its children's id maps cannot be written.
	check(t, unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0))
	attr.Setpgid = true
	if uid != os.Getuid() {
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid), NoSetGroups: attr.UidMappings != nil}
	}
	cmd.SysProcAttr = &attr
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// scene is a place to launch from: outside of /tmp, which a sandbox covers.
type scene struct {
	player
	dir       string // everybody may search it
	workspace string // the command's
}

func newScene(t *testing.T, p player) *scene {
	t.Helper()
	s := &scene{player: p, dir: publicDir(t)}
	s.workspace = s.mkdir(t, "workspace", p.owner)
	t.Setenv("HOME", s.mkdir(t, "home", p.owner))
	for _, name := range []string{"SUDO_UID", "SUDO_GID"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Chdir(s.workspace)
	return s
}

// publicDir is a directory that everybody may search.
func publicDir(t *testing.T) string {
	t.Helper()
	in := os.Getenv(placeEnv)
	if in == "" {
		in = "/var/tmp"
	}
	dir, err := os.MkdirTemp(in, "sovrun-test-")
	check(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil && in == "/var/tmp" {
			t.Error(err)
		}
	})
	check(t, os.Chmod(dir, 0o755))
	return dir
}

func (s *scene) mkdir(t *testing.T, name string, owner int) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	check(t, os.Mkdir(path, 0o755))
	check(t, os.Chown(path, owner, owner))
	return path
}

// write makes a file of the scene that belongs to whom the command runs as.
func (s *scene) write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	check(t, os.WriteFile(path, []byte(text), 0o600))
	check(t, os.Chown(path, s.owner, s.owner))
	check(t, os.Chmod(path, mode))
	return path
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ended is how a launch went.
type ended struct {
	code   int
	failed *SetupError // an op of the child
	err    error       // before there was one
	out    string      // what the command wrote to both streams
}

// policy is a policy in the workspace, with further rules.
func (s *scene) policy(rules ...policy.Rule) policy.Policy {
	return policy.Policy{Workspace: s.workspace, Files: rules}
}

func rule(a policy.Access, path string) policy.Rule {
	return policy.Rule{Path: path, Access: a, Origin: policy.Origin{Source: "test"}}
}

// shell launches a script of /bin/sh under a policy, without acts; what it writes
// goes to a file in the workspace.
func (s *scene) shell(t *testing.T, pol policy.Policy, script string) ended {
	t.Helper()
	out := filepath.Join(s.workspace, "out")
	check(t, os.WriteFile(out, nil, 0o644))
	check(t, os.Chown(out, s.owner, s.owner))
	e := launch(pol, "/bin/sh", "-c", "exec >out 2>&1\n"+script)
	text, err := os.ReadFile(out)
	check(t, err)
	e.out = string(text)
	return e
}

// launch runs a command to its end.
func launch(pol policy.Policy, argv ...string) ended {
	l, err := begin(pol, nil, argv...)
	if err != nil {
		return ended{err: err}
	}
	defer l.Close()
	return l.follow()
}

// begin starts a command; meddle is called when the plan is made and not yet used.
func begin(pol policy.Policy, meddle func(*policy.Plan), argv ...string) (*Launch, error) {
	l, err := Begin(policy.NamespacesOf(pol))
	if err != nil {
		return nil, err
	}
	if err = l.start(pol, meddle, argv); err != nil {
		l.Abandon()
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Launch) start(pol policy.Policy, meddle func(*policy.Plan), argv []string) error {
	host := Detect(pol, CallerFacts(argv))
	plan, err := policy.Resolve(pol, host.Facts)
	if err != nil {
		return err
	}
	if meddle != nil {
		meddle(&plan)
	}
	l.Builder().P.Execute = true
	if err := l.Prepare(&plan, &host); err != nil {
		return err
	}
	return l.Start(l.Builder().Vector(plan.Env))
}

// follow waits for the end of the sandbox.
func (l *Launch) follow() (e ended) {
	for {
		ev, err := l.Next(deadline)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || ev.Late {
			l.Kill()
			e.err = fmt.Errorf("late: %v, error: %w", ev.Late, err)
			break
		}
		if f := ev.Message.Failure; f != nil {
			e.failed = Explain(l.Program(), f)
		}
		if x := ev.Message.Exit; x != nil {
			e.code = x.ExitStatus()
			if x.Signaled() {
				e.code = 128 + int(x.Signal())
			}
		}
	}
	if ws, err := l.Wait(); err != nil || e.failed == nil && ws.ExitStatus() != e.code&0xff {
		e.err = fmt.Errorf("pid 1 ended with %#x, told %d: %w", ws, e.code, err)
	}
	return e
}

// right fails the test unless the command ran and ended with 0.
func (e ended) right(t *testing.T) {
	t.Helper()
	if e.err != nil || e.failed != nil || e.code != 0 {
		t.Fatalf("error %v, failure %v, exit status %d\n%s", e.err, e.failed, e.code, e.out)
	}
}

// await waits for a condition.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for limit := time.Now().Add(deadline / 3); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// TestScene is the positive control of all others: a command runs as whom it
// should, writes where it may, and its exit status arrives.
func TestScene(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		e := s.shell(t, s.policy(), "id -u; echo text > file && pwd; exit 7")
		if want := fmt.Sprintf("%d\n%s\n", s.owner, s.workspace); e.code != 7 || e.out != want {
			t.Fatalf("error %v, failure %v, exit status %d, output %q, wanted 7 and %q", e.err, e.failed, e.code, e.out, want)
		}
		var st unix.Stat_t
		check(t, unix.Stat(filepath.Join(s.workspace, "file"), &st))
		if int(st.Uid) != s.owner {
			t.Errorf("the file belongs to %d, wanted %d", st.Uid, s.owner)
		}
		if e := s.shell(t, s.policy(), "kill -TERM $$"); e.code != 128+15 {
			t.Errorf("exit status %d, wanted that of SIGTERM", e.code)
		}
	})
}

func ptr[T any](v *T) unsafe.Pointer { return unsafe.Pointer(v) }

func unsafeSize[T any](v T) uintptr { return unsafe.Sizeof(v) }

// landlockCall makes one of Landlock's calls, which must succeed.
func landlockCall(t *testing.T, nr, a, b, c uintptr) int {
	t.Helper()
	r, _, e := unix.Syscall6(nr, a, b, c, 0, 0, 0)
	if e != 0 {
		t.Fatalf("system call %d: %v", nr, e)
	}
	return int(r)
}
