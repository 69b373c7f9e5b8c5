package faults

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of every descendant that loses its own
// (prctl(2), PR_SET_CHILD_SUBREAPER): what a launch leaves behind becomes ours.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// patience is how long what was killed may take to be gone.
const patience = 20 * time.Second

// traces is what a launch may not add to.
func traces(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		seen["mount "+line] = true
	}
	for _, pattern := range []string{"/tmp/.sovrun*", "/tmp/root", "/tmp/*/canary", "/.sovrun"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			seen["file "+n] = true
		}
	}
	return seen
}

// nothingLeft: no process, no mount, no file. Other programs mount things too;
// what goes away again in time is not ours.
func nothingLeft(t *testing.T, fault string, before map[string]bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		left := orphans()
		for trace := range traces(t) {
			if !before[trace] {
				left = append(left, trace)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: left behind: %q", fault, left)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// orphans reaps what has ended and names what lives.
func orphans() []string {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WALL, nil)
		switch {
		case errors.Is(err, syscall.ECHILD):
			return nil
		case err == nil && pid == 0:
			return []string{"a process"}
		}
	}
}

// TestTracesAreNoticed leaves one of each behind.
func TestTracesAreNoticed(t *testing.T) {
	before := traces(t)
	out, err := exec.Command("/bin/sh", "-c", "sleep 600 > /dev/null 2>&1 & echo $!").Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	if left := orphans(); len(left) != 1 {
		t.Errorf("a process was left behind and not noticed: %q", left)
	}
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Error(err)
	}
	dir, err := os.MkdirTemp("/tmp", ".sovrun-")
	if err != nil {
		t.Fatal(err)
	}
	if now := traces(t); !now["file "+dir] || before["file "+dir] {
		t.Errorf("%q was left behind and not noticed", dir)
	}
	if err := os.Remove(dir); err != nil {
		t.Error(err)
	}
	nothingLeft(t, "nothing", before)
}
