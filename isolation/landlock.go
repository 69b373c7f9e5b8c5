package isolation

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// configs are the rulesets by ABI, strict: what the ABI knows is handled, and a
// kernel that takes less is an error. Best effort would succeed with nothing
// enforced (documentation of go-landlock's Config.BestEffort).
func configs() []landlock.Config {
	return []landlock.Config{
		{}, landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6,
		landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
	}
}

// Ruleset makes the Landlock ruleset of a plan: the rules on what is bound. Those
// on what is mounted inside the child adds in the final view. TCP is not handled:
// the network namespace closes it, and a handled right without a rule would refuse
// loopback servers their ports.
func Ruleset(p *policy.Plan, abi int) (fd int, flags uint32, err error) {
	if abi < 1 || child.Off("landlock") {
		return -1, 0, nil
	}
	known := configs()
	abi = min(abi, len(known)-1)
	cfg := known[abi].EnableLoggingForSubprocesses()
	if abi < 7 {
		cfg = known[abi] // log flags came with ABI 7 (Linux 6.15)
	}
	cfg.HandledAccessNet = 0
	if p.Nested() {
		cfg.HandledAccessFS = 0
	}
	if cfg.HandledAccessFS == 0 && cfg.Scoped == 0 {
		return -1, 0, nil // scopes came with ABI 6 (Linux 6.12)
	}
	sources, err := openRules(p.Landlock)
	defer closeAll(sources)
	if err != nil {
		return -1, 0, err
	}
	rules := make([]landlock.Rule, 0, len(sources))
	for i, r := range p.Landlock {
		if sources[i] < 0 {
			continue
		}
		path := "/proc/self/fd/" + strconv.Itoa(sources[i])
		rules = append(rules, landlock.PathAccess(landlock.AccessFSSet(rights(r, abi)), path))
	}
	fd, flags, err = cfg.NewRulesetFD(rules...)
	if err != nil {
		return -1, 0, fmt.Errorf("landlock: making the ruleset: %w", err)
	}
	if fd < 0 {
		return -1, 0, errors.New("landlock: the ruleset would enforce nothing")
	}
	return fd, flags, nil
}

// openRules opens what the rules are about, without following links, and
// compares it with what was resolved: go-landlock follows links itself.
func openRules(rules []policy.FileRule) ([]int, error) {
	fds := make([]int, len(rules))
	for i := range fds {
		fds[i] = -1
	}
	for i, r := range rules {
		if r.Source == "" || r.Covered {
			continue
		}
		fd, err := openSame(r.Source, r.Major, r.Minor, r.Inode)
		if err != nil {
			return fds, fmt.Errorf("landlock: opening %q: %w", r.Source, err)
		}
		fds[i] = fd
	}
	return fds, nil
}

// openSame opens a path that must lead, without links, to a known object.
func openSame(path string, major, minor uint32, inode uint64) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, err
	}
	if st.Ino != inode || unix.Major(st.Dev) != major || unix.Minor(st.Dev) != minor {
		unix.Close(fd)
		return -1, errors.New("it is no longer what it was when it was resolved")
	}
	return fd, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

// landlock adds the rules on what was made inside and enters the domain. A rule
// on the root lets directories be listed, nothing more: all that is in view may
// be listed, and the witness is a file that no rule lets anyone read.
func (c *compiler) landlock() {
	if c.in.Ruleset < 0 {
		return
	}
	if !c.p.Nested() {
		c.rules(min(c.in.ABI, len(configs())-1))
	}
	c.b.At(child.StageLandlock, "the ruleset")
	c.b.Setup(unix.SYS_LANDLOCK_RESTRICT_SELF, child.Imm(c.in.Ruleset), child.Imm(c.in.RulesetFlags))
}

func (c *compiler) rules(abi int) {
	c.insideRule("/", readDir)
	c.insideRule(initPath, readFile|execute) // that it cannot be read is its mode's doing
	for _, r := range c.p.Landlock {
		if r.Source == "" && !r.Covered {
			c.insideRule(r.Path, rights(r, abi)|c.ownFiles(r))
		}
		if r.Device {
			shm := policy.FileRule{Dir: true, Access: policy.Write}
			c.insideRule(r.Path+"/shm", rights(shm, abi)&^execute)
		}
	}
}

// insideRule adds a rule on a path of the final view.
func (c *compiler) insideRule(path string, access uint64) {
	c.b.At(child.StageLandlock, path)
	attr := c.b.Words(access, 0) // struct landlock_path_beneath_attr, packed: u64, s32
	c.b.Setup(unix.SYS_OPENAT, cwd(), c.path(path), child.Imm(unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW)).Store = attr + 8
	c.b.Setup(unix.SYS_LANDLOCK_ADD_RULE, child.Imm(c.in.Ruleset), child.Imm(unix.LANDLOCK_RULE_PATH_BENEATH), child.Ptr(attr), child.Imm(0))
}

// ownFiles lets a process write to its own files of /proc (oom_score_adj, comm,
// coredump_filter, …). uid 0 gets no such right: root's files of /proc are the
// host's.
func (c *compiler) ownFiles(r policy.FileRule) uint64 {
	if c.p.Identity.KeepsRoot {
		return 0
	}
	for _, m := range c.p.Mounts {
		if m.Kind == policy.MountProc && m.Target == r.Path {
			return unix.LANDLOCK_ACCESS_FS_WRITE_FILE
		}
	}
	return 0
}
