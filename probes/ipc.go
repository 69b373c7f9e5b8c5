package probes

import (
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const (
	ipc      = policy.PlaneSet(1 << policy.IPC)
	pageSize = 4096
)

// ipc tries shared memory by its number. In a throw-away namespace the child
// makes a segment, attaches it, removes it and attaches it again by number: a
// removed segment can be attached while somebody is attached. The first
// attachment is kept, and with it the segment, so that what refuses later is the
// namespace and not that nothing is left; the act ends it.
func (m *maker) ipc() {
	if m.plan.Namespaces.IPC {
		m.removedSegment()
	}
	m.add(&spec{
		meaning: meaning{name: "own_segment", what: "make a shared memory segment"},
		planes:  ipc, kind: child.Working, control: child.InSetup, ctlAt: child.MarkIPC,
	}, func(b *child.Builder) {
		b.Decide(syscall.SYS_SHMGET, child.Imm(ipcPrivate), child.Imm(pageSize), child.Imm(ipcCreat|0o600)).Save = child.ActSlot(0)
		b.Clean(syscall.SYS_SHMCTL, child.Slot(child.ActSlot(0)), child.Imm(ipcRmid), child.Imm(0))
	}, nil)
}

func (m *maker) removedSegment() {
	id, kept := m.NewSlot(), m.NewSlot()
	m.add(&spec{
		meaning: meaning{name: "segment_attach", what: "attach a removed shared memory segment by its number", differs: "the child itself, in the ipc namespace that it has left"},
		planes:  ipc,
		control: child.InSetup, ctlAt: child.MarkIPC,
		refused: [3]refusal{{eINVAL, IPCNamespace}},
	}, func(b *child.Builder) {
		b.Decide(syscall.SYS_SHMAT, child.Slot(id), child.Imm(0), child.Imm(shmRdonly)).Save = child.ActSlot(0)
		b.Clean(syscall.SYS_SHMDT, child.Slot(child.ActSlot(0)))
		b.Clean(syscall.SYS_SHMDT, child.Slot(kept))
	}, func(b *child.Builder) {
		b.Try(syscall.SYS_SHMGET, child.Imm(ipcPrivate), child.Imm(pageSize), child.Imm(ipcCreat|0o600)).Save = id
		b.Try(syscall.SYS_SHMAT, child.Slot(id), child.Imm(0), child.Imm(shmRdonly)).Save = kept
		b.Try(syscall.SYS_SHMCTL, child.Slot(id), child.Imm(ipcRmid), child.Imm(0))
		b.Decide(syscall.SYS_SHMAT, child.Slot(id), child.Imm(0), child.Imm(shmRdonly)).Save = child.ActSlot(0)
		b.Clean(syscall.SYS_SHMDT, child.Slot(child.ActSlot(0)))
	})
}
