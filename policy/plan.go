package policy

// Plan is a policy resolved against the facts of a host: everything that will
// be done, before anything is done. It is pure data and holds no descriptor.
type Plan struct {
	Identity Identity
	Command  Command
	// Mounts are in order, parents before what lies beneath them. The mount
	// point of one that is not Within is made by whoever mounts it, a directory
	// or an empty file as Mount.Dir says; Dirs holds the directories above it.
	Mounts []Mount
	// Dirs, Files and Links are made on the new root, parents first. Some lie
	// in a tmpfs of Mounts (the home, /tmp, a hidden directory with something
	// granted beneath) and can be made only when that is mounted; none lies in
	// a bind.
	Dirs  []Dir
	Files []File
	Links []Link

	Landlock   []FileRule // what the ruleset grants, in the final view
	Namespaces Namespaces
	Filter     string // name of the syscall filter's profile
	Limits     []Limit
	Network    NetworkMode
	Env        []string // NAME=VALUE, the list for execve
	Dropped    []string // names of the caller's variables that are left out
	Require    PlaneSet
	Degraded   PlaneSet
	Streams    [3]Stream
	Workspace  string   // real path; "" where the run has none
	Grants     []Grant  // for the table that a person reads: most specific rule per path
	Notes      []string // what a person should know, e.g. a built-in path left out
	Sources    []string // where the policy came from
}

// Identity is whom the provider runs as.
type Identity struct {
	UID, GID  int
	Changed   bool // root hands over to UID; the parent writes the maps
	KeepsRoot bool // uid 0 without capabilities
	Name      string
	Home      string
}

// Command is what is executed.
type Command struct {
	Path     string // absolute, in the final view; "" with a Missing
	Argv     []string
	Cwd      string // absolute, in the final view
	NotFound string // why there is nothing to execute; exit status 127 or 126
	Status   int    // 126 or 127 where NotFound is set
}

// MountKind says how a mount comes about.
type MountKind uint8

// Kinds of mounts.
const (
	MountBind  MountKind = iota // a host path, re-opened and compared
	MountTmpfs                  // fresh, sized
	MountMask                   // an empty, unreadable file or directory over what lies there
	MountProc                   // a fresh procfs with its masks
	MountDev                    // the private /dev
)

// String names the kind as the plan prints it.
func (k MountKind) String() string {
	return [...]string{"bind", "tmpfs", "mask", "proc", "dev"}[k]
}

// Mount is one mount of the final view.
type Mount struct {
	Kind     MountKind
	Target   string // absolute, in the final view, free of links
	Source   string // real host path, for MountBind
	Major    uint32 // identity of Source, compared again in the child
	Minor    uint32
	Inode    uint64
	Dir      bool       // Source or mask is a directory
	Access   Access     // of a tmpfs Write, or Hide: read-only once what lies in it is made
	Shift    bool       // id-mapped so that root's own files look like another's (only read-only, only KeepsRoot)
	Within   bool       // Target lies in another bind: opened beneath it without following links
	Size     uint64     // bytes, for MountTmpfs
	Inodes   uint64     // for MountTmpfs
	Mode     uint32     // permissions of a tmpfs root
	Masks    []ProcPath // for MountProc
	Optional bool
	Origin   Origin
}

// Dir is a directory made on the new root.
type Dir struct {
	Path string
	Mode uint32
}

// File is a small file made on the new root.
type File struct {
	Path    string
	Mode    uint32
	Content string
}

// FileRule is one path of the Landlock ruleset.
type FileRule struct {
	Path    string // in the final view
	Source  string // real host path where it is a bind, "" for what is made inside
	Major   uint32
	Minor   uint32
	Inode   uint64
	Dir     bool
	Access  Access // Read, Exec, Write
	Device  bool   // devices: reading, writing and ioctl, nothing made
	Covered bool   // a rule above grants as much: needed only where the view is not mounted
}

// Namespaces says which are new.
type Namespaces struct {
	User, Mount, PID, Net, IPC, UTS, Cgroup bool
}

// Grant is a line of the resolved table.
type Grant struct {
	Path   string
	Access Access
	Origin Origin
}
