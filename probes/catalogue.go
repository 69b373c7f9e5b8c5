package probes

import (
	"github.com/sovrun/sovrun/isolation"
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// Catalogue is what the acts of one launch mean. The acts themselves lie in the
// program, where the child finds them.
type Catalogue struct {
	// EnvVector is the arena offset of the list for execve(2). The acts of the
	// environment plane walk this very list, so no other may be executed with.
	EnvVector uint32
	// Facts is what the report says about the host: the kernel and Landlock's
	// ABI. Nil leaves both out.
	Facts *policy.Facts

	acts     []child.Act
	meanings []meaning
	minimum  [policy.NumPlanes]uint8
	absent   [policy.NumPlanes]absence
}

// meaning is an act as a person reads it.
type meaning struct {
	name     string       // from a closed list, without the plane
	object   string       // what it is tried on: a path, a call, a family; may be empty
	what     string       // the attempt as an infinitive
	differs  string       // how the control differs from the act; empty: it does not
	by       [3]Mechanism // who refuses, by the act's Refused
	readBack bool         // nothing is attempted: a value is read, the errno is the interpreter's
}

// absence is why a plane was not asked for or cannot be judged.
type absence struct {
	reason Reason
	text   string
	remedy string
}

// refusal is an errno and the mechanism that gives it.
type refusal struct {
	errno int16
	by    Mechanism
}

// spec is an act before it is added.
type spec struct {
	meaning
	planes  policy.PlaneSet
	kind    child.Kind
	where   child.Where
	at      child.Mark
	control child.Where
	ctlAt   child.Mark
	refused [3]refusal
	allowed [3]int16
	gated   bool // tried only if the control succeeded
}

// maker adds acts to a program.
type maker struct {
	*child.Builder
	plan    *policy.Plan
	targets *isolation.Targets
	cat     *Catalogue

	extra     bool   // what is added now counts against its planes, never for them
	attribute uint32 // where the name of an absent attribute lies, 0: nowhere yet
}

// expected is room for the acts of an ordinary plan.
const expected = 192

// Acts appends the acts that the plan calls for to the builder's program, fills
// its Session, Minimum and Require, and returns their catalogue. The targets
// must be those that the launcher holds open.
func Acts(b *child.Builder, plan *policy.Plan, targets *isolation.Targets) *Catalogue {
	m := &maker{Builder: b, plan: plan, targets: targets, cat: &Catalogue{meanings: make([]meaning, 0, expected)}}
	b.At(child.StageProbe, "")
	m.cat.EnvVector = b.Vector(plan.Env)
	// Descriptors first: later acts open some themselves.
	m.descriptors()
	m.filesystem()
	m.syscalls()
	m.network()
	m.environment()
	m.processes()
	m.ipc()
	m.privileges()
	m.resources()
	m.terminal()
	m.foreign()
	m.minimums()
	m.cat.acts, m.cat.minimum = b.P.Acts, b.P.Minimum
	b.P.Require = uint16(plan.Require)
	return m.cat
}

// add appends an act. Without controls the control makes the same calls.
func (m *maker) add(s *spec, ops, controls func(b *child.Builder)) {
	a := child.Act{
		Planes: uint16(s.planes), Kind: s.kind,
		Where: s.where, Mark: s.at, Control: s.control, CtlMark: s.ctlAt,
		Allowed: s.allowed, Extra: m.extra,
	}
	for i, r := range s.refused {
		a.Refused[i], s.by[i] = r.errno, r.by
	}
	if s.gated {
		a.Gate = uint16(len(m.P.Acts)) + 1
	}
	m.AddAct(a, ops, controls)
	m.cat.meanings = append(m.cat.meanings, s.meaning)
}

// absentPlane says that a plane cannot stand in this launch, and why.
func (m *maker) absentPlane(p policy.Plane, a absence) {
	m.cat.absent[p] = a
	m.P.Minimum[p] = child.NeverStands
}

// room is how many acts may still be added.
func (m *maker) room() int { return child.MaxActs - len(m.P.Acts) }
