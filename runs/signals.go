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

// forward passes signals on to the sandbox. What comes from the terminal (SI_KERNEL)
// the kernel sends to its whole foreground group: where the command is in ours it has
// had it already. A timer's SIGALRM is no terminal's.
func (r *run) forward(caught []child.Caught) {
	for _, c := range caught {
		if c.Code <= 0 || r.out.Plan.OwnSession || c.Signal == syscall.SIGALRM {
			_ = r.launch.Signal(c.Signal)
		}
	}
}
