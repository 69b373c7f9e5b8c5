package probes

import (
	"path"
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const filesystem = policy.PlaneSet(1 << policy.Filesystem)

// readOnlyOpen opens nothing that waits (a FIFO) and takes no terminal.
const readOnlyOpen = syscall.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY | syscall.O_CLOEXEC

func (m *maker) filesystem() {
	m.canary()
	m.witness()
	m.twinsOfFiles()
	m.grants()
}

// outside is an act on the canary: a file that lay in the old root, on a tmpfs
// of the child's own. The child tried the same before it entered the new root.
func outside(name, what string) *spec {
	return &spec{
		meaning: meaning{name: name, object: "canary", what: what, differs: "the child itself, before it entered the new root"},
		planes:  filesystem,
		control: child.InSetup, ctlAt: child.MarkCanary,
		refused: [3]refusal{{eNOENT, MountNamespace}, {eACCES, Landlock}},
	}
}

func (m *maker) canary() {
	name := m.targets.Canary
	m.opened(outside("canary_read", "open a file outside for reading"), name, readOnlyOpen)
	m.opened(outside("canary_write", "open a file outside for writing"), name, syscall.O_WRONLY|syscall.O_CLOEXEC)
	m.opened(outside("canary_through_root", "open it through /proc/self/root"), "/proc/self/root"+name, readOnlyOpen)
	// Were the old root still attached, the parent of the new one would lead there.
	m.opened(outside("canary_through_parent", "open it through the parent of the root"), "/.."+name, readOnlyOpen)
	m.seen("canary_stat", "see that a file outside exists", name)
	m.seen("canary_stat_parent", "see it through the parent of the root", "/.."+name)
	if !m.inView(path.Dir(name)) {
		m.created(path.Dir(name) + "/beside")
	}
}

// opened tries to open one path; nothing stays open.
func (m *maker) opened(s *spec, name string, flags int) {
	at := m.String(name)
	m.add(s, func(b *child.Builder) { openClose(b, at, flags) }, nil)
}

// openClose is the open that decides, and the close that cleans up.
func openClose(b *child.Builder, at uint32, flags int) {
	b.Decide(syscall.SYS_OPENAT, child.Imm(atFdcwd), child.Ptr(at), child.Imm(flags), child.Imm(0)).Save = child.ActSlot(0)
	closing(b, 0)
}

// closing closes the descriptor in a slot of the act. A slot that nothing was
// saved in holds -1, for which close(2) is EBADF.
func closing(b *child.Builder, slot int16) {
	b.Clean(syscall.SYS_CLOSE, child.Slot(child.ActSlot(slot)))
}

// seen looks for the canary by a path. Landlock does not govern stat(2), so only
// the mount namespace can refuse this.
func (m *maker) seen(name, what, path string) {
	s := outside(name, what)
	s.refused = [3]refusal{{eNOENT, MountNamespace}}
	at, buf := m.String(path), m.Alloc(statSize, 8)
	m.add(s, func(b *child.Builder) {
		b.Decide(sysNewfstatat, child.Imm(atFdcwd), child.Ptr(at), child.Ptr(buf), child.Imm(0))
	}, nil)
}

// statSize is more than struct stat takes on any 64-bit architecture.
const statSize = 256

// created makes a file beside the canary; where that works after all, it goes again.
func (m *maker) created(name string) {
	at := m.String(name)
	m.add(outside("canary_create", "create a file outside"), func(b *child.Builder) {
		b.Decide(syscall.SYS_OPENAT, child.Imm(atFdcwd), child.Ptr(at),
			child.Imm(syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC), child.Imm(0o600)).Save = child.ActSlot(0)
		closing(b, 0)
		b.Clean(syscall.SYS_UNLINKAT, child.Imm(atFdcwd), child.Ptr(at), child.Imm(0))
	}, nil)
}

// inView reports whether a directory exists in the new root, where creating in
// it may be allowed and would show nothing.
func (m *maker) inView(dir string) bool {
	for i := range m.plan.Mounts {
		if m.plan.Mounts[i].Target == dir {
			return true
		}
	}
	for i := range m.plan.Dirs {
		if m.plan.Dirs[i].Path == dir {
			return true
		}
	}
	return false
}

// witness opens a file that is in view, that everybody may read by its
// permissions, and that no rule grants: only Landlock can refuse it.
func (m *maker) witness() {
	if len(m.plan.Landlock) == 0 || m.plan.Nested() {
		return
	}
	m.opened(&spec{
		meaning: meaning{name: "witness_read", object: policy.WitnessPath, what: "open a file in view that no rule grants",
			differs: "the child itself, before the Landlock ruleset was in force"},
		planes:  filesystem,
		control: child.InSetup, ctlAt: child.MarkCapabilities,
		refused: [3]refusal{{eACCES, Landlock}},
	}, policy.WitnessPath, readOnlyOpen)
}

// twinsOfFiles must work: the workspace and /tmp take a file (one without a
// name, which nothing is left of), the first executable grant opens.
func (m *maker) twinsOfFiles() {
	const nameless = oTmpfile | syscall.O_DIRECTORY | syscall.O_WRONLY | syscall.O_CLOEXEC
	if ws := m.mountOf(m.plan.Workspace); ws != nil && ws.Access == policy.Write {
		m.twinOpen("workspace_write", ws.Target, "make a nameless file in the workspace", nameless)
		m.twinAccess(ws.Target)
	}
	if tmp := m.mountOf("/tmp"); tmp != nil && tmp.Kind == policy.MountTmpfs {
		m.twinOpen("tmp_write", tmp.Target, "make a nameless file in /tmp", nameless)
	}
	for i := range m.plan.Mounts {
		if g := &m.plan.Mounts[i]; g.Kind == policy.MountBind && g.Access == policy.Exec {
			m.twinOpen("grant_read", g.Target, "open a grant for reading", readOnlyOpen)
			return
		}
	}
}

func (m *maker) mountOf(target string) *policy.Mount {
	for i := range m.plan.Mounts {
		if target != "" && m.plan.Mounts[i].Target == target {
			return &m.plan.Mounts[i]
		}
	}
	return nil
}

func (m *maker) twinOpen(name, object, what string, flags int) {
	m.opened(&spec{meaning: meaning{name: name, object: object, what: what}, planes: filesystem, kind: child.Working}, object, flags)
}

// twinAccess is for file systems without nameless files (O_TMPFILE is EOPNOTSUPP
// there, outside as well).
func (m *maker) twinAccess(dir string) {
	s := &spec{meaning: meaning{name: "workspace_access", object: dir, what: "be allowed to write in the workspace"}, planes: filesystem, kind: child.Working}
	at := m.String(dir)
	m.add(s, func(b *child.Builder) {
		b.Decide(syscall.SYS_FACCESSAT, child.Imm(atFdcwd), child.Ptr(at), child.Imm(2)) // W_OK
	}, nil)
}

// reserved is how many acts the planes after this one may need.
const reserved = 144

// grants tries every read-only grant and every hidden path. Where there are more
// than a program has room for, the plane cannot be judged as a whole.
//
// None of them counts for the plane: a long list of grants would make up for a
// canary that nobody could try.
func (m *maker) grants() {
	m.extra = true
	defer func() { m.extra = false }()
	for i := range m.plan.Mounts {
		g := &m.plan.Mounts[i]
		if m.room() <= reserved {
			m.absentPlane(policy.Filesystem, absence{ProbeNotRun, "the plan has more grants than can be tried in one launch", "grant directories instead of the single files in them"})
			return
		}
		switch {
		case g.Kind == policy.MountBind && (g.Access == policy.Read || g.Access == policy.Exec):
			m.changed(filesystem, "grant_change", g.Target, hostPath(g))
		case g.Kind == policy.MountMask, g.Kind == policy.MountTmpfs && g.Access == policy.Hide:
			m.masked(filesystem, "hidden_read", g.Target, hostPath(g))
		}
	}
}

// hostPath is where a mount's target lies outside.
func hostPath(g *policy.Mount) string {
	if g.Source != "" {
		return g.Source
	}
	return g.Target
}

// changed takes away an attribute that is not there: EROFS comes before anything
// else is looked at (mnt_want_write), so where it does not come, the mount is
// writable. Outside, the caller may not write (EACCES), nothing is there
// (ENODATA), or the file system has no attributes (EOPNOTSUPP); a source that is
// read-only there too shows nothing.
func (m *maker) changed(planes policy.PlaneSet, name, target, source string) {
	s := &spec{
		meaning: meaning{name: name, object: target, what: "change what is granted for reading"},
		planes:  planes,
		refused: [3]refusal{{eROFS, ReadOnlyMounts}},
		allowed: [3]int16{eACCES, eNODATA, eOPNOTSUPP},
	}
	if source == target {
		m.add(s, m.removal(target), nil)
		return
	}
	s.differs = "at " + source
	m.add(s, m.removal(target), m.removal(source))
}

func (m *maker) removal(name string) func(*child.Builder) {
	at, attr := m.String(name), m.absentAttribute()
	return func(b *child.Builder) { b.Decide(syscall.SYS_REMOVEXATTR, child.Ptr(at), child.Ptr(attr)) }
}

// absentAttribute is one that nothing has: taking it away changes nothing even
// where it is allowed.
func (m *maker) absentAttribute() uint32 {
	if m.attribute == 0 {
		m.attribute = m.String("user.sovrun.absent")
	}
	return m.attribute
}

// masked opens what a mask lies over. A socket cannot be opened at all (ENXIO),
// but that shows that it is there.
func (m *maker) masked(planes policy.PlaneSet, name, target, source string) {
	s := &spec{
		meaning: meaning{name: name, object: target, what: "open what is masked"},
		planes:  planes,
		refused: [3]refusal{{eACCES, Masks}, {eNOENT, MountNamespace}},
		allowed: [3]int16{eNXIO},
	}
	at := m.String(target)
	ops := func(b *child.Builder) { openClose(b, at, readOnlyOpen) }
	if source == target {
		m.add(s, ops, nil)
		return
	}
	s.differs = "at " + source
	from := m.String(source)
	m.add(s, ops, func(b *child.Builder) { openClose(b, from, readOnlyOpen) })
}
