//go:build cgo

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const allowAll = `{"defaultAction":"SCMP_ACT_ALLOW"}`

// mainEnv makes the test binary behave as the command.
const mainEnv = "SOVRUN_SECCOMP_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// command runs the command itself and returns its streams and status.
func command(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), mainEnv+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	profile := filepath.Join(dir, "profile.json")
	if err := os.WriteFile(profile, []byte(allowAll), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		stdin  string
		reason string // "" is success with a program on standard output
	}{
		{[]string{"-o", "-", profile}, "", ""},
		{[]string{"-o", "-"}, allowAll, ""},
		{[]string{"-o", "-", "-"}, allowAll, ""},
		{[]string{"-arch", "arm64", "-o", "-", "-profile", "default"}, "", ""},
		{[]string{}, "", "no output; add -o FILE"},
		{[]string{"-o", "-", profile, profile}, "", "2 profiles given"},
		{[]string{"-o", "-", "-profile", "default", profile}, "", "both -profile and a file"},
		{[]string{"-o", "-", "-profile", "Default"}, "", `profile "Default": not built in; use one of ["default" "debug" "nested"]`},
		{[]string{"-o", "-", "-arch", "mips", profile}, "", `architecture "mips"`},
		{[]string{"-generate", dir, "-o", "-"}, "", "-generate takes no other argument"},
		{[]string{"-q"}, "", "flag provided but not defined: -q"},
		{[]string{"-o", "-", filepath.Join(dir, "none.json")}, "", "no such file"},
		{[]string{"-o", filepath.Join(dir, "no", "dir"), profile}, "", "no such file"},
		{[]string{"-o", "-"}, `{"x":1}`, `read profile "standard input": json: unknown field "x"`},
	} {
		stdout, stderr, status := command(t, c.stdin, c.args...)
		if c.reason == "" && (status != 0 || stderr != "" || stdout == "" || len(stdout)%insnSize != 0) {
			t.Errorf("%q: status %d, %d bytes, %q; wanted a program", c.args, status, len(stdout), stderr)
		}
		if c.reason != "" && (status != exitFailed || stdout != "" || !strings.Contains(stderr, c.reason) || strings.Count(stderr, "\n") != 1) {
			t.Errorf("%q: status %d, %q, %q; wanted %d and one line with %q", c.args, status, stdout, stderr, exitFailed, c.reason)
		}
	}
}

func TestHelp(t *testing.T) {
	stdout, stderr, status := command(t, "", "-h")
	if status != 0 || stderr != "" || !strings.Contains(stdout, "usage: sovrun-seccomp") || !strings.Contains(stdout, "-generate") {
		t.Errorf("-h: status %d, %q, %q", status, stdout, stderr)
	}
}

// A link at the output's name is replaced, not followed, and a profile that is
// refused leaves what was there and nothing beside it.
func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	victim, out := filepath.Join(dir, "victim"), filepath.Join(dir, "out.bpf")
	if err := errors.Join(os.WriteFile(victim, []byte("kept"), 0o600), os.Symlink(victim, out)); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-o", out}, strings.NewReader(`{"defaultAction":"?"}`), nil); err == nil {
		t.Error("an unknown action compiled")
	}
	if target, err := os.Readlink(out); err != nil || target != victim {
		t.Errorf("after a refusal the output is %q, %v; wanted the link as it was", target, err)
	}
	if err := run([]string{"-o", out}, strings.NewReader(allowAll), nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(out)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size()%insnSize != 0 {
		t.Errorf("the output is %v, %v; wanted a regular file", info, err)
	}
	if kept, err := os.ReadFile(victim); err != nil || string(kept) != "kept" {
		t.Errorf("the link's target holds %q, %v; wanted it untouched", kept, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".sovrun-seccomp-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Built without cgo, the command says so and fails.
func TestWithoutCgo(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "sovrun-seccomp")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	cmd := exec.Command(bin, "-o", "-")
	cmd.Stdin = strings.NewReader(allowAll)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(out), "built without cgo") {
		t.Errorf("%v, %q; wanted status %d and the reason", err, out, exitFailed)
	}
}
