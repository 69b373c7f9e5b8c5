package probes

import (
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const privileges = policy.PlaneSet(1 << policy.Privileges)

func (m *maker) privileges() {
	m.capabilitySets()
	m.boundingSet()
	m.flagOf("securebits", "find the securebits unset", prGetSecurebits, Securebits)
	m.flagOf("no_new_privs", "find that execve may still give privileges", prGetNoNewPrivs, NoNewPrivs)
	if !m.plan.Nested() {
		m.userNamespaces()
		m.privileged()
	}
	m.sysctls()
	m.add(&spec{
		meaning: meaning{name: "own_identity", what: "ask for one's own user"},
		planes:  privileges, kind: child.Working,
	}, func(b *child.Builder) {
		b.Decide(syscall.SYS_GETUID).Want = int64(m.plan.Identity.UID)
	}, nil)
}

// held is an act whose control the child made while it held every capability.
func held(name, what string, by Mechanism, errno int16) *spec {
	return &spec{
		meaning: meaning{name: name, what: what, differs: "the child itself, while it held every capability"},
		planes:  privileges,
		control: child.InSetup, ctlAt: child.MarkCapabilities,
		refused: [3]refusal{{errno, by}},
	}
}

// capabilitySets reads effective, permitted and inheritable set. The ambient set
// is a part of the latter two (capabilities(7)), so it is empty with them.
func (m *maker) capabilitySets() {
	s := held("capability_sets", "find a capability in the sets", Capabilities, ePERM)
	s.readBack = true
	head, sets := m.Alloc(8, 8), m.Alloc(24, 8)
	m.Put32(head, linuxCapabilityVersion3)
	m.add(s, func(b *child.Builder) {
		b.Try(syscall.SYS_CAPGET, child.Ptr(head), child.Ptr(sets))
		b.Decide(child.OpAllZero, child.Ptr(sets), child.Imm(24))
	}, nil)
}

// bounded are the capabilities that the bounding set is asked for, by number
// (capabilities(7)): those that lead out of a sandbox. To ask for all would be
// fifty calls at every launch.
var bounded = [...]int{
	1,  // CAP_DAC_OVERRIDE
	2,  // CAP_DAC_READ_SEARCH
	7,  // CAP_SETUID
	12, // CAP_NET_ADMIN
	16, // CAP_SYS_MODULE
	17, // CAP_SYS_RAWIO
	19, // CAP_SYS_PTRACE
	21, // CAP_SYS_ADMIN
	27, // CAP_MKNOD
	31, // CAP_SETFCAP
}

// boundingSet reads the bounding set, one capability a call.
func (m *maker) boundingSet() {
	s := held("bounding_set", "find a powerful capability in the bounding set", BoundingSet, ePERM)
	s.readBack = true
	at := m.Alloc(4*len(bounded), 8)
	m.add(s, func(b *child.Builder) {
		for i, c := range bounded {
			b.Try(syscall.SYS_PRCTL, child.Imm(prCapbsetRead), child.Imm(c)).Store = at + uint32(4*i)
		}
		b.Decide(child.OpAllZero, child.Ptr(at), child.Imm(4*len(bounded)))
	}, nil)
}

// flagOf reads a flag of the process that must be set. Compared with zero, it is
// found equal before and different after (ESTALE, by the interpreter).
func (m *maker) flagOf(name, what string, option int, by Mechanism) {
	s := held(name, what, by, eSTALE)
	s.readBack = true
	at, zero := m.Alloc(4, 4), m.Alloc(4, 4)
	m.add(s, func(b *child.Builder) {
		b.Try(syscall.SYS_PRCTL, child.Imm(option), child.Imm(0), child.Imm(0), child.Imm(0), child.Imm(0)).Store = at
		b.Decide(child.OpCompare, child.Ptr(at), child.Ptr(zero), child.Imm(4))
	}, nil)
}

// userNamespaces are refused twice: by the limit of user.max_user_namespaces,
// tried just before the filter is loaded, and by the filter.
func (m *maker) userNamespaces() {
	nested := func(b *child.Builder) {
		b.Decide(syscall.SYS_CLONE, child.Imm(cloneNewuser|int(syscall.SIGCHLD)), child.Imm(0), child.Imm(0), child.Imm(0), child.Imm(0)).Flags |= child.FlagChildExits
	}
	// A user namespace belongs to whoever made it, with every capability over the
	// processes in it (user_namespaces(7)), and the control's copy shares the
	// launcher's memory: of a root that hands over the new user would own it. The
	// child's lie beneath one that is root's.
	var control spec
	if m.plan.Identity.Changed {
		control.differs, control.control, control.ctlAt = "the child itself, before the limit was set", child.InSetup, child.MarkDumpable
	}
	if m.plan.Namespaces.User {
		m.add(&spec{
			meaning: meaning{name: "user_namespace_unfiltered", what: "make a user namespace just before the filter is loaded", differs: control.differs},
			planes:  privileges,
			where:   child.InSetup, at: child.MarkFilter,
			control: control.control, ctlAt: control.ctlAt,
			refused: [3]refusal{{eNOSPC, NamespaceLimit}},
		}, nested, nil)
	}
	m.add(&spec{
		meaning: meaning{name: "user_namespace", what: "make a user namespace", differs: control.differs},
		planes:  privileges,
		control: control.control, ctlAt: control.ctlAt,
		refused: [3]refusal{{ePERM, SyscallFilter}, {eNOSPC, NamespaceLimit}},
	}, nested, nil)
}

// privileged are calls that need a capability, in a form that changes nothing
// where they are allowed: making a private mount private, entering the root that
// one is in, a host name of impossible length. Filter, Landlock and the missing
// capability all answer EPERM, so none of them is named.
func (m *maker) privileged() {
	root := m.String("/")
	m.add(held("mount", "change the propagation of a mount", Several, ePERM), func(b *child.Builder) {
		b.Decide(syscall.SYS_MOUNT, child.Ptr(root), child.Ptr(root), child.Imm(0), child.Imm(msPrivate), child.Imm(0))
	}, nil)
	m.add(held("chroot", "change the root directory", Several, ePERM), func(b *child.Builder) {
		b.Decide(syscall.SYS_CHROOT, child.Ptr(root))
	}, nil)
	hostname := held("sethostname", "change the host name", Several, ePERM)
	hostname.allowed = [3]int16{eINVAL}
	m.add(hostname, func(b *child.Builder) {
		b.Decide(syscall.SYS_SETHOSTNAME, child.Ptr(root), child.Imm(-1))
	}, nil)
}

// sysctls: what is read-only in /proc takes no change, and as root, who owns it,
// no sysctl opens for writing. It is opened and never written to.
func (m *maker) sysctls() {
	for i := range m.plan.Mounts {
		for _, p := range m.plan.Mounts[i].Masks {
			if p.ReadOnly && p.Path == "/proc/sys" {
				m.changed(privileges, "sysctl_change", p.Path, p.Path)
			}
		}
	}
	if m.plan.Identity.UID != 0 {
		return
	}
	m.opened(&spec{
		meaning: meaning{name: "sysctl_write", object: "/proc/sys/kernel/core_pattern", what: "open a sysctl for writing as root"},
		planes:  privileges,
		refused: [3]refusal{{eROFS, ReadOnlyMounts}, {eACCES, Landlock}, {eNOENT, MountNamespace}},
	}, "/proc/sys/kernel/core_pattern", syscall.O_WRONLY|syscall.O_CLOEXEC)
}
