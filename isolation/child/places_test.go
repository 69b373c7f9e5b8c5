package child

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMarks: the acts and controls of a mark are carried out there, in their
// order and each control before its act, and no others.
func TestMarks(t *testing.T) {
	if !alone(t) {
		return
	}
	b := controlled()
	steps := memfd(b)
	note := func(text string) func(b *Builder) {
		at := b.Bytes(text, 1)
		return func(b *Builder) { decides(b.Try(syscall.SYS_WRITE, Slot(steps), Ptr(at), Imm(1))) }
	}
	at := func(m Mark, c Mark, here, outside string) {
		b.AddAct(Act{Where: InSetup, Mark: m, Control: InSetup, CtlMark: c}, note(here), note(outside))
	}
	at(MarkIPC, MarkIPC, "A", "a")
	at(MarkCanary, MarkIPC, "B", "b")
	at(MarkFilter, MarkCanary, "C", "c")
	b.AddAct(Act{Where: InProvider, Control: InSetup, CtlMark: MarkDumpable}, note("D"), note("d"))
	b.AddAct(Act{Where: InSetup, Mark: MarkCanary, Control: Nowhere}, note("E"), nil)
	for _, m := range []Mark{MarkDumpable, MarkIPC, MarkCanary, MarkDescriptors, MarkCapabilities, MarkFilter} {
		b.PassMark(m)
	}
	text := b.Alloc(16, 8)
	b.Do(&b.P.Exec, syscall.SYS_PREAD64, Slot(steps), Ptr(text), Imm(16), Imm(0))
	b.P.Execute = true
	got := carryOut(t, b)
	ok := both(done(0, 0))
	wantSeen(t, b, got, []tried{ok, ok, ok, ok, {done(0, 0), notRun}})
	const want = "d" + "aAb" + "BcE" + "C" + "D"
	if all := string(b.P.Arena[text : text+uint32(len(want))+1]); all != want+"\x00" {
		t.Errorf("the steps were %q, wanted %q", all, want)
	}
}

// ownSession makes a session, which the control may lead already.
func ownSession(b *Builder) {
	b.Do(&b.P.Session, syscall.SYS_SETSID).Accept = int16(syscall.EPERM)
}

// leadsSession decides by whether the caller leads its session: then it may not
// begin another one.
func leadsSession(b *Builder) { decides(b.Try(syscall.SYS_SETSID)) }

// TestSession: what changes the session is tried in a process that led one before
// the provider did, which is not changed by it.
func TestSession(t *testing.T) {
	if !alone(t) {
		return
	}
	for _, row := range []struct {
		name    string
		session func(b *Builder)
		want    []tried
	}{
		{"it has a session", ownSession, []tried{both(done(0, syscall.EPERM)), {done(0, 0), done(0, 0)}}},
		{"it could not make one", func(b *Builder) {
			b.Do(&b.P.Session, OpFail, Imm(int(syscall.EIO)))
		}, []tried{both(notRun), {done(0, 0), done(0, 0)}}},
		{"there is none", func(*Builder) {}, []tried{{notRun, done(0, 0)}, {done(0, 0), done(0, 0)}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := controlled()
			row.session(b)
			b.AddAct(Act{Where: InSession, Control: InSession}, leadsSession, nil)
			// A provider that leads no session may not be told from one that does by
			// getsid(2) alone; it can still make one.
			b.AddAct(Act{}, leadsSession, func(b *Builder) { decides(succeeds(b)) })
			wantSeen(t, b, carryOut(t, b), row.want)
		})
	}
}

// TestSessionSeesTheSetup: the session copy knows the results of the set-up.
func TestSessionSeesTheSetup(t *testing.T) {
	if !alone(t) {
		return
	}
	b := controlled()
	ownSession(b)
	fd := memfd(b)
	b.AddAct(Act{Where: InSession, Control: Nowhere}, func(b *Builder) {
		decides(b.Try(syscall.SYS_FCNTL, Slot(fd), Imm(syscall.F_GETFD)))
	}, nil)
	wantSeen(t, b, carryOut(t, b), []tried{{done(0, 0), notRun}})
}

// TestSessionThatIsKilled: its acts are not run, and nothing else suffers.
func TestSessionThatIsKilled(t *testing.T) {
	if !alone(t) {
		return
	}
	b := controlled()
	ownSession(b)
	b.AddAct(Act{Where: InSession, Control: Nowhere}, func(b *Builder) {
		succeeds(b).Save = ActSlot(0)
		decides(b.Try(syscall.SYS_KILL, Slot(ActSlot(0)), Imm(int(syscall.SIGKILL))))
	}, nil)
	act(b, func(b *Builder) { decides(fails(b)) })
	wantSeen(t, b, carryOut(t, b), []tried{both(notRun), both(done(0, badFD))})
}

// TestBuilderRefuses what would go wrong in a process that cannot say so.
func TestBuilderRefuses(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(b *Builder)
	}{
		{"a copy of the session copy", func(b *Builder) {
			b.AddAct(Act{Where: InSession}, func(b *Builder) { cloned(b, 0, FlagCopy); decides(succeeds(b)) }, nil)
		}},
		{"a child of the session copy", func(b *Builder) {
			b.AddAct(Act{Where: InSession}, func(b *Builder) { decides(cloned(b, unix.CLONE_NEWUSER, FlagChildExits)) }, nil)
		}},
		{"more acts than can be judged", func(b *Builder) {
			for range MaxActs + 1 {
				act(b, func(*Builder) {})
			}
		}},
		{"more results than there are slots", func(b *Builder) {
			for range actBase + 1 {
				b.NewSlot()
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was taken")
				}
			}()
			row.do(NewBuilder())
		})
	}
}

// TestBuilderTakes as much as it says.
func TestBuilderTakes(t *testing.T) {
	b := NewBuilder()
	for range actBase {
		b.NewSlot()
	}
	for range MaxActs {
		act(b, func(*Builder) {})
	}
	// The control of a session's act is the control process, which has a copy.
	NewBuilder().AddAct(Act{Where: InSession, Control: InSession}, func(b *Builder) { decides(succeeds(b)) },
		func(b *Builder) { cloned(b, 0, FlagCopy); decides(succeeds(b)) })
}

// TestAfterInit: those acts run when the list of the provider's process was, the
// others do not wait for it.
func TestAfterInit(t *testing.T) {
	if !alone(t) {
		return
	}
	b := controlled()
	filled := b.Alloc(8, 8)
	b.Do(&b.P.Provider, unix.SYS_GETRANDOM, Ptr(filled), Imm(8), Imm(0))
	looks := func(b *Builder) { decides(b.Try(OpAllZero, Ptr(filled), Imm(8))) }
	b.AddAct(Act{Where: AfterInit, Control: Nowhere}, looks, nil)
	b.AddAct(Act{Where: InProvider, Control: Nowhere}, looks, nil)
	wantSeen(t, b, carryOut(t, b), []tried{{done(0, 0), notRun}, {done(0, syscall.EPERM), notRun}})
}

// TestArenaGrows: what was written stays where it was, what is new is zero.
func TestArenaGrows(t *testing.T) {
	b := NewBuilder()
	first := b.Bytes("before", 1)
	big := b.Alloc(3*arenaSize, 8)
	last := b.Bytes("after", 1)
	for at, want := range map[uint32]string{first: "before", last: "after"} {
		if got := string(b.P.Arena[at : at+uint32(len(want))]); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
	for i, c := range b.P.Arena[big : big+3*arenaSize] {
		if c != 0 {
			t.Fatalf("byte %d is %d", i, c)
		}
	}
	if big%8 != 0 {
		t.Errorf("offset %d is not aligned", big)
	}
}

// TestStagesAreNamed: each in words of its own.
func TestStagesAreNamed(t *testing.T) {
	seen := map[string]Stage{}
	for s := Stage(0); s < numStages; s++ {
		if other, twice := seen[s.String()]; twice || s.String() == "" {
			t.Errorf("stages %d and %d are %q", s, other, s.String())
		}
		seen[s.String()] = s
	}
	if got := numStages.String(); got != "unknown stage" {
		t.Errorf("a stage that is none is %q", got)
	}
}
