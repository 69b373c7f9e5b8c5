package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatusFile: whatever the command does to the directory meanwhile, the status
// appears in the directory that was named, whole, and nowhere else.
func TestStatusFile(t *testing.T) {
	for _, c := range []struct {
		name   string
		meddle func(dir, outside string) error
		at     string // the directory in the end
	}{
		{"nothing", func(string, string) error { return nil }, "out"},
		{"a file of that name", func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "status.json"), []byte("forged"), 0o644)
		}, "out"},
		{"a link of that name", func(dir, outside string) error {
			return os.Symlink(filepath.Join(outside, "victim"), filepath.Join(dir, "status.json"))
		}, "out"},
		{"the directory is moved, a link in its place", func(dir, outside string) error {
			if err := os.Rename(dir, dir+"2"); err != nil {
				return err
			}
			return os.Symlink(outside, dir)
		}, "out2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			dir, outside := filepath.Join(top, "out"), filepath.Join(top, "outside")
			for _, d := range []string{dir, outside} {
				if err := os.Mkdir(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(outside, "victim"), []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
			w, err := OpenStatus(filepath.Join(dir, "status.json"), -1)
			if err != nil {
				t.Fatal(err)
			}
			if names := entries(t, dir); len(names) > 0 {
				t.Errorf("%v lies where the command can change it", names)
			}
			if err := c.meddle(dir, outside); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(&Outcome{ExitCode: 7}); err != nil {
				t.Fatal(err)
			}
			at := filepath.Join(top, c.at)
			text, err := os.ReadFile(filepath.Join(at, "status.json"))
			if err != nil || !strings.Contains(string(text), `"sovrun_exit_code":7`) {
				t.Errorf("%q, %v", text, err)
			}
			if names := entries(t, at); len(names) != 1 {
				t.Errorf("%v is left, wanted the status alone", names)
			}
			if text, err := os.ReadFile(filepath.Join(outside, "victim")); string(text) != "mine" || len(entries(t, outside)) != 1 {
				t.Errorf("outside: %q, %v, %v", text, err, entries(t, outside))
			}
		})
	}
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
