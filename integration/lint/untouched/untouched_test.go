package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// home makes a tree with one of each kind of entry.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := func(p string) string { return filepath.Join(dir, p) }
	must(t, os.MkdirAll(at("a/b"), 0o755))
	must(t, os.MkdirAll(at("cache"), 0o755))
	must(t, os.WriteFile(at("a/file"), []byte("one"), 0o644))
	must(t, os.WriteFile(at("cache/x"), []byte("one"), 0o644))
	must(t, os.WriteFile(at("secret"), []byte("one"), 0o000))
	must(t, os.Mkdir(at("closed"), 0o000))
	must(t, os.Symlink("file", at("a/link")))
	must(t, syscall.Mkfifo(at("a/fifo"), 0o600))
	must(t, os.WriteFile(at("a/large"), nil, 0o644))
	must(t, os.Truncate(at("a/large"), largeFile+1)) // sparse
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// keepingTime runs f and puts the modification times of the file and of its directory back.
func keepingTime(t *testing.T, p string, f func()) {
	t.Helper()
	for _, p := range []string{p, filepath.Dir(p)} {
		info, err := os.Lstat(p)
		must(t, err)
		defer func() { must(t, os.Chtimes(p, time.Time{}, info.ModTime())) }()
	}
	f()
}

func overwrite(t *testing.T, p, text string) {
	t.Helper()
	f, err := os.OpenFile(p, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
}

func TestCompare(t *testing.T) {
	cases := []struct {
		name   string
		change func(t *testing.T, dir string)
		want   []string // one piece of each line, in order
	}{
		{"nothing", func(*testing.T, string) {}, nil},
		{"reading", func(t *testing.T, dir string) {
			_, err := os.ReadFile(dir + "/a/file")
			must(t, err)
		}, nil},
		{"in a skipped directory", func(t *testing.T, dir string) {
			must(t, os.WriteFile(dir+"/cache/new", nil, 0o644))
		}, nil},
		{"contents behind the same size and time", func(t *testing.T, dir string) {
			keepingTime(t, dir+"/a/file", func() { overwrite(t, dir+"/a/file", "two") })
		}, []string{`/a/file": contents 3fc4ccfe7458, was 7692c3ad3540`}},
		{"contents of a large file, likewise", func(t *testing.T, dir string) {
			keepingTime(t, dir+"/a/large", func() { overwrite(t, dir+"/a/large", "two") })
		}, []string{`/a/large": contents changed at`}},
		{"time alone", func(t *testing.T, dir string) {
			must(t, os.Chtimes(dir+"/a/file", time.Time{}, time.Unix(1, 0)))
		}, []string{`/a/file": modified 1970-01-01T00:00:01Z, was `}},
		{"mode", func(t *testing.T, dir string) {
			must(t, os.Chmod(dir+"/a/file", 0o600))
		}, []string{`/a/file": mode -rw-------, was -rw-r--r--`}},
		{"size", func(t *testing.T, dir string) {
			keepingTime(t, dir+"/a/file", func() { overwrite(t, dir+"/a/file", "longer") })
		}, []string{`6 bytes, was 3`}},
		{"a new file", func(t *testing.T, dir string) {
			keepingTime(t, dir+"/a/b", func() {
				info, err := os.Stat(dir + "/a/b")
				must(t, err)
				must(t, os.WriteFile(dir+"/a/b/new", nil, 0o644))
				must(t, os.Chtimes(dir+"/a/b", time.Time{}, info.ModTime()))
			})
		}, []string{`/a/b/new": added`}},
		{"a file that came and went", func(t *testing.T, dir string) {
			must(t, os.Chtimes(dir+"/a/b", time.Time{}, time.Unix(1, 0)))
		}, []string{`/a/b": modified`}},
		{"a file gone", func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/a/file"))
		}, []string{`/a": modified`, `/a/file": removed`}},
		{"a link that leads elsewhere", func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/a/link"))
			must(t, os.Symlink("large", dir+"/a/link"))
		}, []string{`/a": modified`, `/a/link": contents large, was file`}},
		{"a root that was absent", func(t *testing.T, dir string) {
			must(t, os.Mkdir(dir+"-state", 0o755))
			t.Cleanup(func() { os.Remove(dir + "-state") })
		}, []string{`-state": contents none, was absent`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := home(t)
			record := filepath.Join(t.TempDir(), "record")
			must(t, run([]string{"take", "-o", record, "-skip", dir + "/cache", dir, dir + "-state"}, nil))
			c.change(t, dir)
			var out strings.Builder
			err := run([]string{"compare", record}, &out)
			if (err != nil) != (c.want != nil) {
				t.Errorf("wanted an error: %v, got %v", c.want != nil, err)
			}
			wantLines(t, out.String(), c.want)
		})
	}
}

func wantLines(t *testing.T, got string, want []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if got == "" {
		lines = nil
	}
	if len(lines) != len(want) {
		t.Fatalf("wanted %d lines, got %q", len(want), lines)
	}
	for i := range want {
		if !strings.Contains(lines[i], want[i]) {
			t.Errorf("line %d: wanted %q in it, got %q", i+1, want[i], lines[i])
		}
	}
}

func TestAnotherFileSystemIsNotEntered(t *testing.T) {
	s := scope{Roots: []string{"/"}, Skip: []string{}}
	for _, name := range top(t) {
		if name != "/proc" {
			s.Skip = append(s.Skip, name)
		}
	}
	got, err := s.entries()
	must(t, err)
	if got["/proc"].Content != "another file system" {
		t.Errorf("wanted /proc to be another file system, got %+v", got["/proc"])
	}
	if _, ok := got["/proc/self"]; ok {
		t.Error("/proc was entered")
	}
}

func top(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/")
	must(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, "/"+e.Name())
	}
	return out
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"take"}, {"take", "-o", "x"}, {"take", "/x"}, {"compare"}, {"compare", "a", "b"}} {
		if err := run(args, nil); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
