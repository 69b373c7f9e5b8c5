package isolation

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// exchanger swaps two names as fast as it can until it is stopped.
type exchanger struct {
	stop  atomic.Bool
	done  chan struct{}
	swaps int
}

func exchange(t *testing.T, a, b string) *exchanger {
	t.Helper()
	x := &exchanger{done: make(chan struct{})}
	go func() {
		defer close(x.done)
		for !x.stop.Load() {
			if unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) == nil {
				x.swaps++
			}
			runtime.Gosched()
		}
	}()
	t.Cleanup(x.end)
	return x
}

func (x *exchanger) end() {
	x.stop.Store(true)
	<-x.done
}

// raced counts how launches went while something was exchanged.
type raced struct{ right, refused, failed int }

// one judges a launch: it runs right, is refused before anything starts, or fails
// where sources are opened or mounted.
func (r *raced) one(t *testing.T, e ended) {
	t.Helper()
	var why *policy.RefusedError
	switch {
	case errors.As(e.err, &why):
		r.refused++
	case e.err != nil && strings.Contains(e.err.Error(), "no longer what it was"),
		e.err != nil && errors.Is(e.err, unix.ELOOP),
		e.failed != nil && e.failed.Stage == "sources" && e.failed.Errno == unix.ESTALE,
		e.failed != nil && e.failed.Stage == "mounts" && e.failed.Errno == unix.ELOOP: // its mount point in the workspace
		r.failed++
	case e.err == nil && e.failed == nil && e.code == 0:
		r.right++
	default:
		t.Errorf("error %v, failure %v, exit status %d", e.err, e.failed, e.code)
	}
}

// TestSourceIsSwapped between a directory of the workspace and a link that leads out
// of it, at every moment of many launches: what the link leads to is never writable
// (flatpak CVE-2024-42472).
func TestSourceIsSwapped(t *testing.T) {
	const launches = 100
	each(t, func(t *testing.T, s *scene) {
		for _, a := range []policy.Access{policy.Write, policy.Read} {
			s := newScene(t, s.player)
			outside := s.mkdir(t, "outside", s.owner)
			granted, other := s.mkdir(t, "workspace/p", s.owner), filepath.Join(s.workspace, "q")
			check(t, os.Symlink(outside, other))
			pol := s.policy(rule(a, granted))
			x := exchange(t, granted, other)
			var r raced
			for range launches {
				r.one(t, launch(pol, "/bin/sh", "-c", "exec 2>/dev/null; test -e . || exit 65; echo x >"+outside+"/file && exit 66; exit 0"))
			}
			x.end()
			if names, err := os.ReadDir(outside); err != nil || len(names) > 0 {
				t.Errorf("%s: outside there is %v, %v", a, names, err)
			}
			// A grant for writing through the link is refused; one within the workspace adds
			// nothing to it. One for reading makes a mount of its own, whose source is swapped.
			if r.right == 0 || r.refused+r.failed == 0 || x.swaps < launches {
				t.Errorf("%s: %+v in %d swaps: the race was not run", a, r, x.swaps)
			}
			t.Logf("%s: %+v, %d swaps", a, r, x.swaps)
		}
	})
}
