// Command comparison runs one program under several sandboxes and writes what it could
// do into docs/comparison.md: without any, under bubblewrap, under Landlock with
// landrun's rules, and under sovrun. It must be started by root, from the top of the
// repository, on a machine with bubblewrap.
//
//	go run ./integration/comparison [-out FILE]
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

//go:embed reference.tsv
var reference string

func main() {
	out := flag.String("out", "", "where to write the page; standard output without it")
	flag.Parse()
	page, err := compare()
	if err == nil && *out != "" {
		err = os.WriteFile(*out, page, 0o644)
	} else if err == nil {
		_, err = os.Stdout.Write(page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "comparison:", err)
		os.Exit(1)
	}
}

func compare() ([]byte, error) {
	if os.Getuid() != 0 {
		return nil, fmt.Errorf("start it as root: half of the columns are root's")
	}
	l, err := newLab()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(l.dir)
	var results []map[string]string
	for _, c := range columns {
		r, err := l.run(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		results = append(results, r)
	}
	text := page(results, readReference(), l.facts())
	for _, c := range columns {
		if c.reference >= 0 {
			continue
		}
		found, err := l.ask(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		text = append(text, "\n## What others find in it: "+c.name+"\n\n"...)
		for _, f := range found {
			text = append(text, "- "+f+"\n"...)
		}
	}
	return text, nil
}

// lab holds a workspace of root's and one of a user's, the programs, and a file
// outside of both that everybody may read.
type lab struct{ dir, sovrun, canary string }

// nobody is who the columns of a user run as.
const nobody = 65534

func newLab() (*lab, error) {
	dir, err := os.MkdirTemp("/var/tmp", "sovrun-comparison-")
	if err != nil {
		return nil, err
	}
	l := &lab{dir: dir, sovrun: filepath.Join(dir, "sovrun"), canary: filepath.Join(dir, "canary")}
	steps := []func() error{
		func() error { return os.Chmod(dir, 0o755) },
		func() error { return os.WriteFile(l.canary, []byte("canary\n"), 0o644) },
		func() error { return build("./cmd/sovrun", l.sovrun) },
		func() error { return build("./integration/comparison/landlocked", filepath.Join(dir, "landlocked")) },
		func() error { return l.workspace("root", 0) },
		func() error { return l.workspace("nobody", nobody) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			os.RemoveAll(dir)
			return nil, err
		}
	}
	return l, nil
}

// workspace makes one, with a home beside it and the probe in it.
func (l *lab) workspace(name string, uid int) error {
	ws, home := filepath.Join(l.dir, name), filepath.Join(l.dir, name+"-home")
	for _, d := range []string{ws, home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
		if err := os.Chown(d, uid, uid); err != nil {
			return err
		}
	}
	return build("./integration/comparison/probe", filepath.Join(ws, "probe"))
}

func build(program, path string) error {
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", path, program)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", program, err, out)
	}
	return nil
}

// command prepares a program to be started by the caller of a column, in its workspace.
func (l *lab) command(c column, argv []string) *exec.Cmd {
	owner, uid := c.owner()
	ws := filepath.Join(l.dir, owner)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = ws
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + ws + "-home", "LANG=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	return cmd
}

// run starts the probe in a column, with five descriptors that nobody asked for.
func (l *lab) run(c column) (map[string]string, error) {
	owner, _ := c.owner()
	ws := filepath.Join(l.dir, owner)
	cmd := l.command(c, append(c.wrap(l, ws), filepath.Join(ws, "probe"), l.canary))
	for range 5 {
		f, err := os.Open(l.canary)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	said, err := output(cmd)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(said)) {
		name, result, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok {
			return nil, fmt.Errorf("the probe says %q", line)
		}
		out[name] = result
	}
	return out, nil
}

// facts are the machine's.
func (l *lab) facts() string {
	var u syscall.Utsname
	_ = syscall.Uname(&u)
	release := make([]byte, 0, len(u.Release))
	for _, b := range u.Release {
		if b == 0 {
			break
		}
		release = append(release, byte(b))
	}
	bwrap, _ := exec.Command("bwrap", "--version").Output()
	return fmt.Sprintf("%s, Linux %s, %s", time.Now().Format(time.DateOnly), release, strings.TrimSpace(string(bwrap)))
}
