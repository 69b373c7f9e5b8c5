package isolation

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestCorePiped: with a hard limit of 0, and with any other.
func TestCorePiped(t *testing.T) {
	const without = "SOVRUN_TEST_NO_CORE"
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(without) != "" {
		if want := strings.HasPrefix(string(pattern), "|"); corePiped() != want {
			t.Errorf("%v with a hard limit of 0, core_pattern is %q", !want, pattern)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `ulimit -H -c 0 && exec "$0" -test.run='^TestCorePiped$'`, self)
	cmd.Env = append(os.Environ(), without+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
