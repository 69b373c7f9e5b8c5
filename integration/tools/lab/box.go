package lab

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Path is what callers have as PATH: the toolchain and Debian's programs, nothing of a home.
const Path = "/usr/local/go/bin:/usr/bin:/bin"

// Secret is what the file outside holds.
const Secret = "the canary sings\n"

// patience bounds one command: a build from nothing on a busy machine takes a minute.
const patience = 5 * time.Minute

// Box is a caller with directories of its own.
type Box struct {
	Caller    Caller
	Dir       string // holds everything below, readable by all
	Workspace string
	Canary    string // a file outside that everybody may read
	home      string // of the caller
	outside   string // home of the control, which may be another user
	t         *testing.T
}

// Result is how a command ended.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// New makes the directories; they go away with the test.
func New(t *testing.T, c Caller) *Box {
	t.Helper()
	dir := t.TempDir()
	b := &Box{c, dir, filepath.Join(dir, "workspace"), filepath.Join(dir, "canary"), filepath.Join(dir, "home"), filepath.Join(dir, "outside"), t}
	// The parent that TempDir makes is closed to others.
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	b.Give(b.home, c.UID)
	// Else the go command leaves a process behind that writes there when the test is over.
	telemetry := filepath.Join(b.outside, ".config/go/telemetry")
	must(t, os.MkdirAll(telemetry, 0o755))
	must(t, os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o644))
	b.Give(b.outside, c.Workspace)
	b.Give(b.Workspace, c.Workspace)
	must(t, os.WriteFile(b.Canary, []byte(Secret), 0o644))
	return b
}

// Give makes a directory, unless it is there, and hands it and what is in it to a user.
func (b *Box) Give(dir string, uid int) {
	b.t.Helper()
	must(b.t, os.MkdirAll(dir, 0o755))
	must(b.t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, uid)
	}))
}

// Put writes a file of the workspace, owned as that is.
func (b *Box) Put(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.Workspace, name)
	b.Give(filepath.Dir(path), b.Caller.Workspace)
	must(b.t, os.WriteFile(path, []byte(text), 0o644))
	must(b.t, os.Lchown(path, b.Caller.Workspace, b.Caller.Workspace))
}

// PutAll writes files by name.
func (b *Box) PutAll(files map[string]string) {
	b.t.Helper()
	for name, text := range files {
		b.Put(name, text)
	}
}

// Clear empties the workspace.
func (b *Box) Clear() {
	b.t.Helper()
	must(b.t, os.RemoveAll(b.Workspace))
	b.Give(b.Workspace, b.Caller.Workspace)
}

// Inside runs a command through sovrun with the given flags.
func (b *Box) Inside(flags []string, argv ...string) Result {
	b.t.Helper()
	return b.run(b.Command(flags, argv...))
}

// Outside runs it without, as whoever it would be inside.
func (b *Box) Outside(argv ...string) Result {
	b.t.Helper()
	return b.run(b.Control(argv...))
}

// Control is what Outside runs, not started.
func (b *Box) Control(argv ...string) *exec.Cmd {
	return b.command(b.Caller.Workspace, b.outside, argv)
}

// Command is what Inside runs, not started.
func (b *Box) Command(flags []string, argv ...string) *exec.Cmd {
	words := append([]string{os.Getenv(binary), "run"}, flags...)
	return b.command(b.Caller.UID, b.home, append(append(words, "--"), argv...))
}

// command is started as the user, in the workspace, with an environment that is built from nothing.
func (b *Box) command(uid int, home string, argv []string) *exec.Cmd {
	if !strings.ContainsRune(argv[0], '/') { // found by the caller's PATH, not by the test's
		argv = append([]string{"/usr/bin/env"}, argv...)
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = b.Workspace
	c.Env = []string{"PATH=" + Path, "HOME=" + home, "LANG=C.UTF-8", "TERM=dumb"}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if uid != os.Getuid() {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	return c
}

func (b *Box) run(c *exec.Cmd) Result {
	b.t.Helper()
	return b.Start(c)()
}

// Start starts what Command or Control made. The function that it returns waits for the end.
func (b *Box) Start(c *exec.Cmd) func() Result {
	b.t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	must(b.t, c.Start())
	// The whole group: what a program leaves behind would keep the pipes open.
	late := time.AfterFunc(patience, func() { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	return func() Result {
		b.t.Helper()
		err := c.Wait()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			b.t.Fatalf("%q: %v", c.Args, err)
		}
		if !late.Stop() {
			b.t.Fatalf("%q: not done after %v\n%s%s", c.Args, patience, &stdout, &stderr)
		}
		return Result{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	}
}

// HomeIsUntouched fails the test when a command left something in the caller's home.
func (b *Box) HomeIsUntouched() {
	b.t.Helper()
	left, err := os.ReadDir(b.home)
	must(b.t, err)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if len(names) > 0 {
		b.t.Errorf("wanted the caller's home as it was, got %s", strings.Join(names, ", "))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
