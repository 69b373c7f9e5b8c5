package runs

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestInterpreter: what runs a file, and files that are in its place by now.
func TestInterpreter(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(name, target string) string {
		path := filepath.Join(dir, name)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"script", write("script", "#! /no/such/shell -e\n"), "/no/such/shell"},
		{"script without a newline", write("short", "#!/x"), "/x"},
		{"empty line", write("empty", "#!\n"), ""},
		{"text", write("text", "hello"), ""},
		{"program", "/bin/sh", loader(t)},
		{"FIFO", fifo, ""},
		{"link to a FIFO", link("to-fifo", fifo), ""},
		{"link to a device", link("to-device", "/dev/kmsg"), ""},
		{"link to a script", link("to-script", filepath.Join(dir, "script")), "/no/such/shell"},
		{"directory", dir, ""},
		{"nothing", filepath.Join(dir, "none"), ""},
	} {
		got := make(chan string, 1)
		go func() { got <- interpreter(c.path) }()
		select {
		case g := <-got:
			if g != c.want {
				t.Errorf("%s: %q, wanted %q", c.name, g, c.want)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s: waits for ever", c.name)
		}
	}
}

// loader is what runs /bin/sh, which every machine that has a libc links to it.
func loader(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Fatal("no loader of glibc is here")
	return ""
}
