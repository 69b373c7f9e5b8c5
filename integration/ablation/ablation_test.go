package ablation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/integration/harness"
	"github.com/sovrun/sovrun/policy"
)

// lab is what TestMain makes.
var lab struct {
	place  harness.Place
	sovrun string
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	place, err := harness.NewPlace()
	if err == nil {
		defer place.Remove()
		lab.place = place
		lab.sovrun, err = place.Build("cmd/sovrun", "sovrunfault")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// report is what a test needs of docs/schema/report.v1.json.
type report struct {
	Planes []struct {
		Name, State, Reason, Evidence, Remedy string
		Mechanisms                            []string
		Acts                                  []struct{ Name, Object, Outcome, Result string }
	}
}

// explained is one sovrun explain.
type explained struct {
	report report
	status int
	stderr string
}

// explain reports with one switch off ("" for none) and one path hidden.
func explain(t *testing.T, c harness.Caller, off string, flags ...string) explained {
	t.Helper()
	l := lab.place.NewLab(t, c)
	args := append([]string{"explain", "--json", "--limit", "processes=4096", "--hide", l.Mkdir("hidden")}, flags...)
	cmd := l.Command(lab.sovrun, args...)
	if off != "" {
		cmd.Env = append(cmd.Env, "SOVRUN_FAULT=off="+off)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	e := explained{status: harness.Status(cmd), stderr: stderr.String()}
	if err := json.Unmarshal(stdout.Bytes(), &e.report); err != nil {
		t.Fatalf("no report (%v), status %d: %s%s", err, e.status, stdout.String(), stderr.String())
	}
	if len(e.report.Planes) != policy.NumPlanes {
		t.Fatalf("%d planes, wanted %d", len(e.report.Planes), policy.NumPlanes)
	}
	return e
}

// plane is what a plane of the report says, without Landlock's ABI.
func (e *explained) plane(i int) named {
	p := e.report.Planes[i]
	n := named{enforced: p.State == "ENFORCED"}
	for _, m := range p.Mechanisms {
		m, _, _ = strings.Cut(m, " (")
		n.mechanisms = append(n.mechanisms, m)
	}
	return n
}

// same compares without regard to order.
func same(want, got named) bool {
	names := slices.DeleteFunc(slices.Clone(got.mechanisms), func(m string) bool { return slices.Contains(want.either, m) })
	slices.Sort(want.mechanisms)
	slices.Sort(names)
	return want.enforced == got.enforced && slices.Equal(want.mechanisms, names)
}

func (n named) String() string {
	state := "UNAVAILABLE"
	if n.enforced {
		state = "ENFORCED"
	}
	return fmt.Sprintf("%s by %s", state, strings.Join(n.mechanisms, ", "))
}

// inconclusive lists the acts of a plane that decide nothing or the wrong thing.
func (e *explained) bad(i int) string {
	p, out := e.report.Planes[i], ""
	for _, a := range p.Acts {
		if a.Outcome != "refused" && a.Outcome != "worked" {
			out += fmt.Sprintf("\n  %s %s: %s, %s", a.Name, a.Object, a.Outcome, a.Result)
		}
	}
	return fmt.Sprintf("%s %s%s", p.Reason, p.Evidence, out)
}

func TestBaseline(t *testing.T) {
	tab := readTable(t)
	for _, c := range harness.Callers() {
		t.Run(string(c), func(t *testing.T) {
			e := explain(t, c, "")
			for p := range policy.Plane(policy.NumPlanes) {
				want, got := tab.before(c, p.String()), e.plane(int(p))
				if !want.enforced && !got.enforced {
					continue
				}
				if !same(want, got) {
					t.Errorf("%s: %v, wanted %v\n%s", p, got, want, e.bad(int(p)))
				}
			}
		})
	}
}

func TestAblation(t *testing.T) {
	tab := readTable(t)
	for _, c := range harness.Callers() {
		for _, off := range tab.offs() {
			r, ok := tab.row(off, c)
			if !ok {
				t.Errorf("no row of %q for %s", off, c)
				continue
			}
			t.Run(c.Name(off), func(t *testing.T) { checkRow(t, &tab, &r, c) })
		}
	}
}

func checkRow(t *testing.T, tab *table, r *row, c harness.Caller) {
	e := explain(t, c, r.off)
	for p := range policy.Plane(policy.NumPlanes) {
		before, got := tab.before(c, p.String()), e.plane(int(p))
		if !before.enforced {
			if got.enforced {
				t.Errorf("%s: ENFORCED without %s, and not with it", p, r.off)
			}
			continue
		}
		want, err := r.after(int(p), p.String(), before)
		if err != nil {
			t.Fatal(err)
		}
		if !same(want, got) {
			t.Errorf("%s: %v, wanted %v\n%s", p, got, want, e.bad(int(p)))
		}
	}
	checkNames(t, r, &e)
	if r.cells[0] == "X" {
		checkFailed(t, &e)
	}
}

// checkNames: what is off is named nowhere.
func checkNames(t *testing.T, r *row, e *explained) {
	for i := range e.report.Planes {
		if slices.Contains(e.plane(i).mechanisms, r.mechanism) && !r.partly {
			t.Errorf("%s names %q, which is off", e.report.Planes[i].Name, r.mechanism)
		}
	}
}

// checkFailed: nothing was set up, and everything says so.
func checkFailed(t *testing.T, e *explained) {
	if e.status != 125 || !strings.Contains(e.stderr, "sovrun: error: ") {
		t.Errorf("status %d, wanted 125 and a sentence; standard error: %s", e.status, e.stderr)
	}
	for _, p := range e.report.Planes {
		if p.Reason != "mechanism_failed" && p.Reason != "host_forbids" && p.Reason != "not_applicable" || p.Evidence == "" || p.Remedy == "" {
			t.Errorf("%s: reason %q, evidence %q, remedy %q", p.Name, p.Reason, p.Evidence, p.Remedy)
		}
	}
}

// TestNothingRises: a plane that was not asked for stays out whatever is off.
func TestNothingRises(t *testing.T) {
	tab := readTable(t)
	for _, c := range harness.Callers() {
		for _, off := range tab.offs() {
			t.Run(c.Name(off), func(t *testing.T) {
				e := explain(t, c, off, "--network", "host")
				if p := e.report.Planes[policy.Network]; p.State != "UNAVAILABLE" {
					t.Errorf("network is %s without %s, and was not asked for", p.State, off)
				}
			})
		}
	}
}
