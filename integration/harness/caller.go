package harness

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Caller is who starts sovrun, and for whom.
type Caller string

// The callers.
const (
	Root     Caller = "root"     // whose workspace is root's: the command keeps uid 0
	Handover Caller = "handover" // root, whose workspace is a user's: the command runs as that user
	User     Caller = "user"     // an ordinary user
)

// Callers are those that the test process can be. An ordinary user is only one;
// the same test as root covers all.
func Callers() []Caller {
	if os.Getuid() == 0 {
		return []Caller{Root, Handover, User}
	}
	return []Caller{User}
}

// borrowed is the id of the user that root's tests become. It has no account: one
// would have to be made and removed on the machine.
const borrowed = 54321

// ID is the uid and gid that the command inside has.
func (c Caller) ID() int {
	switch {
	case c == Root:
		return 0
	case os.Getuid() == 0:
		return borrowed
	}
	return os.Getuid()
}

// Lab is one caller with a home and a workspace of its own, for one test.
type Lab struct {
	Caller    Caller
	Home      string
	Workspace string
	t         testing.TB
}

// NewLab makes home and workspace in a place.
func (p Place) NewLab(t testing.TB, c Caller) Lab {
	t.Helper()
	dir, err := os.MkdirTemp(p.Dir, string(c)+"-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l := Lab{c, filepath.Join(dir, "home"), filepath.Join(dir, "workspace"), t}
	for _, d := range []string{l.Home, l.Workspace} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
		l.give(d)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return l
}

// give makes a path the command's.
func (l Lab) give(path string) {
	if os.Getuid() != 0 {
		return
	}
	if err := os.Lchown(path, l.Caller.ID(), l.Caller.ID()); err != nil {
		l.t.Fatal(err)
	}
}

// Mkdir makes a directory of the workspace and gives its path.
func (l Lab) Mkdir(name string) string {
	l.t.Helper()
	path := filepath.Join(l.Workspace, name)
	if err := os.Mkdir(path, 0o755); err != nil {
		l.t.Fatal(err)
	}
	l.give(path)
	return path
}

// patience is how long one launch may take on a busy machine.
const patience = 60 * time.Second

// Command prepares a program, to be started in the workspace by the caller with
// an environment of few variables and those that are given.
func (l Lab) Command(program string, args ...string) *exec.Cmd {
	return l.Within(patience, program, args...)
}

// Within is Command for what takes longer than one launch.
func (l Lab) Within(limit time.Duration, program string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	l.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = l.Workspace
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + l.Home, "PWD=" + l.Workspace, "LANG=C.UTF-8"}
	if l.Caller == User && os.Getuid() == 0 {
		id := uint32(l.Caller.ID())
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
	return cmd
}

// Status is the exit status of a command that has ended, in the way of shells.
func Status(cmd *exec.Cmd) int {
	ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

// Name is a test's name for what it does as a caller.
func (c Caller) Name(what string, n ...int) string {
	s := string(c) + "/" + what
	for _, x := range n {
		s += "-" + strconv.Itoa(x)
	}
	return s
}

// Soak reports whether the tests shall take their time and try everything.
func Soak() bool { return os.Getenv("SOVRUN_TEST_SOAK") != "" }
