package policy

import "strconv"

// Origin tells where a rule was written, for messages: a flag, a file with its
// line and column (from 1, columns in bytes), or the built-in profile.
type Origin struct {
	Source string `json:"source"`         // "--read", a file's path, or "profile default"
	Line   int    `json:"line,omitempty"` // 0 where there is none
	Col    int    `json:"column,omitempty"`
}

// String is "FILE:LINE:COL" or the source alone.
func (o Origin) String() string {
	if o.Line == 0 {
		return o.Source
	}
	return o.Source + ":" + strconv.Itoa(o.Line) + ":" + strconv.Itoa(o.Col)
}

// Access is what a file rule grants. The order matters only for ties: of two
// rules for the very same path the one written later wins.
type Access uint8

// Kinds of access.
const (
	Hide  Access = iota // neither readable nor writable nor listed
	Read                // read files, list directories
	Exec                // Read and execute
	Write               // Exec and create, change, rename, remove
)

// String is the key of the policy file.
func (a Access) String() string { return [...]string{"hide", "read", "exec", "write"}[a] }

// MarshalText makes JSON carry the name.
func (a Access) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Rule grants an access to a path and all beneath it.
type Rule struct {
	Path     string // absolute after expansion of "~", "." and relative names
	Access   Access
	Optional bool // a built-in rule: skipped where the path does not exist
	Origin   Origin
}

// NetworkMode says what of the network is in view.
type NetworkMode uint8

// Network modes. Egress by name has its own mode once its code is in.
const (
	NetworkNone NetworkMode = iota
	NetworkHost
)

// String is the value in the policy file.
func (m NetworkMode) String() string { return [...]string{"none", "host"}[m] }

// MarshalText makes JSON carry the name.
func (m NetworkMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Resource is a limit that a plain rlimit can enforce.
type Resource uint8

// The resources.
const (
	MaxProcesses Resource = iota // RLIMIT_NPROC, a number
	OpenFiles                    // RLIMIT_NOFILE, a number
	FileSize                     // RLIMIT_FSIZE, bytes
)

// String is the key of the policy file.
func (r Resource) String() string {
	return [...]string{"processes", "open_files", "file_size"}[r]
}

// MarshalText makes JSON carry the name.
func (r Resource) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Limit is one requested limit.
type Limit struct {
	Resource Resource `json:"resource"`
	Value    uint64   `json:"value"`
	Origin   Origin   `json:"origin"`
}

// Setting is one variable that the policy sets.
type Setting struct {
	Name, Value string
	Origin      Origin
}

// Name is one variable that the policy lets through.
type Name struct {
	Name   string
	Origin Origin
}

// Policy is what was asked for, from all sources merged: lists add up, scalars
// override. It knows nothing of the host.
type Policy struct {
	Require   PlaneSet
	Degraded  PlaneSet // planes taken out of Require by --allow-degraded
	Files     []Rule
	Network   NetworkMode
	Pass      []Name
	Set       []Setting
	Syscalls  string // default | debug | nested
	Limits    []Limit
	Workspace string // as --workspace named it; "" for the working directory
	Sources   []string
	Bare      bool // nothing of the built-in profile: a file wrote extends = []
}
