package isolation

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// Inherited is what the child inherits from the launcher, as descriptors.
type Inherited struct {
	Report       int // write end of the report pipe
	Launcher     int // read end of the pipe that tells whether the launcher lives
	LauncherEnd  int // its write end, closed in the child at once
	Ruleset      int // of Landlock, -1 where there is none
	RulesetFlags uint32
	ABI          int            // of Landlock
	Shifted      map[string]int // id-mapped detached trees by target
	OpenFiles    unix.Rlimit    // RLIMIT_NOFILE as the launcher was started with
	Capabilities int            // how many the kernel has
	CoreHard     uint64         // hard RLIMIT_CORE as the launcher was started with
	Offsets      [3]int64       // of the regular files among descriptors 0 to 2
	Feeds        [3]int         // read ends of the pipes that stand in for those without a name
	Filter       string         // BPF, struct sock_filter after struct sock_filter
}

// compiler holds what the stages share.
type compiler struct {
	b     *child.Builder
	p     *policy.Plan
	t     *Targets
	in    *Inherited
	env   uint32 // the vector for execve
	words map[string]uint32
	attrs map[uint64]uint32
	trees []int16 // by index of plan.Mounts, the opened source
	brief int16   // slot of what the next op or two need, see passing
	point int16   // slot of a mount point
	devs  []int16 // by index of deviceNodes
	buf   uint32  // struct statx
}

// Compile turns the plan into the child's program. The acts must have been added
// to the builder before; env is the arena offset of the environment vector that
// the acts inspect, so that the very list goes to execve.
func Compile(b *child.Builder, p *policy.Plan, t *Targets, in *Inherited, env uint32) error {
	if in.Filter == "" {
		return errors.New("filter: no filter for this profile and machine")
	}
	if err := roomFor(p.Mounts); err != nil {
		return err
	}
	c := &compiler{b: b, p: p, t: t, in: in, env: env, words: make(map[string]uint32, 64), attrs: make(map[uint64]uint32, 4)}
	c.brief, c.point = b.NewSlot(), b.NewSlot()
	for _, stage := range c.stages() {
		stage()
	}
	c.prelude()
	c.initProcess()
	c.provider()
	return nil
}

// maxKept is how many mounts a program has room for whose descriptors it keeps
// until they are in their place: grants, and hidden directories with one beneath.
const maxKept = 192

func roomFor(mounts []policy.Mount) error {
	kept := 0
	for _, m := range mounts {
		if m.Kind == policy.MountBind || m.Kind == policy.MountTmpfs {
			kept++
		}
	}
	if kept <= maxKept {
		return nil
	}
	return &SetupError{
		Stage: child.StageMounts.String(), Meaning: strconv.Itoa(kept) + " grants are more than the " + strconv.Itoa(maxKept) + " that a launch has room for",
		Remedy: "grant directories instead of the single files in them",
	}
}

// stages is the order of the set-up. Each line that could stand elsewhere says
// why it stands here.
func (c *compiler) stages() []func() {
	return []func(){
		c.ownDescriptors,   // else the launcher could not close its own
		c.closeLauncherEnd, // else the end of file of a dead launcher is never seen
		c.identity,         // before any mount: everything made is owned by the mapped ids
		c.deathSignal,      // after the ids: a change of uid clears it
		c.mapped,
		c.loopback,
		c.ipc,
		c.propagation,
		c.namespaceLimit, // while the host's /proc is in view
		c.sources,        // before a tmpfs covers /tmp: a workspace may lie there
		c.streams,        // likewise, their paths are the host's
		c.canary,
		c.newRoot,
		c.pivot,
		c.session,
		c.capabilities,
		c.noNewPrivs,
		c.landlock, // after the last mount: a file domain refuses every one
		c.descriptors,
		c.limits, // when nothing more is opened: a limit may be lower than what is open
		c.filter,
	}
}

// word is a string of the arena that is used more than once.
func (c *compiler) word(s string) child.Arg {
	off, ok := c.words[s]
	if !ok {
		off = c.b.String(s)
		c.words[s] = off
	}
	return child.Ptr(off)
}

// path is a string that is used once.
func (c *compiler) path(s string) child.Arg { return child.Ptr(c.b.String(s)) }

// sizeofHow is the size of struct open_how, openat2(2), Linux 5.6.
const sizeofHow = 24

// how makes a struct open_how.
func (c *compiler) how(flags, resolve uint64) child.Arg {
	return child.Ptr(c.b.Words(flags|unix.O_CLOEXEC, 0, resolve))
}

// sizeofMountAttr is the size of struct mount_attr, mount_setattr(2).
const sizeofMountAttr = 32

// Mount attributes that trees get, mount_setattr(2), Linux 5.12.
const (
	attrReadOnly  = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	attrReadWrite = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
)

// attr sets attributes on a detached tree, on every mount in it: a read-only
// bind whose submounts stay writable is none (google/nsjail issue 125).
func (c *compiler) attr(tree int16, set uint64, recursive bool) {
	flags := unix.AT_EMPTY_PATH
	if recursive {
		flags |= unix.AT_RECURSIVE
	}
	c.b.Setup(unix.SYS_MOUNT_SETATTR, child.Slot(tree), c.word(""), child.Imm(flags), c.mountAttr(set), child.Imm(sizeofMountAttr))
}

// mountAttr is a struct mount_attr with attributes to set.
func (c *compiler) mountAttr(set uint64) child.Arg {
	off, ok := c.attrs[set]
	if !ok {
		off = c.b.Words(set, 0, 0, 0)
		c.attrs[set] = off
	}
	return child.Ptr(off)
}

// passing appends an op whose result only the next ops need, before the next one
// like it: there are not as many slots as a plan may have mounts.
func (c *compiler) passing(nr int, args ...child.Arg) int16 {
	c.b.Setup(nr, args...).Save = c.brief
	return c.brief
}

// cloned is openTree for a tree that is attached at once.
func (c *compiler) cloned(dir, path child.Arg, flags int) int16 {
	return c.passing(unix.SYS_OPEN_TREE, dir, path, child.Imm(unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|flags))
}

// openTree clones what lies at a path into a detached tree.
func (c *compiler) openTree(dir, path child.Arg, flags int) int16 {
	return c.b.Open(unix.SYS_OPEN_TREE, dir, path, child.Imm(unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|flags))
}

// prelude gives the control the provider's identity. The change makes the memory
// that it shares non-dumpable, which the child undoes once it has the control's word.
//
// The control is outside of the child's namespaces, and its memory is that of the
// launcher, which is root's: another process of the new user must not get at it.
// Whoever has the same uid may trace, read and write a dumpable process, unless its
// saved uid is another one (ptrace(2), access mode checks). So that one stays root's.
func (c *compiler) prelude() {
	do := func(nr int, args ...child.Arg) { c.b.Do(&c.b.P.Prelude, nr, args...) }
	die := func() { do(unix.SYS_PRCTL, child.Imm(unix.PR_SET_PDEATHSIG), child.Imm(int(unix.SIGKILL))) }
	c.b.At(child.StageProbe, "")
	die()
	// The launcher reads to the end of the report, which no control shall hold up.
	do(unix.SYS_CLOSE, child.Imm(c.in.Report))
	do(unix.SYS_SET_TID_ADDRESS, c.b.ControlAlive())
	c.highDescriptor(&c.b.P.Prelude)
	if !c.p.Identity.Changed {
		return
	}
	uid, gid := child.Imm(c.p.Identity.UID), child.Imm(c.p.Identity.GID)
	do(unix.SYS_SETGROUPS, child.Imm(0), child.Imm(0))
	do(unix.SYS_SETRESGID, gid, gid, gid)
	do(unix.SYS_SETRESUID, uid, uid, child.Imm(-1))
	die()
	do(unix.SYS_WRITE, child.Imm(c.in.LauncherEnd), c.word("1"), child.Imm(1))
}
