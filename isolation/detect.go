package isolation

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// Host is what Detect found: the facts for Resolve and what only the launch needs.
type Host struct {
	Facts   policy.Facts
	offsets [3]int64
}

// CallerFacts is the part of the facts that needs no policy: who runs us, where,
// with what. argv is the command.
func CallerFacts(argv []string) policy.Caller {
	c := policy.Caller{
		UID: unix.Getuid(), GID: unix.Getgid(), Env: os.Environ(), Argv: argv,
	}
	c.Groups, _ = unix.Getgroups()
	c.Cwd, _ = os.Getwd() // prefers $PWD where it is the same directory
	c.Home = os.Getenv("HOME")
	return c
}

// Detect gathers the facts that a policy needs. It only looks; what paths are is
// compared again when they are opened for good.
func Detect(p policy.Policy, c policy.Caller) Host {
	h := Host{Facts: policy.Facts{Caller: c}}
	f := &h.Facts
	f.Streams, h.offsets = classify()
	f.Terminal = hasTerminal(f.Streams)
	f.CorePiped = corePiped()
	f.Landlock, f.Errata = landlockABI(0), landlockABI(landlockErrata)
	f.Kernel, f.Hostname = system()
	r := newResolver()
	f.Paths = make(map[string]policy.PathFact, 48)
	target(f, r, p)
	feedOthers(f)
	f.Caller.AccountHome = f.Target.Home
	c.Home, c.AccountHome, c.StartHome = f.Home(), f.Target.Home, c.Home
	r.named = policy.Named(p, c)
	if f.KeepsRoot && c.UID == 0 {
		exposures(f, r)
	}
	for _, path := range policy.Wanted(p, c) {
		look(f, r, path)
	}
	for _, k := range policy.ProcMaskCandidates(f.KeepsRoot) {
		if exists(k.Path) {
			f.ProcMasks = append(f.ProcMasks, k)
		}
	}
	f.SysCPU = exists("/sys/devices/system/cpu")
	f.IPv6 = exists("/proc/net/if_inet6")
	return h
}

// exposures finds out which of the paths that root named others can exchange: uid 0
// would be led to files of root's by them.
func exposures(f *policy.Facts, r *resolver) {
	f.Exposed = map[string]string{}
	for _, path := range r.named {
		if by := r.exposed(path); by != "" {
			f.Exposed[path] = by
		}
	}
}

// corePiped reports whether a core dump would start a helper on the host whatever
// is done about it: a limit of 1 stops that, and one of 0 cannot be raised to it.
func corePiped() bool {
	var core unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &core) != nil || core.Max != 0 {
		return false
	}
	fd, err := unix.Open("/proc/sys/kernel/core_pattern", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return true // unknown
	}
	defer unix.Close(fd)
	var b [1]byte
	n, err := unix.Read(fd, b[:])
	return err != nil || n == 1 && b[0] == '|'
}

// feedOthers: the user that root hands over to may not be able to open a file that
// root opened for it, or to reach it, so it gets the contents through a pipe.
func feedOthers(f *policy.Facts) {
	if f.Target.UID == f.Caller.UID {
		return
	}
	for n := range f.Streams {
		if f.Streams[n].Class == policy.StreamReopen {
			f.Streams[n].Class = policy.StreamFeed
		}
	}
}

// hasTerminal reports whether there is a controlling terminal: without one /dev/tty
// is ENXIO (tty(4)). Where that file is missing the streams must do.
func hasTerminal(streams [3]policy.Stream) bool {
	for _, s := range streams {
		if s.Class == policy.StreamTerminal {
			return true
		}
	}
	fd, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err != unix.ENXIO && err != unix.ENOENT
}

func exists(path string) bool { return unix.Faccessat(unix.AT_FDCWD, path, unix.F_OK, 0) == nil }

// look adds the fact of one path.
func look(f *policy.Facts, r *resolver, path string) {
	if _, ok := f.Paths[path]; ok {
		return
	}
	fact := r.fact(path)
	if fact.Errno == int(unix.ENOENT) && !slices.Contains(r.named, path) {
		return // most of what is looked for is not there, and an absent fact says as much
	}
	if path == f.Caller.Cwd && fact.Errno == 0 && !isHere(fact) {
		fact = policy.PathFact{Errno: int(unix.ESTALE), Missing: path}
	}
	f.Paths[path] = fact
}

// isHere reports whether a fact is of the very directory that this process is in: its
// name may lead elsewhere by now.
func isHere(fact policy.PathFact) bool {
	var st unix.Stat_t
	return unix.Stat(".", &st) == nil && st.Ino == fact.Inode && unix.Major(st.Dev) == fact.Major && unix.Minor(st.Dev) == fact.Minor
}

// landlockErrata asks for the errata bit mask (landlock_create_ruleset(2), Linux 6.15).
const landlockErrata = 2

// landlockABI asks the kernel itself; the list in securityfs may be hidden or
// say nothing of a version.
func landlockABI(flag uintptr) int {
	if flag == 0 {
		flag = unix.LANDLOCK_CREATE_RULESET_VERSION
	}
	n, _, e := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, flag)
	if e != 0 {
		return 0
	}
	return int(n)
}

// system gives the kernel's release and the host's name.
func system() (release, host string) {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "", ""
	}
	return unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Nodename[:])
}

// target decides whom the provider runs as: the caller; or, for root, SUDO_UID,
// else the owner of the workspace, else uid 0 without its power.
func target(f *policy.Facts, r *resolver, p policy.Policy) {
	c := f.Caller
	f.Target = policy.Account{UID: c.UID, GID: c.GID}
	if c.UID == 0 {
		f.Target.UID, f.Target.GID = rootsTarget(f, r, p)
	}
	f.Target = account(f.Target.UID, f.Target.GID)
	f.KeepsRoot = f.Target.UID == 0
}

// rootsTarget: whoever the workspace belongs to gets the group of the account, not
// that of the directory. A directory's group may be one that its owner is not in
// (chown USER alone leaves root's, a set-gid directory passes on its own), and a
// set-gid program made inside would keep it for the owner.
func rootsTarget(f *policy.Facts, r *resolver, p policy.Policy) (uid, gid int) {
	if u, g := sudoIDs(f.Caller.Env); u > 0 {
		return u, g
	}
	ws := policy.WorkspaceCandidate(p, f.Caller)
	look(f, r, ws)
	if fact := f.Paths[ws]; fact.Errno == 0 && fact.UID != 0 && mapped(fact.UID) {
		return fact.UID, groupOfAccount
	}
	return 0, f.Caller.GID
}

// mapped reports whether a uid has a place in this user namespace. In that of a
// rootless container the owner of a file of the host's may have none, and is shown as
// nobody (user_namespaces(7), /proc/PID/uid_map).
func mapped(uid int) bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		first, err := strconv.ParseUint(f[0], 10, 32)
		count, err2 := strconv.ParseUint(f[2], 10, 33)
		if err == nil && err2 == nil && uint64(uid) >= first && uint64(uid) < first+count {
			return true
		}
	}
	return false
}

// sudoIDs reads what sudo(8) tells of the invoking user.
func sudoIDs(env []string) (uid, gid int) {
	uid, gid = -1, groupOfAccount
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "SUDO_UID="); ok {
			uid = id(v)
		}
		if v, ok := strings.CutPrefix(e, "SUDO_GID="); ok {
			gid = id(v)
		}
	}
	return uid, gid
}

// id reads a uid or gid, -1 where there is none.
func id(s string) int {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}
