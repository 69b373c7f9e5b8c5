package runs

import (
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
)

// forwarded are the signals that someone sends to sovrun and means the command.
// SIGCHLD, SIGPIPE and the runtime's SIGURG are sovrun's own; SIGKILL and SIGSTOP
// cannot be caught.
func forwarded() []syscall.Signal {
	return []syscall.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGWINCH, syscall.SIGCONT,
	}
}

// forward passes signals on to the sandbox: those that a process sent. What comes
// from the terminal (SI_KERNEL) the kernel sends to its whole foreground group,
// and the command is in ours, so it has had it already.
func (r *run) forward(caught []child.Caught) {
	for _, c := range caught {
		if c.Code <= 0 {
			_ = r.launch.Signal(c.Signal)
		}
	}
}
