package escapes

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// listening: what listens inside is out of the host's reach, on every address.
func listening(t *testing.T, l *lab, m mode) {
	addresses := []string{"127.0.0.1", "0.0.0.0"}
	if hasIPv6() {
		addresses = append(addresses, "::1", "::")
	}
	for _, at := range addresses {
		addr := net.JoinHostPort(at, freePort(t))
		outside := started(t, l.outside(l.owner, "listen", addr))
		if err := dial(addr); err != nil {
			t.Errorf("control: %s: %v", addr, err)
		}
		outside.end(t)
		cmd, file := l.inside(m, l.agent("listen", addr)...)
		inside := started(t, cmd)
		if err := dial(addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s inside: the host got %v, wanted ECONNREFUSED", addr, err)
		}
		inside.end(t)
		enforced(t, l.status(file), networking)
	}
}

// freePort is one that nobody listens on, on any address.
func freePort(t *testing.T) string {
	t.Helper()
	s, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, port, err := net.SplitHostPort(s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func dial(addr string) error {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err == nil {
		c.Close()
	}
	return err
}

// leftBehind: a daemon that a subreaper started dies with the sandbox. It holds a
// lock, which the kernel lets go only when it is gone.
func leftBehind(t *testing.T, l *lab, m mode) {
	path := l.ws + "/lock"
	l.write(path, "", 0o666)
	l.must(os.Chmod(path, 0o666))
	defer os.Remove(path)
	out, ws := l.ended(l.outside(l.owner, "daemon", path))
	var pid int
	if _, err := fmt.Sscanf(out, "running as %d", &pid); err != nil || ws.ExitStatus() != 0 {
		t.Fatalf("control: status %d, %q", ws.ExitStatus(), out)
	}
	if !held(t, path) {
		t.Error("control: the daemon did not outlive the process that started it")
	}
	l.must(unix.Kill(pid, unix.SIGKILL))
	released(t, path)
	cmd, file := l.inside(m, l.agent("daemon", path)...)
	if out, ws := l.ended(cmd); ws.ExitStatus() != 0 {
		t.Errorf("inside: status %d, %q", ws.ExitStatus(), out)
	}
	if held(t, path) {
		t.Error("inside: the daemon lives on after sovrun has ended")
	}
	enforced(t, l.status(file), processes)
}

// held tells whether somebody has the lock.
func held(t *testing.T, path string) bool {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err != nil && !errors.Is(err, unix.EWOULDBLOCK) {
		t.Fatal(err)
	}
	return err != nil
}

// released waits until nobody has the lock.
func released(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { panic("the lock is not released") })
	defer late.Stop()
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}

// bomb is more processes than the limit, and few enough for any machine.
const bomb, bombLimit = 500, 64

// forking: the limit on processes ends a fork bomb inside, and meanwhile the host
// can still start programs of the same user.
func forking(t *testing.T, l *lab, m mode) {
	outside := started(t, l.outside(l.owner, "forks", fmt.Sprint(bomb)))
	if n := count(t, l, outside, Through); n != bomb {
		t.Errorf("control: %d children of %d", n, bomb)
	}
	outside.end(t)
	cmd, file := l.inside(m, append([]string{"--limit", fmt.Sprintf("processes=%d", bombLimit)}, l.agent("forks", fmt.Sprint(bomb))...)...)
	inside := started(t, cmd)
	n := count(t, l, inside, Refused)
	if n == 0 || n >= bombLimit {
		t.Errorf("inside: %d children under a limit of %d", n, bombLimit)
	}
	begun := time.Now()
	if _, ws := l.ended(l.outside(l.owner, "true")); ws.ExitStatus() != 0 {
		t.Errorf("meanwhile a program of the host ended with status %d", ws.ExitStatus())
	}
	if took := time.Since(begun); took > patience/2 {
		t.Errorf("meanwhile a program of the host took %v", took)
	}
	inside.end(t)
	enforced(t, l.status(file), resources)
}

// count reads how many children there were.
func count(t *testing.T, l *lab, r *running, outcome string) (n int) {
	t.Helper()
	results := map[string]Result{}
	l.results(r.line, results)
	got := results["forks"]
	if _, err := fmt.Sscan(got.Detail, &n); err != nil || got.Outcome != outcome || outcome == Refused && got.Errno != syscall.EAGAIN {
		t.Errorf("forks: %v, wanted %s", got, outcome)
	}
	return n
}
