package atstart_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sovrun/sovrun/isolation/child/atstart"
)

// TestOpenFiles: it is what the process was started with, though package
// os has raised the soft limit since.
func TestOpenFiles(t *testing.T) {
	const env = "SOVRUN_TEST_LIMIT"
	if os.Getenv(env) != "" {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &now); err != nil {
			t.Fatal(err)
		}
		soft, hard := atstart.OpenFiles()
		fmt.Printf("limits %d %d raised %v\n", soft, hard, now.Cur > soft)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `ulimit -Sn 123 && ulimit -Hn 345 && exec "$0" -test.run='^TestOpenFiles$'`, self)
	cmd.Env = append(os.Environ(), env+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "limits 123 345 raised true\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
