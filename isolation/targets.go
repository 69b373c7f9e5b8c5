package isolation

import "github.com/sovrun/sovrun/isolation/child"

// Targets is what acts and their controls aim at. The launcher makes it anew for
// each launch; nothing of it is left when the launcher and its control are gone.
type Targets struct {
	Canary string // file in the old root, absolute; a tmpfs of the child's own holds it

	TCP, UDP uint16 // ports of sockets of the launcher's on 127.0.0.1
	Abstract string // name of a listening abstract unix socket, with its leading NUL

	Thread int // the launcher's largest thread id: a process of the host

	LowFD  int // an open file at 3 or above
	HighFD int // one at 1024 or above, -1 where RLIMIT_NOFILE forbids
	DirFD  int // an open directory

	// Gate32 is a 32-bit program that does nothing but leave through int 0x80: it
	// can be executed where the kernel has that gate and is ENOEXEC elsewhere. To
	// try the gate itself would be a signal there. -1: this machine never has one.
	Gate32 int

	Env       []string // the caller's environment with the canary in it
	EnvCanary string   // "NAME=" of the canary
}

// environment hands the command the caller's whole environment in place of the
// plan's, in test builds only.
func (l *Launch) environment(*Host) error {
	if child.Off("environment-list") {
		l.plan.Env = l.Targets.Env
	}
	return nil
}
