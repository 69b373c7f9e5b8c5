package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// toolchain finds Go and its build cache. Another user than the caller, who may not be let into the caller's cache,
// gets one of the demo's own.
func (p *place) toolchain() error {
	out, err := exec.CommandContext(p.ctx, "go", "env", "GOROOT", "GOCACHE").Output()
	if err != nil {
		return fmt.Errorf("the Go toolchain: %w", err)
	}
	settings := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(settings) != 2 {
		return fmt.Errorf("the Go toolchain: wanted GOROOT and GOCACHE, got %q", out)
	}
	p.goroot, p.gocache = settings[0], settings[1]
	if p.uid == os.Getuid() {
		return nil
	}
	theirs := p.gocache
	p.gocache = filepath.Join(p.dir, "cache")
	if err := p.linkCache(theirs); err != nil {
		return fmt.Errorf("a build cache: %w", err)
	}
	return nil
}

// linkCache fills p.gocache with hard links to what everybody may read of another cache. What cannot be linked, for
// one because it lies on another file system, is compiled again.
func (p *place) linkCache(from string) error {
	if err := p.ownDir(p.gocache); err != nil {
		return err
	}
	dirs, _ := filepath.Glob(filepath.Join(from, "[0-9a-f][0-9a-f]")) // the pattern is well-formed
	for _, dir := range dirs {
		to := filepath.Join(p.gocache, filepath.Base(dir))
		if err := p.ownDir(to); err != nil {
			return err
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			const othersRead = 0o004
			if st, err := e.Info(); err == nil && st.Mode().IsRegular() && st.Mode()&othersRead != 0 {
				_ = os.Link(filepath.Join(dir, e.Name()), filepath.Join(to, e.Name())) // else compiled again
			}
		}
	}
	return nil
}

// goEnv is the same outside and inside, so that what is built outside is found in the cache inside.
func (p *place) goEnv() []string {
	return []string{
		"PATH=" + p.goroot + "/bin:/usr/local/bin:/usr/bin:/bin", "GOCACHE=" + p.gocache,
		"CGO_ENABLED=0", "GOENV=off", "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOTOOLCHAIN=local",
	}
}

// warm builds and tests the program outside: the cache inside is read-only.
func (p *place) warm() error {
	began := time.Now()
	for _, step := range steps {
		if step[0] != "go" {
			continue
		}
		argv := append([]string{filepath.Join(p.goroot, "bin/go")}, step[1:]...)
		if out, err := p.control(argv).CombinedOutput(); err != nil {
			return fmt.Errorf("outside: %s: %w\n%s", strings.Join(step, " "), err, out)
		}
	}
	fmt.Printf("outside: the same go commands, so that the toolchain's cache, read-only inside, holds what they need: %s\n", seconds(time.Since(began)))
	return os.Remove(filepath.Join(p.workspace, "built"))
}
