package policy

// Facts is everything about host and caller that Resolve may use. It is
// gathered by isolation.Detect and holds plain data only, so that a plan can be
// computed for a host that is not this one.
type Facts struct {
	Caller    Caller
	Target    Account             // whom the provider runs as (Caller's, unless root handed over)
	KeepsRoot bool                // the provider keeps uid 0: root's own workspace, no SUDO_UID
	Paths     map[string]PathFact // by the path asked for, see Wanted
	Landlock  int                 // ABI, 0 where there is none
	Errata    int                 // bit mask of Landlock errata fixed in this kernel
	Kernel    string              // release as uname(2) gives it
	Exposed   map[string]string   // by named path, the component that others than root can exchange (only KeepsRoot)
	ProcMasks []ProcPath          // those of ProcMaskCandidates that exist here
	SysCPU    bool                // /sys/devices/system/cpu exists
	IPv6      bool                // the kernel has IPv6
	Streams   [3]Stream           // descriptors 0 to 2 as found
	CorePiped bool                // the hard RLIMIT_CORE is 0 and kernel.core_pattern is a pipe: see core(5)
	Terminal  bool                // the caller has a controlling terminal, whatever its streams are
	Hostname  string              // as the provider will see it; "" leaves it out of /etc/hosts
}

// Home is the home directory of whom the provider runs as: the caller's own
// spelling of it unless the account is another one. "" where it is not known.
func (f *Facts) Home() string {
	if f.Target.UID == f.Caller.UID {
		return f.Caller.Home
	}
	return f.Target.Home
}

// Caller is the process that runs sovrun.
type Caller struct {
	UID, GID int
	Groups   []int
	Cwd      string // absolute, as the caller sees it ($PWD where it is the same directory)
	Home     string // absolute, "" unknown
	// AccountHome is the home that passwd(5) gives the account of the run
	// (Account.Home). Where it is another than Home, as under HOME=/tmp/x, its
	// secret places count as well.
	AccountHome string
	// StartHome is $HOME, which is another than Home where root hands over.
	StartHome string
	Env       []string // NAME=VALUE
	Argv      []string // the command and its arguments
	Umask     int
}

// Account is a line of passwd(5), by uid; only UID and GID are always known.
type Account struct {
	UID, GID          int
	Name, Home, Shell string
}

// Link is one symbolic link that was met while a path was resolved.
type Link struct {
	Path   string `json:"path"`
	Target string `json:"target"`
}

// PathFact says what a path is.
type PathFact struct {
	Real     string // after all links; "" where it does not exist
	Links    []Link // every link met on the way, in order, by its own real location
	Major    uint32 // device
	Minor    uint32
	Inode    uint64
	Mode     uint32 // st_mode, type and permissions
	UID, GID int
	Errno    int    // of the resolution, 0 where it succeeded
	Missing  string // the component at which a failed resolution ended, by its own real location; needed for Named paths alone
}

// ProcPath is a path of /proc that is masked or made read-only.
type ProcPath struct {
	Path     string `json:"path"`
	Dir      bool   `json:"dir,omitempty"`
	ReadOnly bool   `json:"read_only,omitempty"` // else hidden
}

// StreamClass is what descriptor 0, 1 or 2 refers to.
type StreamClass uint8

// Classes of standard streams. Those after StreamFeed cannot be let in: each
// leads past every other plane.
const (
	StreamClosed   StreamClass = iota // opened as /dev/null
	StreamTerminal                    // a terminal
	StreamPipe                        // a pipe or FIFO
	StreamNull                        // a character device such as /dev/null
	StreamSocket                      // a connected unix stream socket
	StreamFile                        // a regular file opened for writing
	StreamReopen                      // a regular file opened for reading, re-opened through a read-only mount
	StreamFeed                        // a regular file without a path any more, fed through a pipe
	StreamRefused                     // anything else, see Stream.What
)

// String names the class as the plan prints it.
func (c StreamClass) String() string {
	return [...]string{"closed", "terminal", "pipe", "null", "socket", "file", "reopened file", "fed file", "refused"}[c]
}

// MarshalText makes JSON carry the name.
func (c StreamClass) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Stream is the classification of one standard descriptor.
type Stream struct {
	Class StreamClass `json:"class"`
	What  string      `json:"what,omitempty"` // "a directory", "a UDP socket", …; for messages
	Path  string      `json:"path,omitempty"` // of a regular file, where it still has one
	// Device is the name in /dev of a StreamNull.
	Device string `json:"device,omitempty"`
	Major  uint32 `json:"major,omitempty"`
	Minor  uint32 `json:"minor,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
	Flags  int    `json:"flags,omitempty"` // fcntl(F_GETFL)
}
