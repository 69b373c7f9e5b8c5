package escapes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// programsEnv names a directory with sovrun and agent in it, for a machine on
// which there is no toolchain.
const programsEnv = "SOVRUN_TEST_ESCAPES_PROGRAMS"

// scratch is where everything of this package's tests lies: never below /tmp, which
// a sandbox covers with a file system of its own, so that a file there would be out
// of reach for that reason alone.
func scratch() string {
	if dir := os.TempDir(); dir != "/tmp" && !strings.HasPrefix(dir, "/tmp/") {
		return dir
	}
	return "/var/tmp"
}

var built = sync.OnceValues(build)

// build compiles what the tests run, once: both programs are static.
func build() (dir string, err error) {
	if dir := os.Getenv(programsEnv); dir != "" {
		return dir, nil
	}
	if dir, err = os.MkdirTemp(scratch(), "sovrun-escapes-bin-"); err != nil {
		return "", err
	}
	for name, pkg := range map[string]string{"sovrun": "../../cmd/sovrun", "agent": "./agent"} {
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(dir, name), pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return dir, fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
		}
	}
	return dir, nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := built(); dir != os.Getenv(programsEnv) {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// program is the path of a compiled one.
func program(t *testing.T, name string) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}
