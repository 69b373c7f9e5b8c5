package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// inherited is the number of the descriptor that is left open, high enough to be nobody else's.
const inherited = 9

// escapes tries them one after another, prints a line each, and fails if one went otherwise than it should.
func escapes(p *place) error {
	t, err := newTargets(p)
	if err != nil {
		return err
	}
	defer t.close()
	rows, left, err := chosen(table(), p.uid)
	if err != nil {
		return err
	}
	for _, why := range left {
		fmt.Printf("not shown, since the kernel refuses it to everybody: %s\n", why)
	}
	var surprises []string
	fmt.Printf("%s\n", p.bold(fmt.Sprintf(rowFormat, "", "WHAT IS TRIED", "CALL", "OUTSIDE", "INSIDE", "TIME")))
	for i, e := range rows {
		surprises = append(surprises, p.try(i+1, e, t)...)
	}
	if len(surprises) > 0 {
		return fmt.Errorf("surprises: %d\n%s", len(surprises), strings.Join(surprises, "\n"))
	}
	fmt.Printf("%d of %d succeeded outside and were refused inside\n", len(rows), len(rows))
	return nil
}

const rowFormat = "%2s  %-43s %-17s %-8s  %-13s %s"

// try makes one attempt outside and one inside and returns what is wrong about them.
func (p *place) try(n int, e escape, t *targets) []string {
	began := time.Now()
	argv := []string{p.helper, "act", e.act, e.target(p, t)}
	outside, oerr := p.outcome(p.control(argv), t)
	startup := size(t.startup)
	inside, ierr := p.outcome(p.command(append(p.sovrun("run", "--"), argv...)), t)

	var wrong []string
	if outside != succeeded {
		wrong = append(wrong, fmt.Sprintf("%s: wanted success outside, got %s %s", e.what, outside, oerr))
	}
	shown := p.green(fmt.Sprintf("%-13s", inside))
	if !slices.Contains(strings.Fields(e.refused), inside) || size(t.startup) != startup {
		shown = p.red(fmt.Sprintf("%-13s", inside))
		wrong = append(wrong, fmt.Sprintf("%s: wanted %s inside, got %s %s", e.what, strings.ReplaceAll(e.refused, " ", " or "), inside, ierr))
	}
	fmt.Printf(rowFormat+"\n", fmt.Sprint(n), e.what, e.call, outside, shown, seconds(time.Since(began)))
	return wrong
}

// size is -1 where the file cannot be looked at.
func size(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return st.Size()
}

// outcome runs an attempt, in a session and a terminal of its own, with the directory left open, and returns what it
// printed; where that is not one word, also what it said on standard error.
func (p *place) outcome(c *exec.Cmd, t *targets) (word, complaint string) {
	master, slave, err := terminal()
	if err != nil {
		return "nothing", err.Error()
	}
	defer master.Close()
	defer slave.Close()
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = slave, &out, &errs
	c.ExtraFiles = make([]*os.File, inherited-2)
	c.ExtraFiles[inherited-3] = t.outside
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Setsid, c.SysProcAttr.Setctty, c.SysProcAttr.Ctty = true, true, 0
	err = c.Run()
	words := strings.Fields(out.String())
	if err != nil || len(words) != 1 {
		return "nothing", fmt.Sprintf("(%v: %s)", err, strings.TrimSpace(errs.String()))
	}
	return words[0], ""
}

// terminal opens a new one, pty(7), TIOCGPTPEER (Linux 4.13).
func terminal() (master, slave *os.File, err error) {
	m, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("a terminal: %w", err)
	}
	master = os.NewFile(uintptr(m), "/dev/ptmx")
	if err := unix.IoctlSetPointerInt(m, unix.TIOCSPTLCK, 0); err != nil {
		master.Close()
		return nil, nil, fmt.Errorf("a terminal: %w", err)
	}
	s, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(m), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		master.Close()
		return nil, nil, fmt.Errorf("a terminal: %w", errno)
	}
	return master, os.NewFile(s, "pty"), nil
}
