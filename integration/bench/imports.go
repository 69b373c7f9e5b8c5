package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// program is a small main that imports something.
type program struct{ name, source string }

// programs are what a launcher could import. The cost of a package is paid at
// every start, used or not.
var programs = []program{
	{"nothing", "package main\nfunc main() {}\n"},
	{"x/sys/unix", blank("golang.org/x/sys/unix")},
	{"fmt, os", "package main\nimport (\"fmt\"; \"os\")\nfunc main() { fmt.Fprint(os.Stderr, \"\") }\n"},
	{"go-landlock", blank("github.com/landlock-lsm/go-landlock/landlock")},
	{"go-toml", blank("github.com/pelletier/go-toml/v2")},
	{"encoding/json", blank("encoding/json")},
	{"encoding/json, one object written", "package main\nimport (\"encoding/json\"; \"os\")\n" +
		"type t struct{ A string; B []int }\nfunc main() { json.NewEncoder(os.Stdout).Encode(t{\"a\", []int{1}}) }\n"},
	{"net", blank("net")},
	{"net/http", blank("net/http")},
}

func blank(path string) string {
	return fmt.Sprintf("package main\nimport _ %q\nfunc main() {}\n", path)
}

// importCost measures what each of the programs costs to start and end.
func (r *report) importCost(l *lab, base string, e effort) {
	const what = "import cost"
	commands, err := buildPrograms(l.ctx, filepath.Join(base, "imports"))
	if err != nil {
		r.invalid(what, l.who, err)
		return
	}
	commands = append(commands, l.launcher(nameBare, l.inWorkspace("true")))
	all, err := l.repeat(e.repetitions, pacing{e.rounds, 0}, commands, 0)
	if err != nil {
		r.invalid(what, l.who, err)
		return
	}
	t := table{
		title: "What an import costs",
		notes: []string{"Microseconds for start and end of a small Go program (CGO_ENABLED=0, stripped) that imports this and nothing else; the last row is the C program that ends at once."},
		head:  []string{"imports", "min", "median", "p90", "median, more than nothing", "size, KiB"},
	}
	for i, c := range all {
		t.rows = append(t.rows, importRow(c, all[0], commands[i].argv[0]))
	}
	t.rows[len(t.rows)-1][0] = "C, no library"
	r.tables = append(r.tables, t)
}

func importRow(c, nothing repeated, file string) []string {
	size := "-"
	if info, err := os.Stat(file); err == nil {
		size = strconv.FormatInt(info.Size()/1024, 10)
	}
	return []string{
		c.name, format(quantile(c.us, 0), ""), format(median(c.us), ""), format(quantile(c.us, 0.9), ""),
		format(median(c.us)-median(nothing.us), ""), size,
	}
}

// buildPrograms builds the programs in a module of their own that asks for what
// this module asks for, from the module cache and from nowhere else.
func buildPrograms(ctx context.Context, dir string) ([]command, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	if err := copyModuleFiles(dir); err != nil {
		return nil, err
	}
	var commands []command
	for i, p := range programs {
		name := fmt.Sprintf("p%d", i)
		if err := buildProgram(ctx, dir, name, p.source); err != nil {
			return nil, fmt.Errorf("build a program that imports %s: %w", p.name, err)
		}
		commands = append(commands, command{p.name, []string{filepath.Join(dir, name, name)}})
	}
	return commands, nil
}

func copyModuleFiles(dir string) error {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("find go.mod: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(out)))
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return fmt.Errorf("find the module: %w; run the bench inside the repository", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func buildProgram(ctx context.Context, dir, name, source string) error {
	sub := filepath.Join(dir, name)
	if err := os.Mkdir(sub, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(sub, "main.go"), []byte(source), 0o644); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=mod", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(sub, name), "./"+name)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, lastLines(string(out)))
	}
	return nil
}
