package probes

import (
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const resources = policy.PlaneSet(1 << policy.Resources)

// resources hits each limit of the plan. The plane stands only if all were hit.
func (m *maker) resources() {
	if len(m.plan.Limits) == 0 {
		m.absentPlane(policy.Resources, absence{NotRequested, "no limit was asked for", "ask for one with --limit, for instance --limit open_files=4096"})
		return
	}
	for _, l := range m.plan.Limits {
		if l.Resource == policy.MaxProcesses && m.plan.Identity.UID == 0 {
			m.absentPlane(policy.Resources, absence{NotApplicable, "the limit processes never binds uid 0 (setrlimit(2), RLIMIT_NPROC)", "run as another user, or leave the limit processes out"})
		}
	}
	for _, l := range m.plan.Limits {
		m.limit(l)
	}
	m.add(&spec{
		meaning: meaning{name: "below_limits", what: "take one descriptor more, which the limits allow"},
		planes:  resources, kind: child.Working,
	}, func(b *child.Builder) { duplicate(b, 3) }, nil)
}

// duplicate makes a copy of descriptor 0 with the least number from a given one on.
func duplicate(b *child.Builder, least uint64) {
	b.Decide(syscall.SYS_FCNTL, child.Imm(0), child.Imm(fDupfdCloexec), child.Imm(least)).Save = child.ActSlot(0)
	closing(b, 0)
}

// limit adds the act of one limit. Before it is hit the limit is read back: both
// its values must be the requested one.
func (m *maker) limit(l policy.Limit) {
	want, have := m.Words(l.Value, l.Value), m.Alloc(16, 8)
	s := &spec{
		meaning: meaning{name: "limit_" + l.Resource.String(), what: "go beyond the limit", differs: "without the limit"},
		planes:  resources,
	}
	readBack := func(b *child.Builder, resource int) {
		b.Try(syscall.SYS_PRLIMIT64, child.Imm(0), child.Imm(resource), child.Imm(0), child.Ptr(have))
		b.Try(child.OpCompare, child.Ptr(have), child.Ptr(want), child.Imm(16))
	}
	switch l.Resource {
	case policy.MaxProcesses:
		m.forkBeyond(s, want, l.Value, readBack)
	case policy.OpenFiles:
		m.descriptorBeyond(s, l.Value, readBack)
	case policy.FileSize:
		m.fileBeyond(s, l.Value, readBack)
	}
}

type reader func(b *child.Builder, resource int)

// forkBeyond lowers the soft limit to 0, which the caller itself exceeds, and
// sets it again.
func (m *maker) forkBeyond(s *spec, want uint32, hard uint64, readBack reader) {
	s.refused = [3]refusal{{eAGAIN, ResourceLimits}}
	low := m.Words(0, hard)
	fork := func(b *child.Builder) {
		b.Decide(syscall.SYS_CLONE, child.Imm(int(syscall.SIGCHLD)), child.Imm(0), child.Imm(0), child.Imm(0), child.Imm(0)).Flags |= child.FlagChildExits
	}
	m.add(s, func(b *child.Builder) {
		readBack(b, rlimitNproc)
		b.Try(syscall.SYS_PRLIMIT64, child.Imm(0), child.Imm(rlimitNproc), child.Ptr(low), child.Imm(0))
		fork(b)
		b.Clean(syscall.SYS_PRLIMIT64, child.Imm(0), child.Imm(rlimitNproc), child.Ptr(want), child.Imm(0))
	}, fork)
}

// descriptorBeyond asks for the first number that the limit forbids: EINVAL
// (fcntl(2), F_DUPFD). Outside any number is asked for.
func (m *maker) descriptorBeyond(s *spec, value uint64, readBack reader) {
	s.refused = [3]refusal{{eINVAL, ResourceLimits}}
	m.add(s, func(b *child.Builder) {
		readBack(b, rlimitNofile)
		duplicate(b, value)
	}, func(b *child.Builder) { duplicate(b, 3) })
}

// fileBeyond makes a file in memory one byte longer than allowed, without
// writing any. The signal that goes with EFBIG is blocked while the acts run; it
// is taken off the queue, or it would kill the provider when that is over.
func (m *maker) fileBeyond(s *spec, value uint64, readBack reader) {
	s.refused = [3]refusal{{eFBIG, ResourceLimits}}
	name, set, zero := m.String("sovrun"), m.Words(1<<(sigXFSZ-1)), m.Words(0, 0)
	grow := func(b *child.Builder) {
		fd := child.Slot(child.ActSlot(0))
		b.Try(sysMemfdCreate, child.Ptr(name), child.Imm(1)).Save = child.ActSlot(0) // MFD_CLOEXEC
		b.Decide(syscall.SYS_FTRUNCATE, fd, child.Imm(value+1))
		closing(b, 0)
		b.Clean(syscall.SYS_RT_SIGTIMEDWAIT, child.Ptr(set), child.Imm(0), child.Ptr(zero), child.Imm(8))
	}
	m.add(s, func(b *child.Builder) {
		readBack(b, rlimitFsize)
		grow(b)
	}, grow)
}
