package policy

// PlanSchema identifies the JSON form of a Plan.
const PlanSchema = "sovrun/plan/v1"

// Plan is a policy resolved against the facts of a host: everything that will
// be done, before anything is done. It is pure data and holds no descriptor.
type Plan struct {
	Schema   string   `json:"schema"`
	Identity Identity `json:"identity"`
	Command  Command  `json:"command"`
	// Mounts are in order, parents before what lies beneath them. The mount
	// point of one with MakePoint is made by whoever mounts it, a directory or
	// an empty file as Mount.Dir says; Dirs holds the directories above it. A
	// mount can be Within a bind and have its point made: beneath a hidden
	// directory of a granted tree, which is a tmpfs then.
	Mounts []Mount `json:"mounts"`
	// Dirs, Files and Links are made on the new root, parents first. Some lie
	// in a tmpfs of Mounts (the home, /tmp, a hidden directory with something
	// granted beneath) and can be made only when that is mounted; none lies in
	// a bind.
	Dirs  []Dir  `json:"dirs"`
	Files []File `json:"files"`
	Links []Link `json:"links"`

	Landlock   []FileRule  `json:"landlock"` // what the ruleset grants, in the final view; empty without Landlock and where Nested
	Namespaces Namespaces  `json:"namespaces"`
	Filter     string      `json:"filter"` // name of the syscall filter's profile
	Limits     []Limit     `json:"limits"`
	Network    NetworkMode `json:"network"`
	Env        []string    `json:"-"`           // NAME=VALUE, the list for execve; never printed
	EnvNames   []string    `json:"environment"` // the names in Env, in its order
	Dropped    []string    `json:"dropped"`     // names of the caller's variables that are left out
	Require    PlaneSet    `json:"require"`     // those of Degraded are taken out already
	Degraded   PlaneSet    `json:"degraded"`
	Streams    [3]Stream   `json:"streams"`
	// OwnSession: the command gets a session, and with it a process group, of its
	// own. Where the caller has a terminal it stays in the caller's, for job control.
	OwnSession bool     `json:"own_session"`
	Workspace  string   `json:"workspace,omitempty"` // real path; "" where the run has none
	Notes      []string `json:"notes"`               // what a person should know, e.g. a built-in path left out
	Sources    []string `json:"sources"`             // where the policy came from
}

// Identity is whom the provider runs as.
type Identity struct {
	UID       int    `json:"uid"`
	GID       int    `json:"gid"`
	Changed   bool   `json:"changed"`    // root hands over to UID; the parent writes the maps
	KeepsRoot bool   `json:"keeps_root"` // uid 0 without capabilities
	Name      string `json:"name"`
	Home      string `json:"home"`
}

// Command is what is executed.
type Command struct {
	Path     string   `json:"path"` // absolute, in the final view; "" with NotFound
	Argv     []string `json:"argv"`
	Cwd      string   `json:"cwd"`                 // absolute, in the final view
	NotFound string   `json:"not_found,omitempty"` // why there is nothing to execute; exit status 127 or 126
	Status   int      `json:"status,omitempty"`    // 126 or 127 where NotFound is set
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

// MarshalText makes JSON carry the name.
func (k MountKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Mount is one mount of the final view.
type Mount struct {
	Kind      MountKind  `json:"kind"`
	Target    string     `json:"target"`           // absolute, in the final view, free of links
	Source    string     `json:"source,omitempty"` // real host path, for MountBind
	Major     uint32     `json:"major,omitempty"`  // identity of Source, compared again in the child
	Minor     uint32     `json:"minor,omitempty"`
	Inode     uint64     `json:"inode,omitempty"`
	Dir       bool       `json:"dir"`                  // Source or mask is a directory
	Access    Access     `json:"access"`               // of a tmpfs Write, or Hide: read-only once what lies in it is made
	Shift     bool       `json:"shift,omitempty"`      // id-mapped so that root's own files look like another's (only read-only, only KeepsRoot)
	Within    bool       `json:"within,omitempty"`     // Target lies in another bind: opened beneath it without following links
	MakePoint bool       `json:"make_point,omitempty"` // the mount point is not there: what Target lies in directly is the new root or a tmpfs
	Size      uint64     `json:"size,omitempty"`       // bytes, for MountTmpfs
	Inodes    uint64     `json:"inodes,omitempty"`     // for MountTmpfs
	Mode      uint32     `json:"mode,omitempty"`       // permissions of a tmpfs root
	Masks     []ProcPath `json:"masks,omitempty"`      // for MountProc
	Optional  bool       `json:"optional,omitempty"`
	Origin    Origin     `json:"origin"`
}

// Dir is a directory made on the new root.
type Dir struct {
	Path string `json:"path"`
	Mode uint32 `json:"mode"`
}

// File is a small file made on the new root.
type File struct {
	Path    string `json:"path"`
	Mode    uint32 `json:"mode"`
	Content string `json:"content"`
}

// FileRule is one path of the Landlock ruleset.
type FileRule struct {
	Path    string `json:"path"`             // in the final view
	Source  string `json:"source,omitempty"` // real host path where it is a bind, "" for what is made inside
	Major   uint32 `json:"major,omitempty"`
	Minor   uint32 `json:"minor,omitempty"`
	Inode   uint64 `json:"inode,omitempty"`
	Dir     bool   `json:"dir"`
	Access  Access `json:"access"`            // Read, Exec, Write
	Device  bool   `json:"device,omitempty"`  // devices: reading, writing and ioctl, nothing made
	Covered bool   `json:"covered,omitempty"` // a rule above grants as much: needed only where the view is not mounted
}

// Namespaces says which are new.
type Namespaces struct {
	User   bool `json:"user"`
	Mount  bool `json:"mount"`
	PID    bool `json:"pid"`
	Net    bool `json:"net"`
	IPC    bool `json:"ipc"`
	UTS    bool `json:"uts"`
	Cgroup bool `json:"cgroup"`
}
