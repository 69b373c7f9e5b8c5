package escapes

import (
	"bufio"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pty is a terminal of the harness's.
type pty struct {
	master, slave *os.File
}

// newPTY makes a terminal that passes every byte on as it is and echoes it.
func newPTY(t *testing.T) *pty {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &pty{master: os.NewFile(uintptr(fd), "master")}
	t.Cleanup(func() { p.master.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	peer, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if e != 0 {
		t.Fatal(e)
	}
	p.slave = os.NewFile(peer, "slave")
	t.Cleanup(func() { p.slave.Close() })
	modes, err := unix.IoctlGetTermios(int(peer), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	modes.Iflag, modes.Oflag = 0, 0
	modes.Lflag = unix.ECHO
	modes.Cc[unix.VMIN], modes.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(peer), unix.TCSETS, modes); err != nil {
		t.Fatal(err)
	}
	return p
}

// session is the process that leads the session which has the terminal, 0 if none has.
func (p *pty) session() int {
	sid, err := unix.IoctlGetInt(int(p.master.Fd()), unix.TIOCGSID)
	if err != nil {
		return 0
	}
	return sid
}

// pressed types a newline and returns what was echoed up to it: what was typed
// into the terminal before, by anybody.
func (p *pty) pressed(t *testing.T) string {
	t.Helper()
	if _, err := p.master.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	if err := p.master.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	echo, err := bufio.NewReader(p.master).ReadString('\n')
	if err != nil {
		t.Fatalf("reading the terminal's echo: %v", err)
	}
	return strings.TrimSuffix(echo, "\n")
}

// onTerminal runs one technique with a terminal as standard input that controls
// the session which the process leads: the agent itself outside, sovrun inside. It
// corrects the agent's word by what is seen from here.
func (l *lab) onTerminal(t Technique, m *mode, who person) (Result, status) {
	l.t.Helper()
	p := newPTY(l.t)
	cmd, file := l.outside(who, "hold", l.job(t, false)), ""
	if m != nil {
		cmd, file = l.inside(*m, l.agent("hold", l.job(t, true))...)
	}
	cmd.Stdin, cmd.Stderr = p.slave, os.Stderr
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, true, 0
	out, err := cmd.StdoutPipe()
	l.must(err)
	l.must(cmd.Start())
	late := time.AfterFunc(2*patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		return Result{Outcome: Broken, Detail: "no result: " + err.Error()}, status{}
	}
	lost := p.session() != cmd.Process.Pid
	echo := p.pressed(l.t)
	if err := cmd.Wait(); err != nil {
		return Result{Outcome: Broken, Detail: "after its result: " + err.Error()}, status{}
	}
	into := map[string]Result{}
	l.results(line, into)
	s := status{}
	if m != nil {
		s = l.status(file)
	}
	return seen(t, into[t.Key()], lost, echo), s
}

// seen is the result as the harness saw it: a byte that appeared in the terminal,
// a session that lost it.
func seen(t Technique, r Result, lost bool, echo string) Result {
	happened := r.Outcome == Through
	switch t.Act {
	case "steal", "give_up":
		happened = lost
	case "ioctl":
		happened = happened || strings.Contains(echo, "x")
	}
	switch {
	case happened:
		r.Outcome = Through
	case r.Outcome == Through:
		r.Outcome, r.Errno, r.Detail = Refused, NoEffect, "without effect"
	}
	return r
}
