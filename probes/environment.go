package probes

import (
	"strings"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const environment = policy.PlaneSet(1 << policy.Environment)

// environment walks the list that is handed to execve: before execve
// /proc/self/environ is still the launcher's.
func (m *maker) environment() {
	caller := m.Vector(m.targets.Env)
	m.found("canary_variable", "find the canary variable", caller, []string{m.targets.EnvCanary})
	if names := m.dropped(); len(names) > 0 {
		m.found("dropped_variables", "find a variable of the caller's that is left out", caller, names)
	}
	m.marker()
}

// marker must be in the list, or it is not the one that was made.
func (m *maker) marker() {
	s := &spec{
		meaning: meaning{name: "marker", object: "SOVRUN", what: "find the marker that is set inside", differs: "in a list that holds nothing else", readBack: true},
		planes:  environment, kind: child.Working,
	}
	list, want, other := m.cat.EnvVector, m.Vector([]string{"SOVRUN="}), m.Vector([]string{"SOVRUN=1"})
	m.add(s, func(b *child.Builder) { b.Decide(child.OpFind, child.Ptr(list), child.Ptr(want)) },
		func(b *child.Builder) { b.Decide(child.OpFind, child.Ptr(other), child.Ptr(want)) })
}

// found looks for prefixes in the list for execve, the control in the caller's.
func (m *maker) found(name, what string, caller uint32, prefixes []string) {
	s := &spec{
		meaning: meaning{name: name, what: what, differs: "in the caller's environment", readBack: true},
		planes:  environment,
		refused: [3]refusal{{eNOENT, EnvironmentList}},
	}
	list, want := m.cat.EnvVector, m.Vector(prefixes)
	m.add(s, func(b *child.Builder) { b.Decide(child.OpFind, child.Ptr(list), child.Ptr(want)) },
		func(b *child.Builder) { b.Decide(child.OpFind, child.Ptr(caller), child.Ptr(want)) })
}

// dropped are the names left out, as OpFind wants them, without those that the
// policy sets anew: their value is not the caller's.
func (m *maker) dropped() []string {
	out := make([]string, 0, len(m.plan.Dropped))
	for _, n := range m.plan.Dropped {
		if p := n + "="; !m.isSet(p) {
			out = append(out, p)
		}
	}
	return out
}

func (m *maker) isSet(prefix string) bool {
	for _, v := range m.plan.Env {
		if strings.HasPrefix(v, prefix) {
			return true
		}
	}
	return false
}
