package escapes

import "syscall"

// Technique is one way to try one row.
type Technique struct {
	Row   string // of the catalogue, F01
	Name  string // which of the row's techniques
	Says  string // what a person reads about it
	Plane string // that must be ENFORCED where it is refused
	Act   string // of the agent; "" for a Fixture
	Args  []string
	How   How
	As    Identity // the only one inside to whom it means something, "" for both
	Proof bool     // through only with the canary's text in hand
	Works bool     // must get through inside: the sandbox may not break it
	// Planted: the host prepares what only root can.
	Planted bool
	// Good is what the sandbox may answer; none: EACCES, EPERM, ENOENT.
	Good []syscall.Errno
	// Root and User are what the kernel may answer outside instead of success, each
	// another errno than the sandbox's: it was reached.
	Root, User []syscall.Errno
}

// Key names a technique.
func (t Technique) Key() string { return t.Row + "/" + t.Name }

// How says what has to be there around a technique.
type How int

const (
	Batch    How = iota // nothing: many run in one sandbox
	Alone               // no other process in the sandbox
	Secret              // started in a directory that is out of view
	Terminal            // a terminal of the caller's, watched from outside
	Fixture             // a test of its own
)

// NoEffect stands for an attempt that was not refused and that the witness outside
// saw nothing of.
const NoEffect = syscall.Errno(0)

// Identity is whom the program runs as inside.
type Identity string

const (
	AsRoot Identity = "root"
	AsUser Identity = "user"
)

// Catalogue is every technique.
func Catalogue() []Technique {
	var all []Technique
	for _, table := range [][]Technique{
		reading(), renaming(), mounting(), looking(), secrets(),
		kernelFiles(), hostProcesses(), privileges(),
		refusedCalls(), machineCalls(), otherWays(), tracing(),
		namespaces(), signals(), network(), families(), launcher(), ipcObjects(), terminals(),
	} {
		all = append(all, table...)
	}
	return all
}

// Planes as the report names them.
const (
	filesystem  = "filesystem"
	syscalls    = "syscalls"
	networking  = "network"
	environment = "environment"
	processes   = "processes"
	ipc         = "ipc"
	privileged  = "privileges"
	resources   = "resources"
	terminal    = "terminal"
	descriptors = "descriptors"
)

// errnos makes the tables read as lists.
func errnos(e ...syscall.Errno) []syscall.Errno { return e }

// args likewise.
func args(a ...string) []string { return a }
