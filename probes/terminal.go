package probes

import (
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const terminal = policy.PlaneSet(1 << policy.Terminal)

// terminal tries a terminal's dangerous commands on one of its own: the session
// copy and the control each lead a session and take a fresh pty as controlling
// terminal. On any other the kernel itself says EPERM. The commands get a null
// pointer, so that nothing is injected where they are reached.
func (m *maker) terminal() {
	pty := m.ownTerminal()
	for _, c := range []struct {
		name    string
		command uint64
		reached [3]int16
	}{
		{"TIOCSTI", tiocSTI, [3]int16{eFAULT}},
		{"TIOCLINUX", tiocLinux, [3]int16{eFAULT, eNOTTY}},
		{"TIOCSETD", tiocSetD, [3]int16{eFAULT}},
		{"KDSKBENT", kdSKBEnt, [3]int16{eNOTTY}},
		{"VT_ACTIVATE", vtActivate, [3]int16{eNOTTY}},
	} {
		m.command("terminal_command", c.name, pty, c.command, c.reached)
		m.command("terminal_command_high_bit", c.name, pty, c.command|high, c.reached)
	}
	buf := m.Alloc(statSize, 8)
	m.add(&spec{
		meaning: meaning{name: "terminal_modes", object: "TCGETS", what: "read the modes of one's own terminal"},
		planes:  terminal, kind: child.Working, where: child.InSession, control: child.InSession,
	}, func(b *child.Builder) {
		b.Decide(syscall.SYS_IOCTL, child.Slot(pty), child.Imm(tcGets), child.Ptr(buf))
	}, nil)
}

func (m *maker) command(name, object string, pty int16, command uint64, reached [3]int16) {
	m.add(&spec{
		meaning: meaning{name: name, object: object, what: "give the command to one's own terminal"},
		planes:  terminal, where: child.InSession, control: child.InSession,
		refused: [3]refusal{{ePERM, SyscallFilter}},
		allowed: reached,
	}, func(b *child.Builder) {
		b.Decide(syscall.SYS_IOCTL, child.Slot(pty), child.Imm(command), child.Imm(0))
	}, nil)
}

// ownTerminal makes the pty. The control leads a session already (EPERM). The
// other end is opened through the first, so no path to it is needed, and without
// O_NOCTTY it becomes the controlling terminal (TIOCGPTPEER, Linux 4.13).
func (m *maker) ownTerminal() int16 {
	master, peer := m.NewSlot(), m.NewSlot()
	ptmx, unlocked := m.String("/dev/ptmx"), m.Alloc(4, 4)
	list := &m.P.Session
	m.Do(list, syscall.SYS_SETSID).Accept = ePERM
	m.Do(list, syscall.SYS_OPENAT, child.Imm(atFdcwd), child.Ptr(ptmx), child.Imm(syscall.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC), child.Imm(0)).Save = master
	m.Do(list, syscall.SYS_IOCTL, child.Slot(master), child.Imm(tiocSPTLck), child.Ptr(unlocked))
	m.Do(list, syscall.SYS_IOCTL, child.Slot(master), child.Imm(tiocGPTPeer), child.Imm(syscall.O_RDWR|syscall.O_CLOEXEC)).Save = peer
	return peer
}
