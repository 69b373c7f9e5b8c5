package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// lab is where one caller's launches happen: a workspace, a home, an identity.
type lab struct {
	tools
	ctx       context.Context // ends with the bench, when it is interrupted
	who       string          // "root" or "user"
	uid, gid  int
	switchUID bool // the launches run as another user than the bench
	workspace string
	home      string
	bwrap     string
	layout    layout
	seen      map[string][]mount // by launcher
}

// Names of the launchers in tables.
const (
	nameSovrun = "sovrun"
	nameBwrap  = "bubblewrap"
	nameFloor  = "C floor"
	nameBare   = "no sandbox"
)

// Unused user ids are looked for in a range that no distribution hands out:
// above the ordinary ones, below systemd's dynamic and the container ranges
// (systemd's "Users, Groups, UIDs and GIDs").
const firstFreeUID, lastFreeUID = 60578, 61183

// freeUID returns a user id that has no name and, as far as /proc shows, no
// process. The launches need a user, not an account: nothing has to be taken
// back afterwards, even if the bench is killed.
func freeUID() (int, error) {
	taken := map[int]bool{}
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(passwd)) {
		var uid int
		if f := strings.Split(line, ":"); len(f) > 2 {
			if _, err := fmt.Sscan(f[2], &uid); err == nil {
				taken[uid] = true
			}
		}
	}
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, p := range processes {
		if info, err := os.Stat(p); err == nil {
			taken[int(info.Sys().(*syscall.Stat_t).Uid)] = true
		}
	}
	for uid := firstFreeUID; uid <= lastFreeUID; uid++ {
		if !taken[uid] {
			return uid, nil
		}
	}
	return 0, fmt.Errorf("find a user id for the bench: none free from %d to %d", firstFreeUID, lastFreeUID)
}

// newLabs returns a lab for each identity this process can take: root and an
// ordinary user, or only itself.
func newLabs(ctx context.Context, base string, t tools) ([]*lab, error) {
	self := &lab{tools: t, ctx: ctx, who: "user", uid: os.Getuid(), gid: os.Getgid()}
	labs := []*lab{self}
	if self.uid == 0 {
		self.who = "root"
		uid, err := freeUID()
		if err != nil {
			return nil, err
		}
		labs = append(labs, &lab{tools: t, ctx: ctx, who: "user", uid: uid, gid: uid, switchUID: true})
	}
	for _, l := range labs {
		if err := l.furnish(filepath.Join(base, l.who)); err != nil {
			return nil, fmt.Errorf("prepare the lab of %s: %w", l.who, err)
		}
	}
	return labs, nil
}

func (l *lab) furnish(dir string) error {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return fmt.Errorf("%w; install the package bubblewrap", err)
	}
	l.bwrap = bwrap
	l.workspace, l.home = filepath.Join(dir, "workspace"), filepath.Join(dir, "home")
	for _, d := range []string{dir, l.workspace, l.home} {
		if err := errors.Join(os.Mkdir(d, 0o755), os.Chown(d, l.uid, l.gid)); err != nil {
			return err
		}
	}
	for _, name := range []string{"true", "syscalls"} {
		if err := copyProgram(l.path(name), l.inWorkspace(name)); err != nil {
			return err
		}
	}
	return l.look()
}

// inWorkspace returns the path of a file that every launcher shows inside.
func (l *lab) inWorkspace(name string) string { return filepath.Join(l.workspace, name) }

func (l *lab) environment() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + l.home, "LANG=C.UTF-8"}
}

// command returns a command in the workspace, by the lab's user, with the
// filter open as filterFD and /dev/null as resultFD.
func (l *lab) command(ctx context.Context, argv []string) (*exec.Cmd, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	filter, err := os.Open(l.path("filter"))
	if err != nil {
		null.Close()
		return nil, err
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = l.environment(), l.workspace
	cmd.ExtraFiles = []*os.File{null, filter}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if l.switchUID {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(l.uid), Gid: uint32(l.gid)}
	}
	return cmd, nil
}

const singleLimit = 30 * time.Second // for one launch outside the timed rounds

// output runs argv once and returns what it wrote.
func (l *lab) output(argv []string) (string, error) {
	ctx, cancel := context.WithTimeout(l.ctx, singleLimit)
	defer cancel()
	cmd, err := l.command(ctx, argv)
	if err != nil {
		return "", err
	}
	defer closeAll(cmd.ExtraFiles)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("run %q as %s: %w: %s", argv[0], l.who, err, lastLines(stderr.String()))
	}
	return string(out), nil
}

// lastLines keeps an error message short.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}

// launcher returns the command that runs argv under the named launcher.
func (l *lab) launcher(name string, argv ...string) command {
	switch name {
	case nameSovrun:
		return command{name, append([]string{l.path("sovrun"), "run", "--"}, argv...)}
	case nameBwrap:
		return command{name, bwrapArgv(l.bwrap, l.layout, l.bwrapOwn(), argv)}
	case nameFloor:
		return command{name, floorArgv(l.path("floor"), l.layout, nil, argv)}
	}
	return command{name, argv}
}

// look learns what sovrun shows inside, and what the peers then show.
func (l *lab) look() error {
	host, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	hostMounts, err := parseMountinfo(string(host))
	if err != nil {
		return err
	}
	l.seen = map[string][]mount{}
	if err := l.lookInside(nameSovrun); err != nil {
		return err
	}
	l.layout = layoutOf(l.seen[nameSovrun], hostMounts, standIns{l.path("empty-file"), l.path("empty-dir")})
	l.layout.workspace = l.workspace
	if l.layout.namespaces, err = l.namespaces(nameSovrun); err != nil {
		return err
	}
	if err := l.lookAtBwrap(); err != nil {
		return err
	}
	for _, name := range []string{nameBwrap, nameFloor} {
		if err := l.lookInside(name); err != nil {
			return err
		}
	}
	return l.compare()
}

func (l *lab) lookInside(name string) error {
	mounts, err := l.mountsOf(l.launcher(name, "/usr/bin/cat", "/proc/self/mountinfo"))
	l.seen[name] = mounts
	return err
}

func (l *lab) mountsOf(c command) ([]mount, error) {
	out, err := l.output(c.argv)
	if err != nil {
		return nil, err
	}
	return parseMountinfo(out)
}

const nameBwrapOwn = "bubblewrap's own"

// lookAtBwrap learns which mounts bubblewrap makes of its own accord: what lies
// in its /dev, and as root a few masks in its /proc.
func (l *lab) lookAtBwrap() error {
	bare := layout{
		ops:        []op{{opReadOnly, "/usr", "/usr"}, {opTmpfs, "", "/dev"}, {opProc, "", "/proc"}, {opWritable, l.workspace, l.workspace}},
		namespaces: l.layout.namespaces,
		workspace:  l.workspace,
	}
	argv := bwrapArgv(l.bwrap, bare, nil, []string{"/usr/bin/cat", "/proc/self/mountinfo"})
	mounts, err := l.mountsOf(command{nameBwrapOwn, argv})
	l.seen[nameBwrapOwn] = mounts
	return err
}

// bwrapOwn returns the mount points below /dev and /proc that bubblewrap makes.
func (l *lab) bwrapOwn() map[string]bool {
	own := map[string]bool{}
	for _, m := range l.seen[nameBwrapOwn] {
		if strings.HasPrefix(m.point, "/dev/") || strings.HasPrefix(m.point, "/proc/") {
			own[m.point] = true
		}
	}
	return own
}

// namespaces returns the names under /proc/self/ns that differ from the host's.
func (l *lab) namespaces(name string) ([]string, error) {
	argv := []string{"/usr/bin/readlink"}
	for _, n := range namespaceNames {
		argv = append(argv, "/proc/self/ns/"+n.proc)
	}
	outside, err := l.output(argv)
	if err != nil {
		return nil, err
	}
	inside, err := l.output(l.launcher(name, argv...).argv)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, link := range strings.Fields(inside) {
		if !slices.Contains(strings.Fields(outside), link) {
			kind, _, _ := strings.Cut(link, ":")
			own = append(own, kind)
		}
	}
	return own, nil
}

// compare refuses a comparison with a peer that does less.
func (l *lab) compare() error {
	for _, name := range []string{nameBwrap, nameFloor} {
		if err := noFewer(name, l.seen[nameSovrun], l.seen[name]); err != nil {
			return err
		}
		namespaces, err := l.namespaces(name)
		if err != nil {
			return err
		}
		if err := noneMissing(name, l.layout.namespaces, namespaces); err != nil {
			return err
		}
	}
	return nil
}

func noFewer(peer string, want, got []mount) error {
	if len(got) < len(want) {
		return fmt.Errorf("compare mounts: sovrun shows %d, %s only %d", len(want), peer, len(got))
	}
	return nil
}

func noneMissing(peer string, want, got []string) error {
	for _, n := range want {
		if !slices.Contains(got, n) {
			return fmt.Errorf("compare namespaces: sovrun has its own %s, %s has not", n, peer)
		}
	}
	return nil
}
