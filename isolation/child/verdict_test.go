package child

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"testing/quick"
)

// errnoKind is how an errno stands to an act.
type errnoKind uint8

const (
	none errnoKind = iota
	refusedErrno
	allowedErrno
	otherErrno
	anyErrno // in a row: all of them
)

const anyState = State(99)

// judged is one row of the table; the first that fits counts.
type judged struct {
	kind    Kind
	state   State
	errno   errnoKind
	control State
	reached errnoKind
	want    Outcome
}

// judgeTable is written by hand: what an act and its control amount to.
var judgeTable = []judged{
	// What must work did: whatever the control says, it did.
	{Working, Done, none, anyState, anyErrno, Worked},
	// It did not, and the control shows that it should have.
	{Working, anyState, anyErrno, Done, none, Broken},
	{Working, anyState, anyErrno, Done, allowedErrno, Broken},
	{Working, anyState, anyErrno, anyState, anyErrno, Inconclusive},
	// Nothing is known about what did not get to its decision.
	{Forbidden, NotRun, anyErrno, anyState, anyErrno, Inconclusive},
	{Forbidden, Prepared, anyErrno, anyState, anyErrno, Inconclusive},
	// Nor without a control that reached its aim.
	{Forbidden, Done, anyErrno, NotRun, anyErrno, Inconclusive},
	{Forbidden, Done, anyErrno, Prepared, anyErrno, Inconclusive},
	{Forbidden, Done, anyErrno, Done, refusedErrno, Inconclusive},
	{Forbidden, Done, anyErrno, Done, otherErrno, Inconclusive},
	// With one, the errno tells.
	{Forbidden, Done, none, Done, anyErrno, Through},
	{Forbidden, Done, refusedErrno, Done, anyErrno, Refused},
	{Forbidden, Done, allowedErrno, Done, anyErrno, Through},
	{Forbidden, Done, otherErrno, Done, anyErrno, Inconclusive},
}

func (j judged) fits(k Kind, s State, e errnoKind, c State, r errnoKind) bool {
	return j.kind == k && (j.state == anyState || j.state == s) && (j.errno == anyErrno || j.errno == e) &&
		(j.control == anyState || j.control == c) && (j.reached == anyErrno || j.reached == r)
}

// TestJudge goes through every combination, with each place of the errno lists.
func TestJudge(t *testing.T) {
	refused, allowed := [3]int16{1, 2, 3}, [3]int16{11, 12, 13}
	errnos := [...][]int16{none: {0}, refusedErrno: refused[:], allowedErrno: allowed[:], otherErrno: {21, -1}}
	used := make([]bool, len(judgeTable))
	for _, k := range []Kind{Forbidden, Working} {
		for s := NotRun; s <= Done; s++ {
			for c := NotRun; c <= Done; c++ {
				for e, es := range errnos {
					for r, rs := range errnos {
						row := -1
						for i, j := range judgeTable {
							if j.fits(k, s, errnoKind(e), c, errnoKind(r)) {
								row = i
								break
							}
						}
						if row < 0 {
							t.Fatalf("no row for kind %d, state %d, errno %d, control %d, %d", k, s, e, c, r)
						}
						used[row] = true
						for _, errno := range es {
							for _, reached := range rs {
								a := Act{Kind: k, Refused: refused, Allowed: allowed}
								got := Judge(&a, &Observation{State: s, Errno: errno}, &Observation{State: c, Errno: reached})
								if got != judgeTable[row].want {
									t.Errorf("kind %d, state %d errno %d, control %d errno %d: %d, wanted %d", k, s, errno, c, reached, got, judgeTable[row].want)
								}
							}
						}
					}
				}
			}
		}
	}
	for i, u := range used {
		if !u {
			t.Errorf("row %d fits nothing", i)
		}
	}
}

// TestJudgeZeroIsNoErrno: the unused places of the errno lists are 0, which is
// success and must not count as a refusal or as a way in.
func TestJudgeZeroIsNoErrno(t *testing.T) {
	ok, odd := &Observation{State: Done}, &Observation{State: Done, Errno: 21}
	if got := Judge(&Act{}, ok, ok); got != Through {
		t.Errorf("a success without any errno listed is %d, wanted Through", got)
	}
	if got := Judge(&Act{}, odd, ok); got != Inconclusive {
		t.Errorf("an errno that is not listed is %d, wanted Inconclusive", got)
	}
}

// outcomes is what quick makes: acts' planes and what they amounted to.
type outcomes []struct {
	Planes  uint16
	Outcome uint8
}

// stands is the same count in plain words, for one plane.
func (o outcomes) stands(plane int, minimum uint8) bool {
	refused, worked := 0, false
	for _, x := range o {
		if x.Planes>>plane&1 == 0 {
			continue
		}
		switch Outcome(x.Outcome % 5) {
		case Refused:
			refused++
		case Worked:
			worked = true
		case Through, Broken:
			return false
		}
	}
	return worked && minimum != 0 && minimum != NeverStands && refused >= int(minimum)
}

func (o outcomes) agree(t *testing.T, minimum uint8) bool {
	var y [MaxPlanes]Tally
	for _, x := range o {
		Count(&y, &Act{Planes: x.Planes}, Outcome(x.Outcome%5))
	}
	for k := range y {
		if got, want := y[k].Stands(minimum), o.stands(k, minimum); got != want {
			t.Logf("plane %d with minimum %d: %+v stands: %v, wanted %v", k, minimum, y[k], got, want)
			return false
		}
	}
	return true
}

// TestNoPlaneStandsOnLess: whatever was seen, a plane stands exactly if enough was
// refused, something worked, and nothing fell.
func TestNoPlaneStandsOnLess(t *testing.T) {
	check := func(o outcomes, minimum uint8, good bool) bool {
		if good { // few random lists are free of what makes every plane fall
			for i := range o {
				o[i].Outcome %= 3
			}
		}
		return o.agree(t, minimum) && o.agree(t, minimum%4)
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

// TestManyRefusalsDoNotOverflow: 512 acts are more than a byte counts, and the
// largest minimum says that the plane was not asked for.
func TestManyRefusalsDoNotOverflow(t *testing.T) {
	var y [MaxPlanes]Tally
	for n := 1; n <= MaxActs; n++ {
		Count(&y, &Act{Planes: 1}, Refused)
		if got := int(y[0].Conclusive); got != min(n, NeverStands-1) {
			t.Fatalf("%d refusals count as %d", n, got)
		}
	}
	Count(&y, &Act{Planes: 1}, Worked)
	if y[0].Stands(NeverStands) || !y[0].Stands(NeverStands-1) {
		t.Errorf("%+v stands: %v with the largest minimum, %v with the one before", y[0], y[0].Stands(NeverStands), y[0].Stands(NeverStands-1))
	}
}

// TestChildJudgesLikeTheLauncher: the verdict of the process that executes is the
// count over the same observations.
func TestChildJudgesLikeTheLauncher(t *testing.T) {
	if !alone(t) {
		return
	}
	rng := rand.New(rand.NewPCG(3, 4))
	stood := 0
	for range 30 {
		b := controlled()
		for range 12 {
			a := Act{Planes: uint16(rng.Uint32()), Kind: Kind(rng.IntN(4) / 3), Refused: [3]int16{int16(badFD)}}
			b.AddAct(a, func(b *Builder) {
				if a.Kind == Working || rng.IntN(40) == 0 {
					decides(succeeds(b))
				} else {
					decides(fails(b))
				}
			}, func(b *Builder) { decides(succeeds(b)) })
		}
		for k := range b.P.Minimum {
			b.P.Minimum[k] = uint8(rng.IntN(6))
		}
		got := carryOut(t, b)
		if got.verdict == nil {
			t.Fatalf("no verdict: %+v", got.failure)
		}
		var y [MaxPlanes]Tally
		for i := range b.P.Acts {
			Count(&y, &b.P.Acts[i], Judge(&b.P.Acts[i], &got.verdict.Observations[i], &got.verdict.Controls[i]))
		}
		for k := range y {
			here := y[k].Stands(b.P.Minimum[k])
			if inside := got.verdict.Standing>>k&1 != 0; here != inside {
				t.Errorf("plane %d with minimum %d: %+v stands here: %v, inside: %v", k, b.P.Minimum[k], y[k], here, inside)
			}
			if here {
				stood++
			}
		}
	}
	if stood < 20 || stood > 280 {
		t.Errorf("%d of 300 planes stood: that shows little", stood)
	}
}

// refusal appends an act that is refused, and one that works, on plane 0.
func refusal(b *Builder) {
	b.AddAct(Act{Planes: 1, Refused: [3]int16{int16(badFD)}}, func(b *Builder) { decides(fails(b)) }, func(b *Builder) { decides(succeeds(b)) })
	b.AddAct(Act{Planes: 1, Kind: Working}, func(b *Builder) { decides(succeeds(b)) }, nil)
}

// execution is when the provider's process goes on to what it was made for.
var execution = []struct {
	name     string
	change   func(b *Builder)
	standing uint16
	executed bool
}{
	{"the required plane stands", func(*Builder) {}, 1, true},
	{"no plane is required and none stands", func(b *Builder) { b.P.Require, b.P.Minimum[0] = 0, 2 }, 0, true},
	{"nothing shall be executed", func(b *Builder) { b.P.Execute = false }, 1, false},
	{"another plane is required", func(b *Builder) { b.P.Require = 1 | 1<<9 }, 1, false},
	{"too few acts were conclusive", func(b *Builder) { b.P.Minimum[0] = 2 }, 0, false},
	{"the plane was not asked for", func(b *Builder) { b.P.Minimum[0] = NeverStands }, 0, false},
	{"nobody said how many are enough", func(b *Builder) { b.P.Minimum[0] = 0 }, 0, false},
	{"an act got through", func(b *Builder) {
		b.AddAct(Act{Planes: 1}, func(b *Builder) { decides(succeeds(b)) }, nil)
	}, 0, false},
	{"something that must work does not", func(b *Builder) {
		b.AddAct(Act{Planes: 1, Kind: Working}, func(b *Builder) { decides(fails(b)) }, func(b *Builder) { decides(succeeds(b)) })
	}, 0, false},
	{"nothing that works was tried", func(b *Builder) { b.P.Acts = b.P.Acts[:1] }, 0, false},
	{"the controls' identity could not be had", func(b *Builder) {
		b.Do(&b.P.Prelude, OpFail, Imm(int(syscall.EPERM)))
	}, 0, false},
	{"the control is killed among its acts", func(b *Builder) {
		b.AddAct(Act{Planes: 2}, func(b *Builder) { decides(succeeds(b)) }, func(b *Builder) {
			succeeds(b).Save = ActSlot(0)
			b.Try(syscall.SYS_KILL, Slot(ActSlot(0)), Imm(int(syscall.SIGKILL)))
		})
	}, 0, false},
	{"the control never says that it is over", func(b *Builder) { b.P.Prelude = b.P.Prelude[:1] }, 0, false},
	{"an op after the verdict fails", func(b *Builder) { b.Do(&b.P.Exec, syscall.SYS_CLOSE, Imm(-1)) }, 1, false},
}

// TestNothingIsExecuted unless every required plane stands, on acts and on
// controls both.
func TestNothingIsExecuted(t *testing.T) {
	if !alone(t) {
		return
	}
	for _, row := range execution {
		t.Run(row.name, func(t *testing.T) {
			b := controlled()
			refusal(b)
			b.P.Require, b.P.Minimum[0], b.P.Execute = 1, 1, true
			row.change(b)
			marker := b.Alloc(8, 8)
			b.Do(&b.P.Exec, syscall.SYS_GETPID).Store = marker
			got := carryOut(t, b)
			if got.verdict == nil || got.verdict.Standing != row.standing {
				t.Errorf("verdict %+v, wanted standing %b", got.verdict, row.standing)
			}
			if executed := b.word32(marker) != 0; executed != row.executed {
				t.Errorf("executed: %v", executed)
			}
		})
	}
}

// TestNothingIsExecutedUnseen: without a launcher that could read the verdict,
// the provider does not start.
func TestNothingIsExecutedUnseen(t *testing.T) {
	if !alone(t) {
		return
	}
	for _, launcher := range []bool{true, false} {
		report, word, gone := pipe(t), pipe(t), pipe(t)
		b := controlled()
		refusal(b)
		b.P.Require, b.P.Minimum[0], b.P.Execute, b.P.ErrorFD = 1, 1, true, report[1]
		// Nobody but the launcher may read: the control lets go of its copy only after
		// it has told that it is over.
		b.Setup(syscall.SYS_CLOSE, Imm(report[0]))
		b.Do(&b.P.Prelude, syscall.SYS_CLOSE, Imm(report[0]))
		b.Do(&b.P.Provider, syscall.SYS_READ, Imm(word[0]), Ptr(b.Alloc(8, 8)), Imm(1)).Want = 1
		marker := b.Alloc(8, 8)
		b.Do(&b.P.Exec, syscall.SYS_GETPID).Store = marker
		runtime.LockOSThread()
		l, err := b.P.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Continue(); err != nil {
			t.Fatal(err)
		}
		syscall.Close(report[1])
		syscall.Close(gone[1])
		if !launcher {
			syscall.Close(report[0])
		}
		if _, err := syscall.Write(word[1], []byte{1}); err != nil {
			t.Fatal(err)
		}
		if n, err := syscall.Read(gone[0], make([]byte, 1)); n != 0 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		if executed := b.word32(marker) != 0; executed != launcher {
			t.Errorf("with a launcher: %v, executed: %v", launcher, executed)
		}
		l.Release()
	}
}

func pipe(t *testing.T) (ends [2]int) {
	t.Helper()
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	return ends
}
