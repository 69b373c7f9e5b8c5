package probes

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sovrun/sovrun/isolation"
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s differs from line %d on: got %q, wanted %q (-update writes it anew)", path, i+1, a[min(i, len(a)-1)], b[min(i, len(b)-1)])
		}
	}
}

// listed is one act in one line, apart from its calls.
func listed(c *Catalogue, i int) string {
	a, m := &c.acts[i], &c.meanings[i]
	out := fmt.Sprintf("%-10s %s", [...]string{"forbidden", "working"}[a.Kind], m.name)
	if m.object != "" {
		out += " " + m.object
	}
	out += fmt.Sprintf(" [%s]", policy.PlaneSet(a.Planes))
	if a.Where != child.InProvider {
		out += fmt.Sprintf(" at %d.%d", a.Where, a.Mark)
	}
	if a.Control != child.InProvider {
		out += fmt.Sprintf(" control %d.%d", a.Control, a.CtlMark)
	}
	for k, e := range a.Refused {
		if e != 0 {
			out += fmt.Sprintf(" %s:%q", ErrnoName(e), m.by[k])
		}
	}
	for _, e := range a.Allowed {
		if e != 0 {
			out += " or outside " + ErrnoName(e)
		}
	}
	if a.Gate != 0 {
		out += " gated"
	}
	return out
}

// foreignActs exist on some architectures only.
var foreignActs = []string{"x32_getpid", "modify_ldt", "int_0x80"}

func TestActsOfEveryKindOfPlan(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			b := build(t, v)
			var out strings.Builder
			for i := range b.cat.acts {
				if !slices.Contains(foreignActs, b.cat.meanings[i].object) {
					fmt.Fprintln(&out, listed(b.cat, i))
				}
			}
			fmt.Fprintln(&out, "minimum", b.cat.minimum)
			golden(t, "acts-"+strings.ReplaceAll(v.name, " ", "-")+".golden", out.String())
		})
	}
}

// TestActsCanBeJudged holds what the judgement needs of every act.
func TestActsCanBeJudged(t *testing.T) {
	for _, v := range variants() {
		b := build(t, v)
		names := map[string]bool{}
		for i := range b.cat.acts {
			a, m := &b.cat.acts[i], &b.cat.meanings[i]
			title := v.name + ": " + m.name + " " + m.object
			if names[title] {
				t.Errorf("%s stands twice", title)
			}
			names[title] = true
			if a.Planes == 0 || m.name == "" || m.what == "" {
				t.Errorf("%s: planes %b, attempt %q: wanted both", title, a.Planes, m.what)
			}
			if (a.Kind == child.Forbidden) != (a.Refused[0] != 0) {
				t.Errorf("%s: kind %d with refusals %v", title, a.Kind, a.Refused)
			}
			for _, r := range a.Refused {
				for _, e := range a.Allowed {
					if r != 0 && r == e {
						t.Errorf("%s: %s is a refusal and what is reached outside", title, ErrnoName(r))
					}
				}
			}
			if a.Control == child.InSetup && a.CtlMark == child.MarkNone || a.Where == child.InSetup && a.Mark == child.MarkNone {
				t.Errorf("%s: in the set-up, but at no point of it", title)
			}
		}
	}
}

// TestActsDecide: each list of an act has one deciding op, and what it opens is
// closed.
func TestActsDecide(t *testing.T) {
	for _, v := range variants() {
		b := build(t, v)
		for i := range b.cat.acts {
			a := &b.cat.acts[i]
			for _, s := range []child.Span{a.Ops, a.Controls} {
				if s.Last == s.First {
					continue
				}
				decisive := 0
				for _, o := range b.program.ActOps[s.First:s.Last] {
					if o.Flags&child.FlagDecisive != 0 {
						decisive++
					}
				}
				if decisive != 1 {
					t.Errorf("%s: %s has %d deciding ops, wanted 1", v.name, listed(b.cat, i), decisive)
				}
			}
		}
	}
}

// TestEveryPlaneHasATwin: a plane that refuses everything must not look safe.
func TestEveryPlaneHasATwin(t *testing.T) {
	b := ordinary(t)
	var twins policy.PlaneSet
	for i := range b.cat.acts {
		if b.cat.acts[i].Kind == child.Working {
			twins |= policy.PlaneSet(b.cat.acts[i].Planes)
		}
	}
	if twins != policy.AllPlanes {
		t.Errorf("planes with a twin: %s, wanted all", twins)
	}
}

// TestEveryMechanismHasAWitness: an act with an errno that the mechanism alone
// gives there. As root one more sees the read-only mounts.
func TestEveryMechanismHasAWitness(t *testing.T) {
	b := ordinary(t)
	var seen [numMechanisms]bool
	for i := range b.cat.acts {
		for k, e := range b.cat.acts[i].Refused {
			if e != 0 {
				seen[b.cat.meanings[i].by[k]] = true
			}
		}
	}
	for m := MountNamespace; m < numMechanisms; m++ {
		if !seen[m] {
			t.Errorf("no act can see %s refuse", m)
		}
	}
}

// TestMinimumTable holds the hand-written numbers against what a plan offers:
// within reach, and not so low that one kind of act could carry a plane alone.
func TestMinimumTable(t *testing.T) {
	for _, v := range variants() {
		b := build(t, v)
		var offered [policy.NumPlanes]int
		for i := range b.cat.acts {
			a := &b.cat.acts[i]
			for p := range policy.Plane(policy.NumPlanes) {
				if a.Planes>>p&1 != 0 && a.Kind == child.Forbidden && a.Control != child.Nowhere {
					offered[p]++
				}
			}
		}
		for p := range policy.Plane(policy.NumPlanes) {
			least := int(b.cat.minimum[p])
			switch {
			case least == child.NeverStands:
			case least == 0:
				t.Errorf("%s: %s would stand without any act", v.name, p)
			case least > offered[p] && v.name != "small container":
				t.Errorf("%s: %s wants %d conclusive acts, %d are offered", v.name, p, least, offered[p])
			}
		}
	}
	for i, n := range minimumTable {
		if n.plane != policy.Plane(i) || n.user == 0 || n.root == 0 || n.acts == "" {
			t.Errorf("minimum %d is of %s with %d and %d: %q", i, n.plane, n.user, n.root, n.acts)
		}
	}
}

// TestGrantsBeyondRoom: a grant that cannot be tried takes the plane with it.
func TestGrantsBeyondRoom(t *testing.T) {
	b := build(t, variant{"many grants", func(p *policy.Plan, _ *isolation.Targets) {
		for i := range child.MaxActs {
			p.Mounts = append(p.Mounts, policy.Mount{Kind: policy.MountBind, Access: policy.Read, Target: fmt.Sprintf("/srv/%d", i), Source: fmt.Sprintf("/srv/%d", i)})
		}
	}})
	if got := b.cat.minimum[policy.Filesystem]; got != child.NeverStands {
		t.Errorf("minimum of filesystem is %d, wanted NeverStands", got)
	}
	if r := Judge(b.cat, &b.plan, nil); r.Planes[policy.Filesystem].Reason != ProbeNotRun {
		t.Errorf("reason %q, wanted %q", r.Planes[policy.Filesystem].Reason, ProbeNotRun)
	}
}

// TestRequire: the child knows what it must have.
func TestRequire(t *testing.T) {
	b := ordinary(t)
	if want := policy.PlanesOf(policy.Filesystem, policy.Syscalls); policy.PlaneSet(b.program.Require) != want {
		t.Errorf("the child requires %s, wanted %s", policy.PlaneSet(b.program.Require), want)
	}
}

// TestNoDatagramToOneself: the socket that sends to the launcher's port inside has
// another port itself.
func TestNoDatagramToOneself(t *testing.T) {
	b := ordinary(t)
	i := slices.IndexFunc(b.cat.meanings, func(m meaning) bool { return m.name == "udp_send" })
	a := &b.program.Acts[i]
	port := func(op *child.Op) uint16 { return binary.BigEndian.Uint16(b.program.Arena[op.Args[1]+2:]) }
	var bound, sent uint16
	for k := a.Ops.First; k < a.Ops.Last; k++ {
		switch op := &b.program.ActOps[k]; int(op.Nr) {
		case syscall.SYS_BIND:
			bound = port(op)
		case syscall.SYS_CONNECT:
			sent = port(op)
		}
	}
	if sent == 0 || bound == 0 || bound == sent {
		t.Errorf("bound to port %d, sends to %d", bound, sent)
	}
}
