package probes

import (
	"math/rand/v2"
	"testing"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// seen makes an observation.
func seen(state child.State, errno int16) child.Observation {
	return child.Observation{State: state, Errno: errno}
}

// TestOutcomes is every combination of what an act and its control may come back
// with: not run, a preparing call that failed, and each kind of errno.
func TestOutcomes(t *testing.T) {
	const refused, allowed, other = eROFS, eNODATA, eNXIO
	results := []child.Observation{
		seen(child.NotRun, 0), seen(child.Prepared, refused), seen(child.Prepared, other),
		seen(child.Done, 0), seen(child.Done, refused), seen(child.Done, allowed), seen(child.Done, other),
	}
	const n, i, r, w, x, b = len("1234567"), child.Inconclusive, child.Refused, child.Worked, child.Through, child.Broken
	// a row for each result of the act, a column for each of the control
	forbidden := [7][7]child.Outcome{
		{i, i, i, i, i, i, i},
		{i, i, i, i, i, i, i},
		{i, i, i, i, i, i, i},
		{i, i, i, x, i, x, i},
		{i, i, i, r, i, r, i},
		{i, i, i, x, i, x, i},
		{i, i, i, i, i, i, i},
	}
	working := [7][7]child.Outcome{
		{i, i, i, b, i, b, i},
		{i, i, i, b, i, b, i},
		{i, i, i, b, i, b, i},
		{w, w, w, w, w, w, w},
		{i, i, i, b, i, b, i},
		{i, i, i, b, i, b, i},
		{i, i, i, b, i, b, i},
	}
	for kind, table := range [2][n][n]child.Outcome{forbidden, working} {
		for k, o := range results {
			for l, c := range results {
				cat := &Catalogue{
					acts:     []child.Act{{Planes: uint16(filesystem), Kind: child.Kind(kind), Refused: [3]int16{refused}, Allowed: [3]int16{allowed}}},
					meanings: []meaning{{name: "act", by: [3]Mechanism{ReadOnlyMounts}}},
					minimum:  [policy.NumPlanes]uint8{1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
				}
				v := &child.Verdict{Standing: 0x3ff, Observations: []child.Observation{o}, Controls: []child.Observation{c}}
				p := Judge(cat, &policy.Plan{}, v).Planes[policy.Filesystem]
				if got := p.Acts[0].Outcome; got != table[k][l] {
					t.Errorf("kind %d, act %+v, control %+v: %s, wanted %s", kind, o, c, outcomeNames[got], outcomeNames[table[k][l]])
				}
				if (p.Acts[0].Mechanism != "") != (table[k][l] == r) {
					t.Errorf("kind %d, act %+v, control %+v: mechanism %q", kind, o, c, p.Acts[0].Mechanism)
				}
			}
		}
	}
}

// perfect is a verdict in which every act came out as it must.
func perfect(c *Catalogue) *child.Verdict {
	v := &child.Verdict{Standing: 1<<policy.NumPlanes - 1}
	for i := range c.acts {
		a := &c.acts[i]
		o, ctl := seen(child.Done, a.Refused[0]), seen(child.Done, a.Allowed[0])
		if a.Kind == child.Working {
			o = seen(child.Done, 0)
		}
		v.Observations, v.Controls = append(v.Observations, o), append(v.Controls, ctl)
	}
	return v
}

// TestPerfectVerdict is the control of every test below: what they spoil stood.
func TestPerfectVerdict(t *testing.T) {
	b := ordinary(t)
	r := Judge(b.cat, &b.plan, perfect(b.cat))
	for i := range r.Planes {
		if p := &r.Planes[i]; p.State != Enforced || p.Name != policy.Plane(i) || p.Reason != "" || p.Evidence != "" {
			t.Errorf("plane %d is %s, %s (%s: %s)", i, p.Name, p.State, p.Reason, p.Evidence)
		}
	}
	if len(r.Missing) != 0 || len(r.Require) != 2 {
		t.Errorf("require %v, missing %v", r.Require, r.Missing)
	}
}

// TestSpoiledVerdicts: one thing wrong, and what comes of it.
func TestSpoiledVerdicts(t *testing.T) {
	for _, c := range []struct {
		name   string
		plane  policy.Plane
		spoil  func(*child.Verdict, int)
		act    string
		all    bool // every act of that name
		reason Reason
	}{
		{"an act got through", policy.Filesystem, func(v *child.Verdict, i int) { v.Observations[i].Errno = 0 }, "canary_read", false, ProbeRefuted},
		{"an act reached the kernel", policy.Syscalls, func(v *child.Verdict, i int) { v.Observations[i].Errno = v.Controls[i].Errno }, "call", false, ProbeRefuted},
		{"a twin failed", policy.Processes, func(v *child.Verdict, i int) { v.Observations[i].Errno = eACCES }, "own_memory", false, ProbeRefuted},
		{"a twin was not tried", policy.Network, func(v *child.Verdict, i int) { v.Observations[i] = child.Observation{} }, "loopback_talk", false, ProbeRefuted},
		{"controls failed", policy.Descriptors, func(v *child.Verdict, i int) { v.Controls[i].Errno = eBADF }, "low_descriptor high_descriptor inherited_directory", true, ControlInconclusive},
		{"controls were not made", policy.Terminal, func(v *child.Verdict, i int) { v.Controls[i] = child.Observation{} }, "terminal_command terminal_command_high_bit", true, ControlInconclusive},
		{"acts were not made", policy.IPC, func(v *child.Verdict, i int) { v.Observations[i] = child.Observation{} }, "segment_attach", false, ProbeNotRun},
		{"a limit was not read back", policy.Resources, func(v *child.Verdict, i int) { v.Observations[i] = seen(child.Prepared, eSTALE) }, "limit_open_files", false, MechanismFailed},
		{"another errno", policy.Environment, func(v *child.Verdict, i int) { v.Observations[i].Errno = eNXIO }, "canary_variable dropped_variables", true, MechanismFailed},
		{"no twin could be judged", policy.Privileges, func(v *child.Verdict, i int) { v.Observations[i].Errno, v.Controls[i].Errno = eACCES, eACCES }, "own_identity", true, ControlInconclusive},
		{"the child did not agree", policy.Privileges, func(v *child.Verdict, _ int) { v.Standing &^= uint16(privileges) }, "own_identity", false, ProbeNotRun},
	} {
		b := ordinary(t)
		v := perfect(b.cat)
		n := 0
		for i := range b.cat.acts {
			if oneOf(c.act, b.cat.meanings[i].name) && (c.all || n == 0) {
				c.spoil(v, i)
				n++
			}
		}
		r := Judge(b.cat, &b.plan, v)
		p := &r.Planes[c.plane]
		if n == 0 || p.State != Unavailable || p.Reason != c.reason || p.Evidence == "" || p.Remedy == "" {
			t.Errorf("%s (%d acts): %s is %s, %s: %q, hint %q; wanted %s", c.name, n, p.Name, p.State, p.Reason, p.Evidence, p.Remedy, c.reason)
		}
	}
}

func oneOf(names, name string) bool {
	for len(names) > 0 {
		head, rest := names, ""
		for i := range names {
			if names[i] == ' ' {
				head, rest = names[:i], names[i+1:]
				break
			}
		}
		if head == name {
			return true
		}
		names = rest
	}
	return false
}

// recount judges a plane anew, without package child: enough refusals with a
// control that reached its aim, something that works, and nothing against it.
func recount(b built, v *child.Verdict, p policy.Plane) bool {
	in := func(e int16, set [3]int16) bool { return e != 0 && (e == set[0] || e == set[1] || e == set[2]) }
	conclusive, worked := 0, false
	for i, a := range b.cat.acts {
		if a.Planes>>p&1 == 0 {
			continue
		}
		o, c := at(v.Observations, i), at(v.Controls, i)
		reached := c.State == child.Done && (c.Errno == 0 || in(c.Errno, a.Allowed))
		done := o.State == child.Done
		switch {
		case a.Kind == child.Working && done && o.Errno == 0:
			worked = true
		case a.Kind == child.Working && reached:
			return false
		case a.Kind == child.Working, !done, !reached:
		case in(o.Errno, a.Refused):
			conclusive++
		case o.Errno == 0 || in(o.Errno, a.Allowed):
			return false
		}
	}
	least := int(b.cat.minimum[p])
	return worked && least > 0 && least != child.NeverStands && conclusive >= least && v.Standing>>p&1 != 0
}

// TestNoFalseEnforced throws verdicts at the judge that no kernel would give,
// from nearly perfect to random, whole and cut off: a plane is ENFORCED only if
// the recount says so too, and what the child alone would find is no different.
func TestNoFalseEnforced(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	enforced, refuted := 0, 0
	for round := range 600 {
		b := build(t, variants()[round%len(variants())])
		v := perfect(b.cat)
		spoil(rng, b.cat, v, round%7)
		tally := tallied(b.cat, v)
		r := Judge(b.cat, &b.plan, v)
		for i := range r.Planes {
			p := &r.Planes[i]
			got := p.State == Enforced
			if want := recount(b, v, p.Name); got && !want {
				t.Fatalf("round %d: %s is ENFORCED and must not be", round, p.Name)
			}
			if child := tally[p.Name].Stands(b.cat.minimum[p.Name]) && v.Standing>>p.Name&1 != 0; got != child {
				t.Fatalf("round %d: %s is %s, the child's count says %v", round, p.Name, p.State, child)
			}
			if got == (p.Reason != "") {
				t.Fatalf("round %d: %s is %s with reason %q", round, p.Name, p.State, p.Reason)
			}
			if got {
				enforced++
			} else {
				refuted++
			}
		}
	}
	if enforced < 500 || refuted < 500 {
		t.Errorf("%d planes stood and %d did not: too few of one to show anything", enforced, refuted)
	}
}

// spoil changes a few of the observations; the more, the higher the level.
func spoil(rng *rand.Rand, c *Catalogue, v *child.Verdict, level int) {
	for range level * level {
		i := rng.IntN(len(c.acts))
		errnos := [...]int16{0, c.acts[i].Refused[0], c.acts[i].Refused[1], c.acts[i].Allowed[0], c.acts[i].Allowed[2], eNXIO}
		o := seen(child.State(rng.IntN(3)), errnos[rng.IntN(len(errnos))])
		if rng.IntN(2) == 0 {
			v.Observations[i] = o
		} else {
			v.Controls[i] = o
		}
	}
	if level == 5 {
		v.Standing = uint16(rng.Uint32())
	}
	if level == 6 {
		v.Observations = v.Observations[:rng.IntN(len(v.Observations))]
		v.Controls = v.Controls[:rng.IntN(len(v.Controls))]
	}
}

// tallied is what the child counts over a verdict.
func tallied(c *Catalogue, v *child.Verdict) (y [child.MaxPlanes]child.Tally) {
	for i := range c.acts {
		o, ctl := at(v.Observations, i), at(v.Controls, i)
		child.Count(&y, &c.acts[i], child.Judge(&c.acts[i], &o, &ctl))
	}
	return y
}

func TestNoVerdict(t *testing.T) {
	b := ordinary(t)
	r := Judge(b.cat, &b.plan, nil)
	if len(r.Planes) != policy.NumPlanes || len(r.Missing) != 2 {
		t.Fatalf("%d planes, missing %v", len(r.Planes), r.Missing)
	}
	for i := range r.Planes {
		if p := &r.Planes[i]; p.State != Unavailable || p.Reason != ProbeNotRun || p.Refused != 0 {
			t.Errorf("%s is %s, %s", p.Name, p.State, p.Reason)
		}
	}
}

// TestUnprobed: a launch that broke says why on every plane that was asked for.
func TestUnprobed(t *testing.T) {
	b := build(t, variant{"no limits", variants()[7].change})
	r := Unprobed(b.cat, &b.plan, HostForbids, "clone: EPERM", "allow user namespaces")
	for i := range r.Planes {
		p := &r.Planes[i]
		want := HostForbids
		if p.Name == policy.Resources {
			want = NotRequested
		}
		if p.Reason != want || want == HostForbids && (p.Evidence != "clone: EPERM" || p.Remedy != "allow user namespaces") {
			t.Errorf("%s: %s, %q, %q", p.Name, p.Reason, p.Evidence, p.Remedy)
		}
	}
	if empty := Unprobed(&Catalogue{}, &b.plan, HostForbids, "x", "y"); len(empty.Planes) != policy.NumPlanes || empty.Planes[0].State != Unavailable {
		t.Error("a catalogue without acts has planes that stand")
	}
}

// TestSentencesClaimOnlyWhatWasShown: an inconclusive act is not told as refused.
func TestSentencesClaimOnlyWhatWasShown(t *testing.T) {
	b := ordinary(t)
	v := perfect(b.cat)
	full := Judge(b.cat, &b.plan, v).Planes[policy.Filesystem].Sentence
	for i := range b.cat.acts {
		if b.cat.meanings[i].name == "witness_read" {
			v.Controls[i] = child.Observation{}
		}
		if b.cat.meanings[i].name == "grant_change" && b.cat.meanings[i].object == "/etc/hosts" {
			v.Controls[i].Errno = eROFS
		}
	}
	p := Judge(b.cat, &b.plan, v).Planes[policy.Filesystem]
	if p.State != Enforced {
		t.Fatalf("filesystem is %s (%s)", p.State, p.Evidence)
	}
	golden(t, "sentences.golden", full+"\n"+p.Sentence+"\n")
}
