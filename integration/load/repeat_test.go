package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sovrun/sovrun/integration/harness"
	"github.com/sovrun/sovrun/policy"
	"github.com/sovrun/sovrun/runs"
)

// repeatRole, when set, makes this program launch as often as it says, one after the
// other.
const repeatRole = "SOVRUN_TEST_REPEAT"

// TestRepeated: a process that launches many times in a row is what it was before.
func TestRepeated(t *testing.T) {
	times := 1000
	if harness.Soak() {
		times = 10_000
	}
	for _, caller := range harness.Callers() {
		t.Run(string(caller), func(t *testing.T) {
			l := lab.place.NewLab(t, caller)
			self := filepath.Join(filepath.Dir(l.Home), "repeat")
			text, err := os.ReadFile("/proc/self/exe")
			if err == nil {
				err = os.WriteFile(self, text, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
			cmd := l.Within(15*time.Minute, self)
			cmd.Env = append(cmd.Env, repeatRole+"="+strconv.Itoa(times))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// state is what may not grow.
type state struct{ descriptors, threads, mappings, heap int }

// repeat is the process that launches.
func repeat() int {
	times, err := strconv.Atoi(os.Getenv(repeatRole))
	if err == nil {
		err = launches(times)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// launches compares what there is after a few launches, when everything has been
// needed once, with what there is in the end.
func launches(times int) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	const few = 50
	var before state
	for n := range times {
		if n == few {
			before = now()
		}
		out := runs.Do(runs.Request{Policy: policy.Policy{Workspace: dir}, Argv: []string{"/bin/sh", "-c", "exit " + strconv.Itoa(n%100)}, Execute: true})
		if out.Err != nil || out.ExitCode != n%100 {
			return fmt.Errorf("launch %d: status %d, %w", n, out.ExitCode, out.Err)
		}
	}
	after := now()
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		return fmt.Errorf("there is still a child: %w", err)
	}
	if after.descriptors > before.descriptors || after.threads > before.threads+4 || after.mappings > before.mappings+20 || after.heap > before.heap+1<<20 {
		return fmt.Errorf("after %d launches %+v, after %d %+v", few, before, times, after)
	}
	return nil
}

// now counts; the heap is what is still referred to, in bytes. The runtime keeps
// threads that once blocked, so a few more of those mean nothing.
func now() state {
	runtime.GC()
	runtime.GC() // what had a finalizer
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	maps, _ := os.ReadFile("/proc/self/maps")
	return state{entries("/proc/self/fd"), entries("/proc/self/task"), strings.Count(string(maps), "\n"), int(m.HeapAlloc)}
}

func entries(dir string) int {
	names, _ := os.ReadDir(dir)
	return len(names)
}
