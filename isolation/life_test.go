package isolation

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// launcherEnv makes the tests' program a launcher: what follows is a script.
const launcherEnv = "SOVRUN_TEST_LAUNCHER"

func TestMain(m *testing.M) {
	if script := os.Getenv(launcherEnv); script != "" {
		playLauncher(script)
	}
	os.Exit(m.Run())
}

// holdOn as the script is a launcher that has begun and goes no further.
const holdOn = "hold on"

// playLauncher launches a script in the working directory.
func playLauncher(script string) {
	runtime.LockOSThread()
	dir, err := os.Getwd()
	if script == holdOn {
		if _, err = Begin(policy.NamespacesOf(policy.Policy{})); err == nil {
			fmt.Println("ready")
			_ = unix.Pause()
		}
	}
	if err == nil {
		var l *Launch
		if l, err = begin(policy.Policy{Workspace: dir}, nil, "/bin/sh", "-c", script); err == nil {
			e := l.follow()
			if e.err == nil && e.failed == nil {
				os.Exit(e.code)
			}
			err = fmt.Errorf("%v, %w", e.failed, e.err)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(99)
}

// startLauncher starts one whose standard output the command inherits: whoever
// reads it sees its end only when the last process of the sandbox is gone.
func (s *scene) startLauncher(t *testing.T, script string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Dir, cmd.Stderr = s.workspace, os.Stderr
	cmd.Env = append(os.Environ(), launcherEnv+"="+script)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	return cmd, bufio.NewReader(out)
}

// everywhere starts processes that would outlive their parents: an orphan, one in a
// session of its own, one that ignores signals.
const everywhere = `
	(sleep 1000 &)
	setsid sleep 1000 &
	(trap '' TERM HUP INT; sleep 1000) &
	echo ready
	sleep 1000`

// TestKilledLauncherTakesAllAlong: after SIGKILL nothing of the sandbox lives on,
// whatever it did to stay.
func TestKilledLauncherTakesAllAlong(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		before := mountTable(t)
		for _, script := range []string{everywhere, holdOn} {
			cmd, out := s.startLauncher(t, script)
			if line, err := out.ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			check(t, cmd.Process.Kill())
			if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
				t.Errorf("%q, %v", rest, err)
			}
		}
		if now := mountTable(t); strings.Join(now, "\n") != strings.Join(before, "\n") {
			t.Errorf("mounts are left:\n%s", strings.Join(now, "\n"))
		}
	})
}

// TestKilledLauncherAtAnyMoment: in the set-up as well nothing is left over. Where a
// process were, the standard output would not end.
func TestKilledLauncherAtAnyMoment(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 0))
		begin := time.Now()
		cmd, out := s.startLauncher(t, "echo ready; sleep 1000")
		_, err := out.ReadString('\n')
		check(t, err)
		whole := time.Since(begin)
		check(t, cmd.Process.Kill())
		early := 0
		for range 15 {
			cmd, out := s.startLauncher(t, "echo ready; sleep 1000")
			moment := time.AfterFunc(time.Duration(rng.Int64N(int64(whole*3/2))), func() { _ = cmd.Process.Kill() })
			text, err := io.ReadAll(out)
			check(t, err)
			if len(text) == 0 {
				early++
			}
			moment.Stop()
			_ = cmd.Wait()
		}
		t.Logf("%d of 15 were killed before the command ran", early)
	})
}

// TestKilledInitTakesAllAlong: a pid 1 that is killed from outside is told as such.
func TestKilledInitTakesAllAlong(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		l, err := begin(s.policy(), nil, "/bin/sh", "-c", "exec >out; "+everywhere)
		check(t, err)
		defer l.Close()
		await(t, "the command runs", func() bool {
			text, _ := os.ReadFile(filepath.Join(s.workspace, "out"))
			return string(text) == "ready\n"
		})
		l.Kill()
		for {
			ev, err := l.Next(deadline)
			if err == io.EOF {
				break
			}
			check(t, err)
			if ev.Late || ev.Message.Exit != nil || ev.Message.Failure != nil {
				t.Fatalf("%+v", ev)
			}
		}
		if ws, err := l.Wait(); err != nil || ws.Signal() != syscall.SIGKILL {
			t.Errorf("pid 1 ended with %#x, %v", ws, err)
		}
	})
}

// TestAbandoned: a sandbox that is given up before it has a program, or a plan for
// other namespaces, leaves nothing.
func TestAbandoned(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		files := descriptors(t)
		pol := s.policy()
		l, err := Begin(policy.NamespacesOf(pol))
		check(t, err)
		host := Detect(pol, CallerFacts([]string{"true"}))
		plan, err := policy.Resolve(pol, host.Facts)
		check(t, err)
		plan.Namespaces.Net = false
		if err := l.Prepare(&plan, &host); err == nil {
			t.Error("a plan for other namespaces was taken")
		}
		l.Abandon()
		l.Close()
		s.nothingLeft(t, files)
	})
}

// TestManyLaunchesLeaveNothing behind in the process that makes them.
func TestManyLaunchesLeaveNothing(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		launch(s.policy(), "/bin/true")
		files := descriptors(t)
		for range 30 {
			e := launch(s.policy(), "/bin/true")
			e.right(t)
		}
		launch(s.policy(rule(policy.Read, "/nonexistent")), "/bin/true")
		s.nothingLeft(t, files)
	})
}

// descriptors are those of this process, by what they refer to.
func descriptors(t *testing.T) int {
	t.Helper()
	names, err := filepath.Glob("/proc/self/fd/*")
	check(t, err)
	return len(names)
}

func (s *scene) nothingLeft(t *testing.T, files int) {
	t.Helper()
	if now := descriptors(t); now != files {
		t.Errorf("%d descriptors are open, before it were %d", now, files)
	}
	if _, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WALL, nil); err != unix.ECHILD {
		t.Errorf("there is still a child: %v", err)
	}
}

// TestLimits: the command gets the limits that its launcher was started with, and
// those of the plan, though both are lower than what the set-up needs.
func TestLimits(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		self := fmt.Sprintf("/proc/%d/exe", os.Getpid()) // its path may be closed to this user
		cmd := exec.Command("/bin/sh", "-c", `ulimit -Sn 77; ulimit -Hn 1234; exec "$0"`, self)
		cmd.Env = append(os.Environ(), launcherEnv+"="+`test "$(ulimit -Sn):$(ulimit -Hn):$(ulimit -Sc):$(ulimit -Hc)" = 77:1234:0:0`)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("as started: %v\n%s", err, out)
		}
		pol := s.policy()
		pol.Limits = []policy.Limit{{Resource: policy.OpenFiles, Value: 20}, {Resource: policy.FileSize, Value: 8192}, {Resource: policy.MaxProcesses, Value: 4000}}
		s.shell(t, pol, `test "$(ulimit -Sn):$(ulimit -Hn):$(ulimit -Sf):$(ulimit -Hf)" = 20:20:16:16`).right(t)
	})
}

// TestSignalsComeWhole: as many as wait at once, none is torn or lost.
func TestSignalsComeWhole(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		const many = 1000
		l, err := begin(s.policy(), nil, "/bin/sh", "-c", "until test -e go; do :; done")
		check(t, err)
		defer l.Close()
		check(t, l.CatchSignals([]syscall.Signal{syscall.SIGUSR1}))
		pid, tid := os.Getpid(), unix.Gettid()
		for range many { // to this thread: each is handled before the call returns
			check(t, unix.Tgkill(pid, tid, syscall.SIGUSR1))
		}
		want := child.Caught{Signal: syscall.SIGUSR1, Code: -6, PID: int32(pid)} // SI_TKILL
		for got := 0; got < many; {
			ev, err := l.Next(deadline)
			check(t, err)
			if ev.Late || ev.Message.Failure != nil || ev.Message.Exit != nil {
				t.Fatalf("after %d signals: %+v", got, ev)
			}
			for _, c := range ev.Signals {
				if got++; c != want {
					t.Fatalf("signal %d is %+v, wanted %+v", got, c, want)
				}
			}
		}
		check(t, os.WriteFile(filepath.Join(s.workspace, "go"), nil, 0o644))
		if e := l.follow(); e.code != 0 || e.err != nil {
			t.Errorf("%+v", e)
		}
	})
}

// TestForeignSignalsArrive: what is sent to pid 1 from outside reaches the command.
func TestForeignSignalsArrive(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		l, err := begin(s.policy(), nil, "/bin/sh", "-c", "trap 'exit 9' USR1; echo >ready; until test -e never; do :; done")
		check(t, err)
		defer l.Close()
		await(t, "the command runs", func() bool { _, err := os.Stat(s.workspace + "/ready"); return err == nil })
		check(t, l.Signal(syscall.SIGUSR1))
		if e := l.follow(); e.code != 9 {
			t.Errorf("%+v, wanted exit status 9", e)
		}
	})
}

// TestInputFromAFile: a file as standard input keeps its offset, cannot be opened for
// writing through /proc, nor its mode changed, though it lies in the workspace. The
// same outside is the control.
func TestInputFromAFile(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		for _, gone := range []bool{false, true} {
			path := s.write(t, fmt.Sprintf("workspace/input-%v", gone), "0123456789", 0o666)
			f, err := os.Open(path)
			check(t, err)
			if _, err := f.Seek(4, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			for _, outside := range []func() error{
				func() error {
					w, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_WRONLY, 0)
					if err == nil {
						w.Close()
					}
					return err
				},
				func() error {
					if s.uid != s.owner {
						return nil // root may
					}
					return f.Chmod(0o666)
				},
			} {
				if err := outside(); err != nil {
					t.Errorf("outside: %v", err)
				}
			}
			if gone {
				check(t, os.Remove(path))
			}
			withStdin(t, f)
			s.shell(t, s.policy(), `
				echo x 2>/dev/null >>/proc/self/fd/0 && test -f /proc/self/fd/0 && exit 1
				chmod 600 /proc/self/fd/0 2>/dev/null && test -f /proc/self/fd/0 && exit 2
				test "$(tr -d 'x\n')" = 456789 || exit 3
				exit 0`).right(t)
			if text, err := io.ReadAll(io.NewSectionReader(f, 0, 100)); err != nil || string(text) != "0123456789" {
				t.Errorf("afterwards the file holds %q, %v", text, err)
			}
			f.Close()
		}
	})
}

// TestInheritedDescriptors: what the caller left open is not there inside, whatever
// its number. A shell without a sandbox has them; that is the control.
func TestInheritedDescriptors(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		secret := s.write(t, "secret", "canary\n", 0o644)
		for _, fd := range []int{9, 200, 1500} {
			leave(t, secret, unix.O_RDWR, fd)
		}
		leave(t, "/", unix.O_RDONLY|unix.O_DIRECTORY, 11)
		const script = `
			test -e /proc/self/fd/9 && exit 1
			test -e /proc/self/fd/200 && exit 2
			test -e /proc/self/fd/1500 && exit 3
			test -e /proc/self/fd/11/etc && exit 4
			for f in /proc/self/fd/*; do case $f in */[0123]) ;; *) exit 5 ;; esac; done
			exit 0`
		s.shell(t, s.policy(), script).right(t)
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.ExtraFiles = make([]*os.File, 7)
		cmd.ExtraFiles[6] = os.NewFile(9, "left open") // descriptor 9 of the child
		if _ = cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("outside: %v, wanted exit status 1", cmd.ProcessState)
		}
		runtime.KeepAlive(cmd)
	})
}

// leave opens a path at a number, not to be closed on exec.
func leave(t *testing.T, path string, flags, number int) {
	t.Helper()
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	check(t, err)
	if fd != number {
		check(t, unix.Dup3(fd, number, 0))
		unix.Close(fd)
	}
	_, err = unix.FcntlInt(uintptr(number), unix.F_SETFD, 0)
	check(t, err)
	t.Cleanup(func() { unix.Close(number) })
}

// TestWorkingDirectoryLeadsNowhere: launched from a directory that is not granted,
// the command finds only the view above its own (runc CVE-2024-21626).
func TestWorkingDirectoryLeadsNowhere(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.write(t, "sibling", "canary\n", 0o644)
		t.Chdir(s.mkdir(t, "elsewhere", s.owner))
		const script = `
			test -e ../sibling && exit 1
			test -e /proc/self/cwd/../sibling && exit 2
			test -e /proc/self/root` + "$PWD" + `/../sibling && exit 3
			cat /proc/self/cwd/../../../../../etc/shadow 2>/dev/null && exit 4
			exit 0`
		s.shell(t, s.policy(), `test "$PWD" = `+s.workspace+` || exit 9`+script).right(t)
		if _, err := os.Stat("../sibling"); err != nil {
			t.Errorf("outside: %v", err)
		}
	})
}

// TestGrantOfOneFile: its neighbours stay out, and what it does not grant is refused;
// a grant of what is not there is told precisely.
func TestGrantOfOneFile(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.mkdir(t, "files", s.owner)
		read, write := s.write(t, "files/read", "text\n", 0o666), s.write(t, "files/write", "text\n", 0o666)
		s.write(t, "files/neighbour", "text\n", 0o666)
		s.shell(t, s.policy(rule(policy.Read, read), rule(policy.Write, write)), `cd `+s.dir+`/files
			test "$(cat read)" = text && echo more >>write || exit 1
			echo more >>read && exit 2
			test -e neighbour && exit 3
			echo x >new && exit 4
			rm -f write && exit 5
			exit 0`).right(t)
		if text, err := os.ReadFile(write); err != nil || string(text) != "text\nmore\n" {
			t.Errorf("the file holds %q, %v", text, err)
		}
		var why *policy.RefusedError
		missing := s.dir + "/files/missing"
		if e := launch(s.policy(rule(policy.Read, missing)), "/bin/true"); !errors.As(e.err, &why) || !strings.Contains(why.Message, missing) {
			t.Errorf("a grant of what is not there: %+v", e)
		}
	})
}
