package runs

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/sovrun/sovrun/isolation"
)

// forwarded are the signals that someone sends to sovrun and means the command.
// SIGCHLD, SIGPIPE and the runtime's SIGURG are sovrun's own; SIGKILL and SIGSTOP
// cannot be caught.
func forwarded() []os.Signal {
	return []os.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGWINCH,
	}
}

// forward passes signals on to the sandbox until stop is called.
func (r *run) forward() (stop func()) {
	ch := make(chan os.Signal, 16)
	done := make(chan struct{})
	signal.Notify(ch, forwarded()...)
	go func() {
		for {
			select {
			case s := <-ch:
				if n, ok := s.(syscall.Signal); ok && !fromTerminal(n) {
					_ = r.launch.Signal(n)
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(ch)
		close(done)
	}
}

// fromTerminal reports whether the command has had the signal already: what is
// typed at a terminal goes to its whole foreground group, and the command is in
// ours.
func fromTerminal(s syscall.Signal) bool {
	switch s {
	case syscall.SIGINT, syscall.SIGQUIT, syscall.SIGWINCH:
	default:
		return false
	}
	return isolation.Foreground()
}
