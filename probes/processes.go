package probes

import (
	"strconv"
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const processes = policy.PlaneSet(1 << policy.Processes)

// firstForeign is the least number that no process has inside while the acts
// run: 1 is init, 2 the provider's process, 3 the session copy.
const firstForeign = 4

func (m *maker) processes() {
	m.hostThread()
	m.initMemory()
	m.hostFacts()
	m.twinProcess()
	m.ownSession()
}

// hostThread signals a thread of the launcher's, and looks for it in /proc.
// Where the provider's user may not signal the launcher, EPERM outside still
// says that the thread is in view.
func (m *maker) hostThread() {
	signal := &spec{
		meaning: meaning{name: "host_signal", what: "signal a thread of the host"},
		planes:  processes,
		refused: [3]refusal{{eSRCH, PIDNamespace}, {ePERM, Landlock}},
	}
	if m.plan.Identity.Changed {
		signal.refused[1], signal.allowed = refusal{}, [3]int16{ePERM}
	}
	status := &spec{
		meaning: meaning{name: "host_status", object: "/proc/PID/status", what: "read about a thread of the host"},
		planes:  processes,
		refused: [3]refusal{{eNOENT, PIDNamespace}},
	}
	if m.targets.Thread < firstForeign {
		signal.control, status.control = child.Nowhere, child.Nowhere
	}
	tid := m.targets.Thread
	m.add(signal, func(b *child.Builder) { b.Decide(syscall.SYS_KILL, child.Imm(tid), child.Imm(0)) }, nil)
	m.opened(status, "/proc/"+strconv.Itoa(tid)+"/status", readOnlyOpen)
}

// initMemory looks into pid 1 of the sandbox: who can write its memory rules over
// everything inside. The child, which was pid 1 before, opened its own.
func (m *maker) initMemory() {
	for _, f := range []struct{ name, file, what string }{
		{"init_memory", "mem", "open the memory of the sandbox's init"},
		{"init_environment", "environ", "open the environment of the sandbox's init"},
	} {
		own, of := m.String("/proc/self/"+f.file), m.String("/proc/1/"+f.file)
		m.add(&spec{
			meaning: meaning{name: f.name, object: "/proc/1/" + f.file, what: f.what, differs: "the child's own, before it became init"},
			planes:  processes,
			where:   child.AfterInit,
			control: child.InSetup, ctlAt: child.MarkDumpable,
			refused: [3]refusal{{eACCES, NotDumpable}},
		}, func(b *child.Builder) { openClose(b, of, readOnlyOpen) },
			func(b *child.Builder) { openClose(b, own, readOnlyOpen) })
	}
}

// hostFacts opens what is masked in /proc: as uid 0, whom files of root's belong
// to, all of it, else two names that every kernel has and that everybody may read
// outside. Nothing is read.
func (m *maker) hostFacts() {
	m.extra = true
	defer func() { m.extra = false }()
	for i := range m.plan.Mounts {
		for _, p := range m.plan.Mounts[i].Masks {
			if p.ReadOnly {
				continue
			}
			if m.plan.Identity.UID == 0 || p.Path == "/proc/cmdline" || p.Path == "/proc/kallsyms" {
				m.masked(processes, "host_facts", p.Path, p.Path)
			}
		}
	}
}

// twinProcess must work: one's own process can be signalled and read about. A
// prober that could not do that would be refused everything and show nothing.
func (m *maker) twinProcess() {
	m.add(&spec{
		meaning: meaning{name: "own_signal", what: "signal one's own process"},
		planes:  processes, kind: child.Working,
	}, func(b *child.Builder) {
		b.Try(syscall.SYS_GETPID).Save = child.ActSlot(0)
		b.Decide(syscall.SYS_KILL, child.Slot(child.ActSlot(0)), child.Imm(0))
	}, nil)
	m.opened(&spec{
		meaning: meaning{name: "own_memory", object: "/proc/self/mem", what: "open one's own memory"},
		planes:  processes, kind: child.Working,
		control: child.InSetup, ctlAt: child.MarkDumpable,
	}, "/proc/self/mem", readOnlyOpen)
}

// ownSession: without a terminal the command is in the session that pid 1 leads, and
// with it in another process group than the caller. The kernel does not refuse a
// session that stayed the caller's: its number inside is 0.
func (m *maker) ownSession() {
	if !m.plan.OwnSession {
		return
	}
	ask := func(b *child.Builder) *child.Op { return b.Decide(syscall.SYS_GETSID, child.Imm(0)) }
	m.add(&spec{
		meaning: meaning{name: "own_session", what: "find oneself in the session of the sandbox's init", differs: "which session it is in, whatever it is"},
		planes:  processes, kind: child.Working,
	}, func(b *child.Builder) { ask(b).Want = 1 }, func(b *child.Builder) { ask(b) })
}
