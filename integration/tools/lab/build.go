package lab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary names the sovrun to test. It is the environment's, so that a built one can be named from outside.
const binary = "SOVRUN_BIN"

// Main is the body of a TestMain: it builds sovrun once for all tests of a package, unless SOVRUN_BIN names one, and
// returns what to exit with.
func Main(m *testing.M) int {
	if os.Getenv(binary) == "" {
		dir, err := os.MkdirTemp("", "sovrun-lab-")
		if err != nil {
			return failed(err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "sovrun")
		if err := build(path, dir); err != nil {
			return failed(err)
		}
		os.Setenv(binary, path)
	}
	return m.Run()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "lab:", err)
	return 1
}

// build makes sovrun as the Makefile does. dir is opened to the users that the tests make.
func build(path, dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	return compile(path, "github.com/sovrun/sovrun/cmd/sovrun")
}

// Program builds a program of this repository, for everybody to run, and returns its path.
func Program(t *testing.T, pkg string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, filepath.Base(pkg))
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	must(t, compile(path, pkg))
	return path
}

// compile makes a static binary, which runs wherever it is put.
func compile(path, pkg string) error {
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, pkg)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
