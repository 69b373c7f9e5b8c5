package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// place is where the demo happens and who does it.
type place struct {
	ctx       context.Context
	binary    string // sovrun
	dir       string // all of the demo's files
	workspace string
	outside   string // what the sandbox must not reach
	helper    string // a copy of this program, which the sandbox may execute
	goroot    string
	gocache   string
	uid, gid  int  // of the program in the sandbox, and of the controls
	color     bool // standard output shows it
}

// newPlace makes the directories. They belong to whoever will work in them: the user behind sudo, else the caller.
func newPlace(ctx context.Context, binary string) (*place, error) {
	path, err := filepath.Abs(binary)
	if err != nil {
		return nil, fmt.Errorf("sovrun: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("sovrun: %w: run make build, or name it with -sovrun", err)
	}
	dir, err := os.MkdirTemp("", "sovrun-demo-")
	if err != nil {
		return nil, fmt.Errorf("a directory for the demo: %w", err)
	}
	p := &place{ctx: ctx, binary: path, dir: dir, color: colored()}
	p.uid, p.gid = identity()
	p.workspace, p.outside = filepath.Join(dir, "workspace"), filepath.Join(dir, "outside")
	if err := p.fill(); err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

func (p *place) fill() error {
	// Closed to all others: the caller's build cache may be linked into it.
	if err := os.Chown(p.dir, p.uid, p.gid); err != nil {
		return fmt.Errorf("the demo's directory: %w", err)
	}
	for _, d := range []string{p.workspace, p.outside, p.home()} {
		if err := p.ownDir(d); err != nil {
			return fmt.Errorf("the demo's directory: %w", err)
		}
	}
	if err := noTelemetry(p.home()); err != nil {
		return fmt.Errorf("the demo's home: %w", err)
	}
	if err := p.copySelf(); err != nil {
		return fmt.Errorf("a copy of this program: %w", err)
	}
	return p.toolchain()
}

// noTelemetry keeps the go command from leaving a process behind that writes to the home when the demo is over
// (https://go.dev/doc/telemetry).
func noTelemetry(home string) error {
	dir := filepath.Join(home, ".config/go/telemetry")
	return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "mode"), []byte("off"), 0o644))
}

// ownDir makes a directory for whoever works in it.
func (p *place) ownDir(path string) error {
	return errors.Join(os.Mkdir(path, 0o755), os.Chown(path, p.uid, p.gid))
}

func (p *place) home() string { return filepath.Join(p.dir, "home") }

func (p *place) remove() { os.RemoveAll(p.dir) }

// copySelf puts this program into a directory that can be granted: where go run keeps it, the toolchain's work lies.
func (p *place) copySelf() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	bin := filepath.Join(p.dir, "bin")
	p.helper = filepath.Join(bin, "demo")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(p.helper, text, 0o755), os.WriteFile(filepath.Join(bin, "gitconfig"), []byte(gitSettings), 0o644))
}

// identity is who sovrun will run the command as: the user behind sudo(8), else the caller.
func identity() (uid, gid int) {
	uid, gid = os.Getuid(), os.Getgid()
	if uid != 0 {
		return uid, gid
	}
	u, err := strconv.Atoi(os.Getenv("SUDO_UID"))
	g, gerr := strconv.Atoi(os.Getenv("SUDO_GID"))
	if err != nil || gerr != nil {
		return uid, gid
	}
	return u, g
}

// sovrun is a command line of its verb with what every launch of the demo has in common.
func (p *place) sovrun(verb string, more ...string) []string {
	return append([]string{p.binary, verb, "--workspace", p.workspace, "--exec", filepath.Dir(p.helper)}, more...)
}

// command is made with an environment from nothing: no key or token of the caller's can get anywhere.
func (p *place) command(argv []string) *exec.Cmd {
	c := exec.CommandContext(p.ctx, argv[0], argv[1:]...)
	c.Dir = p.workspace
	c.Env = append(p.goEnv(), "HOME="+p.home(), "LANG=C.UTF-8", "TERM="+os.Getenv("TERM"))
	for _, name := range []string{"NO_COLOR", "SUDO_UID", "SUDO_GID"} {
		if v := os.Getenv(name); v != "" {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	return c
}

// control is the same, run without sovrun by whoever would run it inside.
func (p *place) control(argv []string) *exec.Cmd {
	c := p.command(argv)
	if p.uid != os.Getuid() {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.uid), Gid: uint32(p.gid)}}
	}
	return c
}
