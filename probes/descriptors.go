package probes

import (
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const descriptors = policy.PlaneSet(1 << policy.Descriptors)

// descriptors asks for those that the launcher holds open for it. Its control
// has a copy of the launcher's table.
func (m *maker) descriptors() {
	m.inherited("low_descriptor", "use an inherited descriptor of 3 or above", m.targets.LowFD)
	if m.targets.HighFD >= 0 {
		m.inherited("high_descriptor", "use an inherited descriptor of 1024 or above", m.targets.HighFD)
	}
	dir, dot := m.targets.DirFD, m.String(".")
	m.add(&spec{
		meaning: meaning{name: "inherited_directory", what: "open a file through an inherited directory"},
		planes:  descriptors,
		refused: [3]refusal{{eBADF, ClosedDescriptors}},
	}, func(b *child.Builder) {
		b.Decide(syscall.SYS_OPENAT, child.Imm(dir), child.Ptr(dot), child.Imm(readOnlyOpen), child.Imm(0)).Save = child.ActSlot(0)
		closing(b, 0)
	}, nil)
	for fd, name := range [3]string{"standard input", "standard output", "standard error"} {
		m.add(&spec{
			meaning: meaning{name: "standard_descriptor", object: name, what: "use a standard descriptor"},
			planes:  descriptors, kind: child.Working,
		}, func(b *child.Builder) { b.Decide(syscall.SYS_FCNTL, child.Imm(fd), child.Imm(syscall.F_GETFD)) }, nil)
	}
}

func (m *maker) inherited(name, what string, fd int) {
	m.add(&spec{
		meaning: meaning{name: name, what: what},
		planes:  descriptors,
		refused: [3]refusal{{eBADF, ClosedDescriptors}},
	}, func(b *child.Builder) { b.Decide(syscall.SYS_FCNTL, child.Imm(fd), child.Imm(syscall.F_GETFD)) }, nil)
}
