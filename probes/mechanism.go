package probes

import "strconv"

// Mechanism is what a plane is made of.
type Mechanism uint8

// The mechanisms. Several stands for a refusal that more than one of them gives
// with the same errno: the report counts it and names none.
const (
	Several Mechanism = iota
	MountNamespace
	ReadOnlyMounts
	Masks
	Landlock
	SyscallFilter
	NetworkNamespace
	PIDNamespace
	IPCNamespace
	EnvironmentList
	NotDumpable
	Capabilities
	BoundingSet
	Securebits
	NoNewPrivs
	NamespaceLimit
	ResourceLimits
	ClosedDescriptors
	numMechanisms
)

var mechanismNames = [numMechanisms]string{
	"", "mount namespace", "read-only mounts", "masks", "landlock", "syscall filter",
	"network namespace", "pid namespace", "ipc namespace", "environment list",
	"non-dumpable init", "capabilities", "bounding set", "securebits", "no_new_privs",
	"namespace limit", "resource limits", "closed descriptors",
}

// String is the mechanism's name in reports, "" for Several.
func (m Mechanism) String() string {
	if m >= numMechanisms {
		return "mechanism(" + strconv.Itoa(int(m)) + ")"
	}
	return mechanismNames[m]
}

// named is the name with Landlock's ABI, which says which rights there are.
func (m Mechanism) named(abi int) string {
	if m == Landlock && abi > 0 {
		return m.String() + " (ABI " + strconv.Itoa(abi) + ")"
	}
	return m.String()
}
