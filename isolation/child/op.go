package child

// Pseudo system calls: what the interpreter does itself. They are negative, so
// that they cannot be mistaken for a number of the kernel's.
const (
	// OpCompare compares Args[2] bytes at Args[0] and Args[1]; ESTALE if they differ.
	OpCompare = -1 - iota
	// OpAct runs act Args[0] here and keeps the observation; in Setup only.
	OpAct
	// OpControl runs the control of act Args[0] likewise.
	OpControl
	// OpFind looks in the vector of strings at Args[0] for an entry that starts
	// with any string of the vector at Args[1]; ENOENT if there is none.
	OpFind
	// OpInt80 makes system call Args[0] through the 32-bit gate (amd64 only;
	// elsewhere ENOSYS) with Args[1] to Args[3].
	OpInt80
	// OpAllZero looks at Args[1] bytes at Args[0]: EPERM unless all are zero.
	OpAllZero
	// OpFail fails with errno Args[0]: a compiled-in refusal.
	OpFail
	// OpOwnFiles tells the launcher that the child has descriptors of its own; in
	// Setup only.
	OpOwnFiles
	// OpAwaitInit waits until pid 1 has executed its image; ETIMEDOUT. In Provider
	// only.
	OpAwaitInit
)

// Flags of an Op.
const (
	// FlagDecisive marks the op of an act whose outcome is the observation.
	FlagDecisive = 1 << iota
	// FlagCleanup marks an op of an act that runs whatever happened before it
	// and whose own outcome does not matter.
	FlagCleanup
	// FlagChildExits marks a clone within an act, whose flags are Args[0]: where it
	// succeeds after all, the new process exits at once.
	FlagChildExits
	// FlagCopy marks a clone within an act, whose flags are Args[0]: the copy goes
	// on with the ops that follow up to the decisive one and exits with its errno,
	// which the original takes for its own. For what may kill, or change, the
	// process. Both kinds get CLONE_VM and a stack of their own.
	FlagCopy
	// FlagStore64 makes Store write 8 bytes instead of 4.
	FlagStore64
)

// NoSlot in Save keeps no result.
const NoSlot = -1

// WantAny accepts every result that is no error.
const WantAny = -1 << 62

// Op is one system call. Bit k of Ptrs makes Args[k] an offset into the arena,
// bit k of Slots the number of a slot that an earlier op filled.
type Op struct {
	Nr     int32
	Ptrs   uint8
	Slots  uint8
	Flags  uint8
	Stage  Stage
	Save   int16 // slot for the result, or NoSlot
	Accept int16 // this errno is no failure, 0: none
	Object uint16
	_      uint16
	Store  uint32 // where in the arena the result goes as an int32, 0: nowhere
	_      uint32
	Want   int64 // the result that counts as success, or WantAny
	Args   [6]uint64
}

// Stage names the part of the set-up that an op belongs to, for messages.
type Stage uint8

// The stages in the order in which a launch goes through them.
const (
	StageClone Stage = iota
	StageIDMap
	StageCredentials
	StageDeathSignal
	StageLauncher
	StageNetwork
	StageIPC
	StagePropagation
	StageUserLimit
	StageSources
	StageCanary
	StageRoot
	StageMounts
	StageDev
	StageProc
	StageSys
	StageEtc
	StagePivot
	StageDirectory
	StageTerminal
	StageLimits
	StageCapabilities
	StageLandlock
	StageDescriptors
	StageFilter
	StageInit
	StageProbe
	StageExec
	numStages
)

// String is the name that an error message carries.
func (s Stage) String() string {
	names := [numStages]string{
		"clone", "id map", "credentials", "parent-death signal", "launcher",
		"network", "ipc", "mount propagation", "namespace limit", "sources",
		"canary", "new root", "mounts", "dev", "proc", "sys", "etc", "pivot",
		"working directory", "terminal", "limits", "capabilities", "landlock",
		"descriptors", "filter", "init", "probe", "exec",
	}
	if s >= numStages {
		return "unknown stage"
	}
	return names[s]
}
