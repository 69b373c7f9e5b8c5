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
	HighFD int // where child and control open it again, 1024 or above; -1 where RLIMIT_NOFILE forbids
	DirFD  int // an open directory

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
