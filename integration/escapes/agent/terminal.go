package main

import (
	"errors"
	"fmt"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminalActs act on the terminal that is standard input.
func terminalActs() map[string]act {
	return map[string]act{
		"ioctl":        ioctl,
		"steal":        steal,
		"steal_here":   func(a []string) (string, error) { return "", command(0, unix.TIOCSCTTY, uintptr(number(a[0]))) },
		"give_up":      giveUp,
		"own_terminal": ownTerminal,
		"discipline":   discipline,
	}
}

func command(fd int, request, arg uintptr) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, arg); e != 0 {
		return e
	}
	return nil
}

// ioctl gives the command of the first argument a pointer to the byte of the
// second, as TIOCSTI wants it.
func ioctl(a []string) (string, error) {
	b := []byte(a[1])
	err := command(0, uintptr(number(a[0])), addr(&b[0]))
	runtime.KeepAlive(b)
	return "", err
}

// steal takes the terminal away from the session that has it; root may, TIOCSCTTY
// with argument 1, ioctl_tty(2). It takes a session of its own, so a child does it.
func steal(a []string) (string, error) {
	return inChild("steal_here", a, &syscall.SysProcAttr{Setsid: true})
}

// giveUp gives up the terminal, which the leader's whole session then loses.
func giveUp([]string) (string, error) {
	signal.Ignore(unix.SIGHUP) // that the leader's group gets
	return "", command(0, unix.TIOCNOTTY, 0)
}

// discipline sets the line discipline that is set, or the plain one.
func discipline([]string) (string, error) {
	var n int32
	if err := command(0, unix.TIOCGETD, addr(&n)); err != nil {
		return "", errors.New("no line discipline: " + err.Error())
	}
	err := command(0, unix.TIOCSETD, addr(&n))
	return "discipline " + itoa(int(n)), err
}

// ownTerminal makes a terminal, controls it from a session of its own, and gives
// it up: what script(1) and every terminal multiplexer do.
func ownTerminal([]string) (string, error) {
	signal.Ignore(unix.SIGHUP) // TIOCNOTTY sends it to the session
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("open /dev/ptmx: %w", err)
	}
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return "", fmt.Errorf("unlock: %w", err)
	}
	slave, err := unix.IoctlRetInt(master, unix.TIOCGPTPEER)
	if err != nil {
		return "", fmt.Errorf("peer: %w", err)
	}
	if _, err := unix.Setsid(); err != nil {
		return "", fmt.Errorf("setsid: %w", err)
	}
	for _, request := range []uintptr{unix.TIOCSCTTY, unix.TIOCNOTTY} {
		if err := command(slave, request, 0); err != nil {
			return "", fmt.Errorf("command %#x: %w", request, err)
		}
	}
	return "", nil
}
