package load

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sovrun/sovrun/integration/harness"
)

// lab is what TestMain makes.
var lab struct {
	place  harness.Place
	sovrun string
}

func TestMain(m *testing.M) {
	if os.Getenv(repeatRole) != "" {
		os.Exit(repeat())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	place, err := harness.NewPlace()
	if err == nil {
		defer place.Remove()
		lab.place = place
		lab.sovrun, err = place.Build("cmd/sovrun", "")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// parallel is how many launches run at once.
const parallel = 400

// readCanary is the exit status of a command that got at the canary.
const readCanary = 99

// TestParallel: each of many launches at once ends with the status of its own command,
// none reads a file of its caller's, and nothing of them is left.
func TestParallel(t *testing.T) {
	for _, caller := range harness.Callers() {
		t.Run(string(caller), func(t *testing.T) {
			l := lab.place.NewLab(t, caller)
			token := fmt.Sprintf("load-%x", rand.Uint64())
			canary := filepath.Join(filepath.Dir(l.Workspace), "canary")
			if err := os.WriteFile(canary, []byte("secret "+token+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := l.Command("/bin/cat", canary).Output(); err != nil || !bytes.Contains(out, []byte(token)) {
				t.Fatalf("the control reads %q, %v", out, err)
			}
			before := traces(t, token)
			defer busy()()
			all(t, l, canary, token)
			nothingLeft(t, token, before)
		})
	}
}

// all makes the launches.
func all(t *testing.T, l harness.Lab, canary, token string) {
	var wg sync.WaitGroup
	for n := range parallel {
		want := rand.IntN(readCanary)
		script := "cat " + canary + " 2>/dev/null && exit " + strconv.Itoa(readCanary) + "; exit " + strconv.Itoa(want) + " # " + token
		cmd := l.Command(lab.sovrun, "run", "--", "/bin/sh", "-c", script)
		cmd.Env = append(cmd.Env, "SOVRUN_TEST_TOKEN="+token)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		wg.Go(func() {
			_ = cmd.Run()
			if got := harness.Status(cmd); got != want {
				t.Errorf("launch %d ended with status %d, wanted %d: %s", n, got, want, stderr.String())
			}
		})
	}
	wg.Wait()
}

// busy keeps every processor at work until it is stopped.
func busy() (stop func()) {
	over := make(chan struct{})
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for n := uint64(1); ; n = n*6364136223846793005 + 1 {
				if n%4096 != 0 {
					continue
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	return func() { close(over); wg.Wait() }
}

// traces are what lies on this machine that names the token, and all shared memory
// segments, which have no name.
func traces(t *testing.T, token string) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	processes(seen, token)
	for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm", "/run", "/dev/mqueue"} {
		names, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
			t.Fatal(err)
		}
		for _, n := range names {
			if strings.Contains(n.Name(), token) || strings.HasPrefix(n.Name(), ".sovrun") {
				seen["file "+filepath.Join(dir, n.Name())] = true
			}
		}
	}
	segments, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(segments)) {
		if f := strings.Fields(line); len(f) > 1 && f[1] != "shmid" {
			seen["segment "+f[1]] = true
		}
	}
	return seen
}

// processes looks at every process: whether its arguments or variables name the token,
// and whether a mount that it sees does, which tells of a mount namespace that is
// left. What may not be looked at is another user's.
func processes(seen map[string]bool, token string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		for _, file := range []string{"cmdline", "environ", "mountinfo"} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err == nil && bytes.Contains(text, []byte(token)) {
				seen[file+" of process "+filepath.Base(dir)] = true
			}
		}
	}
}
