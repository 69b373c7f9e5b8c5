package isolation

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

	// SignalsStayApart: a process that dies of a signal takes none with it that
	// shares its memory. Before Linux 5.16 a core dump did (coredump_wait, commit
	// 0258b5fd7c71 "coredump: Limit coredumps to a single thread group").
	SignalsStayApart bool

	Env       []string // the caller's environment with the canary in it
	EnvCanary string   // "NAME=" of the canary
}
