//go:build cgo

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	seccomp "github.com/seccomp/libseccomp-golang"
	"github.com/sovrun/sovrun/cmd/sovrun-seccomp/profiles"
)

const filtersDir = "../../isolation/filters"

// The embedded filters are what the tables and the library yield now, byte for
// byte, and nothing else lies beside them.
func TestEmbeddedFiltersHaveNotDrifted(t *testing.T) {
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]bool)
	for _, f := range files {
		want[filepath.Join(filtersDir, f.path)] = true
		got, err := os.ReadFile(filepath.Join(filtersDir, f.path))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, f.data) {
			major, minor, micro := seccomp.GetLibraryVersion()
			t.Errorf("%s differs from what the tables yield; run `go generate ./isolation/filters` with libseccomp 2.5.4 (here is %d.%d.%d) and commit the result", f.path, major, minor, micro)
		}
	}
	for _, pattern := range []string{"bpf/*", "profiles/*"} {
		found, _ := filepath.Glob(filepath.Join(filtersDir, pattern))
		for _, path := range found {
			if !want[path] {
				t.Errorf("%s is not generated any more; remove it", path)
			}
		}
	}
}

// The profile that users see compiles to the filter that is embedded.
func TestPublishedProfilesCompileToTheSameFilter(t *testing.T) {
	for _, name := range profiles.Names() {
		for _, arch := range []string{"amd64", "arm64"} {
			out := filepath.Join(t.TempDir(), "out.bpf")
			args := []string{"-arch", arch, "-o", out, filepath.Join(filtersDir, "profiles", name+".json")}
			if err := run(args, nil, nil); err != nil {
				t.Error(err)
				continue
			}
			got, err := os.ReadFile(out)
			want, werr := os.ReadFile(filepath.Join(filtersDir, "bpf", name+"_"+arch+".bpf"))
			if err != nil || werr != nil || !bytes.Equal(got, want) {
				t.Errorf("%s for %s: %d bytes, %v; wanted the %d embedded ones, %v", name, arch, len(got), err, len(want), werr)
			}
		}
	}
}
