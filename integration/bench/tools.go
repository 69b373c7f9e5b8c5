package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed *.c *.h
var sources embed.FS

// tools is a directory with what the bench builds for one run of itself.
type tools struct {
	dir      string
	compiler string // the one that built them
}

// buildTools compiles the C programs and copies sovrun, readable by everyone,
// since an ordinary user launches them too.
func buildTools(base, sovrun string) (tools, error) {
	t := tools{dir: filepath.Join(base, "bin"), compiler: compiler()}
	if err := os.Mkdir(t.dir, 0o755); err != nil {
		return t, err
	}
	if err := os.CopyFS(t.dir, sources); err != nil {
		return t, err
	}
	err := errors.Join(
		t.compile("pace", t.compiler, "pace.c"),
		t.compile("syscalls", t.compiler, "syscalls.c"),
		t.compile("floor", t.compiler, "floor.c", "steps.c"),
		// musl-gcc insists on its own start-up files even where none are wanted.
		t.compile("true", "gcc", "-nostdlib", "true.c"))
	if err != nil {
		return t, err
	}
	filter, err := filterBytes()
	if err != nil {
		return t, err
	}
	return t, errors.Join(
		os.WriteFile(t.path("filter"), filter, 0o644),
		os.WriteFile(t.path("empty-file"), nil, 0o644),
		os.Mkdir(t.path("empty-dir"), 0o755),
		copyProgram(sovrun, t.path("sovrun")))
}

func compiler() string {
	if _, err := exec.LookPath("musl-gcc"); err == nil {
		return "musl-gcc"
	}
	return "gcc"
}

func (t tools) path(name string) string { return filepath.Join(t.dir, name) }

func (t tools) compile(name, cc string, words ...string) error {
	args := append([]string{"-O2", "-static", "-s", "-Wall", "-Wextra", "-Werror", "-o", name}, words...)
	cmd := exec.Command(cc, args...)
	cmd.Dir = t.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile %s with %s: %w: %s", name, cc, err, out)
	}
	return nil
}

func filterBytes() ([]byte, error) {
	code, err := buildFilter()
	if err != nil {
		return nil, err
	}
	return encodeFilter(code)
}

func copyProgram(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("copy a program: %w; run `make build` first", err)
	}
	return os.WriteFile(to, content, 0o755)
}
