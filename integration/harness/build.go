// Package harness builds sovrun for the end-to-end tests and starts it as every
// kind of caller: as root, as root for a user, and as a user.
package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Place is a directory of a test program's own, outside of /tmp (which a sandbox
// covers), with what it built. Everybody may search it.
type Place struct{ Dir string }

// NewPlace makes one. Remove must be called at the end.
func NewPlace() (Place, error) {
	dir, err := os.MkdirTemp("/var/tmp", "sovrun-test-")
	if err != nil {
		return Place{}, err
	}
	return Place{dir}, os.Chmod(dir, 0o755)
}

// Remove removes it with all that lies in it.
func (p Place) Remove() { os.RemoveAll(p.Dir) }

// faultVar names switches of test builds that every launch of a whole test run leaves
// out: by that make contract-falsify sees the tests fail.
const faultVar = "SOVRUN_TEST_FAULT"

// Build builds a program of this repository, with build tags or "", and gives its path.
func (p Place) Build(program, tags string) (string, error) {
	if off := os.Getenv(faultVar); off != "" && tags == "" {
		return p.buildWithout(program, off)
	}
	return p.build(program, tags)
}

// buildWithout gives a script that starts a test build with its switches off.
func (p Place) buildWithout(program, off string) (string, error) {
	built, err := p.build(program, "sovrunfault")
	if err != nil {
		return "", err
	}
	script := filepath.Join(p.Dir, filepath.Base(program))
	return script, os.WriteFile(script, []byte("#!/bin/sh\nSOVRUN_FAULT='"+off+"' exec "+built+" \"$@\"\n"), 0o755)
}

func (p Place) build(program, tags string) (string, error) {
	root, err := repository()
	if err != nil {
		return "", err
	}
	out := filepath.Join(p.Dir, filepath.Base(program)+tags)
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", tags, "-o", out, "./"+program)
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", program, err, text)
	}
	return out, nil
}

// repository is the directory of go.mod, from a package's directory, which is
// where go test starts a test.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for d := dir; d != "/"; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d, nil
		}
	}
	return "", fmt.Errorf("no go.mod at or above %q", dir)
}
