package load

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience is how long what a launch had may take to be gone.
const patience = 10 * time.Second

// nothingLeft waits for what came since to go.
func nothingLeft(t *testing.T, token string, before map[string]bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var left []string
		for trace := range traces(t, token) {
			if !before[trace] {
				left = append(left, trace)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			slices.Sort(left)
			t.Errorf("after %v there is still\n%s", patience, strings.Join(left, "\n"))
			return
		}
	}
}

// TestTracesAreSeen is the control of nothingLeft.
func TestTracesAreSeen(t *testing.T) {
	const token = "load-control"
	before := traces(t, token)
	cmd := exec.Command("/bin/sh", "-c", "read x # "+token)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found := 0
	for trace := range traces(t, token) {
		if !before[trace] && strings.HasPrefix(trace, "cmdline of process ") {
			found++
		}
	}
	if found == 0 {
		t.Error("a process that names the token is not seen")
	}
	stdin.Close()
	_ = cmd.Wait()
	nothingLeft(t, token, before)
}
