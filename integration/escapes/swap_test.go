package escapes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// swaps is how many times the program is started at least while its name changes,
// maxSwaps at most: until it ran once.
const swaps, maxSwaps = 20, 400

// swapped: while the name of the program goes back and forth between the agent and
// a link to a program out of view, what runs is always the agent, confined, or
// nothing. Outside the link is followed.
func swapped(t *testing.T, l *lab, m mode) {
	path := l.ws + "/program"
	inView, out := l.ws+"/in-view", l.ws+"/out-of-view"
	l.install(program(t, "agent"), inView, 0o755)
	l.must(os.Symlink(l.dir+"/secret/agent", out))
	l.must(os.Symlink(out, path))
	defer func() { l.must(removeAll(path, inView, out, path+".next")) }()
	control := l.outside(l.owner, "witness", "control", l.dir+"/secret/canary")
	control.Path = path
	if said, _ := l.ended(control); !strings.HasPrefix(said, "control ") || !strings.Contains(said, "canary true") {
		t.Errorf("control: the program out of view said %q", said)
	}
	stop := swapping(t, path, inView, out)
	defer stop()
	ran := 0
	for i := 0; i < swaps || ran == 0 && i < maxSwaps; i++ {
		cmd, file := l.inside(m, "--", path, "witness", fmt.Sprint("run ", i), l.dir+"/secret/canary")
		text, ws := l.ended(cmd)
		s := l.status(file)
		switch want := fmt.Sprintf("run %d NoNewPrivs 1 Seccomp 2 canary false\n", i); {
		case text == want && ws.ExitStatus() == 0:
			ran++
			enforced(t, s, filesystem)
		case text == "" && !s.ProviderStarted && ws.ExitStatus() >= 125 && ws.ExitStatus() <= 127:
		default:
			t.Errorf("run %d: exit status %d, output %q, status %s", i, ws.ExitStatus(), text, s)
		}
	}
	if ran == 0 {
		t.Errorf("of %d runs none started the program", maxSwaps)
	}
}

// swapping renames links over the path as fast as it can, until stop is called.
func swapping(t *testing.T, path string, targets ...string) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			next := path + ".next"
			if err := os.Symlink(filepath.Base(targets[i%len(targets)]), next); err != nil {
				t.Errorf("swapping: %v", err)
				return
			}
			if err := os.Rename(next, path); err != nil {
				t.Errorf("swapping: %v", err)
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

func removeAll(paths ...string) error {
	for _, p := range paths {
		if err := os.RemoveAll(p); err != nil {
			return err
		}
	}
	return nil
}
