package child

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// seen is an observation; op is counted from the act's first.
type seen struct {
	state State
	errno syscall.Errno
	op    int
}

var (
	notRun = seen{NotRun, 0, 0}
	badFD  = syscall.EBADF
)

func done(op int, e syscall.Errno) seen     { return seen{Done, e, op} }
func prepared(op int, e syscall.Errno) seen { return seen{Prepared, e, op} }

// tried is what comes back of an act and of its control.
type tried struct{ here, outside seen }

func both(s seen) tried { return tried{s, s} }

// cloned appends a clone within an act.
func cloned(b *Builder, flags uintptr, kind uint8) *Op {
	o := b.Try(syscall.SYS_CLONE, Imm(flags|uintptr(syscall.SIGCHLD)))
	o.Flags |= kind
	return o
}

func fails(b *Builder) *Op    { return b.Try(syscall.SYS_CLOSE, Imm(-1)) }
func succeeds(b *Builder) *Op { return b.Try(syscall.SYS_GETPID) }

func decides(o *Op) *Op {
	o.Flags |= FlagDecisive
	return o
}

// act appends one whose control does the same.
func act(b *Builder, ops func(b *Builder)) { b.AddAct(Act{}, ops, nil) }

var actRows = []struct {
	name string
	acts func(b *Builder)
	want []tried
}{
	{"the deciding op succeeds", func(b *Builder) {
		act(b, func(b *Builder) { succeeds(b); decides(succeeds(b)) })
	}, []tried{both(done(1, 0))}},
	{"the deciding op fails", func(b *Builder) {
		act(b, func(b *Builder) { succeeds(b); decides(fails(b)) })
	}, []tried{both(done(1, badFD))}},
	{"an op before it fails", func(b *Builder) {
		act(b, func(b *Builder) { succeeds(b); fails(b); decides(succeeds(b)) })
	}, []tried{both(prepared(1, badFD))}},
	{"an op before it fails and may", func(b *Builder) {
		act(b, func(b *Builder) { fails(b).Accept = int16(badFD); decides(succeeds(b)) })
	}, []tried{both(done(1, 0))}},
	{"the deciding op fails and may: it decided all the same", func(b *Builder) {
		act(b, func(b *Builder) { decides(fails(b)).Accept = int16(badFD) })
	}, []tried{both(done(0, badFD))}},
	{"another result than the wanted one before it", func(b *Builder) {
		act(b, func(b *Builder) { succeeds(b).Want = 0; decides(succeeds(b)) })
	}, []tried{both(prepared(0, syscall.EPROTO))}},
	{"another result than the wanted one decides", func(b *Builder) {
		act(b, func(b *Builder) { decides(succeeds(b)).Want = 0 })
	}, []tried{both(done(0, syscall.EPROTO))}},
	{"nothing decides", func(b *Builder) {
		act(b, func(b *Builder) { succeeds(b) })
	}, []tried{both(notRun)}},
	{"a control of its own", func(b *Builder) {
		b.AddAct(Act{}, func(b *Builder) { decides(fails(b)) }, func(b *Builder) { succeeds(b); decides(succeeds(b)) })
	}, []tried{{done(0, badFD), done(1, 0)}}},
	{"no control", func(b *Builder) {
		b.AddAct(Act{Control: Nowhere}, func(b *Builder) { decides(succeeds(b)) }, nil)
	}, []tried{{done(0, 0), notRun}}},
	{"a result is gone when the next act begins", func(b *Builder) {
		act(b, func(b *Builder) {
			b.Try(unix.SYS_MEMFD_CREATE, Ptr(b.String("a")), Imm(1)).Save = ActSlot(0)
			decides(b.Try(syscall.SYS_FCNTL, Slot(ActSlot(0)), Imm(syscall.F_GETFD)))
		})
		act(b, func(b *Builder) { decides(b.Try(syscall.SYS_FCNTL, Slot(ActSlot(0)), Imm(syscall.F_GETFD))) })
	}, []tried{both(done(1, 0)), both(done(0, badFD))}},
	{"a copy's errno is the act's", func(b *Builder) {
		act(b, func(b *Builder) { cloned(b, 0, FlagCopy); succeeds(b); decides(fails(b)) })
	}, []tried{both(done(0, badFD))}},
	{"a copy succeeds", func(b *Builder) {
		act(b, func(b *Builder) { cloned(b, 0, FlagCopy); decides(succeeds(b)) })
	}, []tried{both(done(0, 0))}},
	{"a copy has another result than the wanted one", func(b *Builder) {
		act(b, func(b *Builder) { cloned(b, 0, FlagCopy); decides(succeeds(b)).Want = 0 })
	}, []tried{both(done(0, syscall.EPROTO))}},
	{"a copy goes on after an errno that it accepts", func(b *Builder) {
		act(b, func(b *Builder) {
			cloned(b, 0, FlagCopy)
			fails(b).Accept = int16(badFD)
			decides(b.Try(syscall.SYS_FCNTL, Imm(-1), Imm(0)))
		})
	}, []tried{both(done(0, badFD))}},
	{"a copy fails on its way", func(b *Builder) {
		act(b, func(b *Builder) { cloned(b, 0, FlagCopy); fails(b); decides(succeeds(b)) })
	}, []tried{both(prepared(0, syscall.ECANCELED))}},
	{"a copy dies by a signal", func(b *Builder) {
		act(b, func(b *Builder) {
			cloned(b, 0, FlagCopy)
			succeeds(b).Save = ActSlot(0)
			decides(b.Try(syscall.SYS_KILL, Slot(ActSlot(0)), Imm(int(syscall.SIGKILL))))
		})
	}, []tried{both(prepared(0, syscall.ECANCELED))}},
	{"a copy comes to no decision", func(b *Builder) {
		act(b, func(b *Builder) { cloned(b, 0, FlagCopy); succeeds(b) })
	}, []tried{both(prepared(0, syscall.ECANCELED))}},
	{"a copy executes a program: its status counts", func(b *Builder) {
		act(b, func(b *Builder) { cloned(b, 0, FlagCopy); decides(execute(b, "/bin/true")) })
		act(b, func(b *Builder) { cloned(b, 0, FlagCopy); decides(execute(b, "/bin/false")) })
		act(b, func(b *Builder) { cloned(b, 0, FlagCopy); decides(execute(b, "/nonexistent")) })
	}, []tried{both(done(0, 0)), both(done(0, 1)), both(done(0, syscall.ENOENT))}},
	{"a copy cannot be made", func(b *Builder) {
		act(b, func(b *Builder) { cloned(b, unix.CLONE_THREAD, FlagCopy); decides(succeeds(b)) })
	}, []tried{both(prepared(0, syscall.EINVAL))}},
	{"what a copy changes it changes for itself", func(b *Builder) {
		fd := memfd(b)
		b.AddAct(Act{Control: Nowhere}, func(b *Builder) { cloned(b, 0, FlagCopy); decides(b.Try(syscall.SYS_CLOSE, Slot(fd))) }, nil)
		b.AddAct(Act{Control: Nowhere}, func(b *Builder) { decides(b.Try(syscall.SYS_FCNTL, Slot(fd), Imm(syscall.F_GETFD))) }, nil)
	}, []tried{{done(0, 0), notRun}, {done(0, 0), notRun}}},
	{"a clone that should fail succeeds, and nobody is left", func(b *Builder) {
		act(b, func(b *Builder) { decides(cloned(b, 0, FlagChildExits)) })
		act(b, func(b *Builder) {
			decides(b.Try(syscall.SYS_WAIT4, Imm(-1), Imm(0), Imm(syscall.WNOHANG|waitAll), Imm(0)))
		})
	}, []tried{both(done(0, 0)), both(done(0, syscall.ECHILD))}},
	{"a clone that should fail fails", func(b *Builder) {
		act(b, func(b *Builder) { decides(cloned(b, unix.CLONE_THREAD, FlagChildExits)) })
	}, []tried{both(done(0, syscall.EINVAL))}},
	{"a clone that only prepares", func(b *Builder) {
		act(b, func(b *Builder) { cloned(b, 0, FlagChildExits); decides(fails(b)) })
	}, []tried{both(done(1, badFD))}},
	{"a gate whose control succeeded", func(b *Builder) {
		b.AddAct(Act{}, func(b *Builder) { decides(fails(b)) }, func(b *Builder) { decides(succeeds(b)) })
		b.AddAct(Act{Gate: 1}, func(b *Builder) { decides(succeeds(b)) }, nil)
	}, []tried{{done(0, badFD), done(0, 0)}, both(done(0, 0))}},
	{"a gate whose control failed", func(b *Builder) {
		b.AddAct(Act{Allowed: [3]int16{int16(badFD)}}, func(b *Builder) { decides(succeeds(b)) }, func(b *Builder) { decides(fails(b)) })
		b.AddAct(Act{Gate: 1}, func(b *Builder) { decides(succeeds(b)) }, nil)
	}, []tried{{done(0, 0), done(0, badFD)}, {notRun, done(0, 0)}}},
	{"a gate whose control did not get to its end", func(b *Builder) {
		b.AddAct(Act{}, func(b *Builder) { decides(succeeds(b)) }, func(b *Builder) { fails(b); decides(succeeds(b)) })
		b.AddAct(Act{Gate: 1}, func(b *Builder) { decides(succeeds(b)) }, nil)
	}, []tried{{done(0, 0), prepared(0, badFD)}, {notRun, done(0, 0)}}},
	{"an act that is its own gate", func(b *Builder) {
		b.AddAct(Act{Gate: 1}, func(b *Builder) { decides(succeeds(b)) }, func(b *Builder) { decides(fails(b)) })
	}, []tried{{notRun, done(0, badFD)}}},
}

func execute(b *Builder, path string) *Op {
	return b.Try(syscall.SYS_EXECVE, Ptr(b.String(path)), Ptr(b.Vector([]string{path})), Ptr(b.Words(0)))
}

func TestActs(t *testing.T) {
	if !alone(t) {
		return
	}
	for _, row := range actRows {
		t.Run(row.name, func(t *testing.T) {
			b := controlled()
			row.acts(b)
			wantSeen(t, b, carryOut(t, b), row.want)
		})
	}
}

// controlled is a builder whose control tells when it is over, as all acts want.
func controlled() *Builder {
	b := builder()
	b.Do(&b.P.Prelude, syscall.SYS_SET_TID_ADDRESS, b.ControlAlive())
	return b
}

func wantSeen(t *testing.T, b *Builder, got outcome, want []tried) {
	t.Helper()
	if got.verdict == nil {
		t.Fatalf("no verdict; failure %+v, ended with %#x", got.failure, got.status)
	}
	for i, w := range want {
		a := b.P.Acts[i]
		controls := a.Ops
		if a.Controls.Last > 0 {
			controls = a.Controls
		}
		if here := relative(got.verdict.Observations[i], a.Ops); here != w.here {
			t.Errorf("act %d: %v, wanted %v", i, here, w.here)
		}
		if outside := relative(got.verdict.Controls[i], controls); outside != w.outside {
			t.Errorf("control %d: %v, wanted %v", i, outside, w.outside)
		}
	}
}

func relative(o Observation, s Span) seen {
	if o.State == NotRun {
		return seen{NotRun, syscall.Errno(o.Errno), int(o.Op)}
	}
	return seen{o.State, syscall.Errno(o.Errno), int(o.Op) - int(s.First)}
}

// TestWhatElseAnActRuns: after the decision, or a failure before it, nothing but
// what cleans up, and that whatever it returns itself.
func TestWhatElseAnActRuns(t *testing.T) {
	if !alone(t) {
		return
	}
	for _, row := range []struct {
		name          string
		first         func(b *Builder)
		rest, cleanup bool
	}{
		{"the decision was made", func(b *Builder) { decides(succeeds(b)) }, false, true},
		{"the decision was an errno", func(b *Builder) { decides(fails(b)) }, false, true},
		{"an op before it failed", func(b *Builder) { fails(b); decides(succeeds(b)) }, false, true},
		{"a copy decided", func(b *Builder) { cloned(b, 0, FlagCopy); decides(succeeds(b)) }, false, true},
		{"a copy failed", func(b *Builder) { cloned(b, 0, FlagCopy); fails(b); decides(succeeds(b)) }, false, true},
		{"nothing was decided", func(b *Builder) { succeeds(b) }, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := controlled()
			rest, first, second := b.Alloc(8, 8), b.Alloc(8, 8), b.Alloc(8, 8)
			b.AddAct(Act{Control: Nowhere}, func(b *Builder) {
				row.first(b)
				b.Try(unix.SYS_GETRANDOM, Ptr(rest), Imm(8), Imm(0))
				b.Clean(unix.SYS_GETRANDOM, Ptr(first), Imm(8), Imm(0))
				b.Clean(syscall.SYS_CLOSE, Imm(-1))
				b.Clean(unix.SYS_GETRANDOM, Ptr(second), Imm(8), Imm(0))
			}, nil)
			carryOut(t, b)
			if ran := b.word64(rest) != 0; ran != row.rest {
				t.Errorf("the op that followed ran: %v", ran)
			}
			if a, z := b.word64(first) != 0, b.word64(second) != 0; a != row.cleanup || z != row.cleanup {
				t.Errorf("the ops that clean up ran: %v, %v", a, z)
			}
		})
	}
}

// TestValueOfTheDecision is what an act that reads something back is judged by.
func TestValueOfTheDecision(t *testing.T) {
	if !alone(t) {
		return
	}
	b := controlled()
	act(b, func(b *Builder) { decides(b.Try(syscall.SYS_UMASK, Imm(0o27))) })
	act(b, func(b *Builder) { decides(b.Try(syscall.SYS_UMASK, Imm(0o22))) })
	got := carryOut(t, b)
	wantSeen(t, b, got, []tried{both(done(0, 0)), both(done(0, 0))})
	if v := got.verdict; v.Observations[1].Value != 0o27 || v.Controls[1].Value != 0o27 {
		t.Errorf("values %#o and %#o", v.Observations[1].Value, v.Controls[1].Value)
	}
}
