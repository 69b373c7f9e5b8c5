package probes

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sovrun/sovrun/isolation"
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// sample is a report with planes that stand, one that fell and two that were
// not asked for.
func sample(t *testing.T) Report {
	t.Helper()
	b := build(t, variant{"sample", func(p *policy.Plan, tg *isolation.Targets) {
		variants()[5].change(p, tg)
		p.Limits = nil
		p.Streams = [3]policy.Stream{{Class: policy.StreamPipe}, {Class: policy.StreamTerminal}, {Class: policy.StreamFile}}
	}})
	v := perfect(b.cat)
	for i := range b.cat.acts {
		if b.cat.meanings[i].name == "canary_read" {
			v.Observations[i].Errno = 0
		}
	}
	v.Standing &^= uint16(filesystem)
	return Judge(b.cat, &b.plan, v)
}

func TestText(t *testing.T) {
	r := sample(t)
	golden(t, "report.txt", r.Text(TextOptions{}))
	golden(t, "report-acts.txt", withoutForeign(r.Text(TextOptions{Acts: true})))
}

// withoutForeign leaves out what exists on one architecture only, and the number
// of acts, which then differs.
func withoutForeign(s string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool {
		return strings.HasPrefix(l, "syscalls ") || slices.ContainsFunc(foreignActs, func(a string) bool { return strings.Contains(l, a) })
	}), "\n")
}

func TestColourMarksOnlyStates(t *testing.T) {
	r := sample(t)
	plain, coloured := r.Text(TextOptions{}), r.Text(TextOptions{Color: true})
	if strings.Contains(plain, "\x1b") {
		t.Error("escape sequences without colour")
	}
	bare := strings.NewReplacer(green, "", yellow, "", reset, "").Replace(coloured)
	if bare != plain || coloured == plain {
		t.Error("colour changes more than the marks")
	}
}

func TestNamesCannotEscapeTheTerminal(t *testing.T) {
	b := build(t, variant{"hostile", func(p *policy.Plan, _ *isolation.Targets) {
		p.Mounts = append(p.Mounts, policy.Mount{Kind: policy.MountBind, Access: policy.Read, Target: "/srv/\x1b]0;x\a\n", Source: "/srv/\x1b\xff"})
	}})
	r := Judge(b.cat, &b.plan, nil)
	text := r.Text(TextOptions{Acts: true})
	if i := strings.IndexFunc(text, func(c rune) bool { return c < ' ' && c != '\n' || c == 0x7f }); i >= 0 {
		t.Errorf("control character in %q", text[max(0, i-40):i+1])
	}
	if !strings.Contains(text, `\x1b]0;x\a\n`) {
		t.Error("the hostile name is not shown")
	}
	var any map[string]any
	if err := json.Unmarshal(r.AppendJSON(nil), &any); err != nil {
		t.Error(err)
	}
}

// published is the schema that reports are published with.
const published = "../docs/schema/report.v1.json"

// valid holds a document against the published schema.
func valid(t *testing.T, text []byte) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(published)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return schema.Validate(doc)
}

func TestJSONFitsTheSchema(t *testing.T) {
	b := ordinary(t)
	for name, r := range map[string]Report{
		"sample": sample(t), "perfect": Judge(b.cat, &b.plan, perfect(b.cat)), "no verdict": Judge(b.cat, &b.plan, nil),
		"empty": Unprobed(&Catalogue{}, &b.plan, HostForbids, "evidence", "remedy"),
	} {
		if err := valid(t, r.AppendJSON(nil)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaRefuses is the control of the validation.
func TestSchemaRefuses(t *testing.T) {
	good := string(func() []byte { r := sample(t); return r.AppendJSON(nil) }())
	for _, c := range [][2]string{
		{`"state":"ENFORCED"`, `"state":"DEGRADED"`}, {`"schema":"sovrun/report/v1"`, `"schema":"sovrun/report/v2"`},
		{`"tier":"full",`, ``}, {`"outcome":"through"`, `"outcome":"ok"`}, {`"must_work":false`, `"must_work":"no"`},
		{`"reason":"not_requested"`, `"reason":"because"`}, {`"reason":"not_requested",`, ``},
		{`"name":"filesystem"`, `"name":"syscalls"`}, {`"tier":"full"`, `"tier":"half"`}, {`"facts":[]`, `"facts":[1]`}, {`"missing":`, `"absent":`},
	} {
		bad := strings.Replace(good, c[0], c[1], 1)
		if bad == good || valid(t, []byte(bad)) == nil {
			t.Errorf("%s in place of %s is valid", c[1], c[0])
		}
	}
}

// TestSchemaListsAreTheCode holds the schema's enumerations against the code's.
func TestSchemaListsAreTheCode(t *testing.T) {
	var s struct {
		Defs struct {
			Plane   struct{ Enum []string }
			Reason  struct{ Enum []string }
			Outcome struct{ Enum []string }
		} `json:"$defs"`
	}
	text, _ := os.ReadFile(published)
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	var planes, reasons []string
	for p := range policy.Plane(policy.NumPlanes) {
		planes = append(planes, p.String())
	}
	for _, r := range remedies {
		reasons = append(reasons, string(r.reason))
		if r.text == "" {
			t.Errorf("reason %s has no remedy", r.reason)
		}
	}
	for name, l := range map[string][2][]string{
		"planes": {s.Defs.Plane.Enum, planes}, "reasons": {s.Defs.Reason.Enum, reasons}, "outcomes": {s.Defs.Outcome.Enum, outcomeNames[:]},
	} {
		if !slices.Equal(l[0], l[1]) {
			t.Errorf("%s: the schema has %q, the code %q", name, l[0], l[1])
		}
	}
}

func TestErrnoNames(t *testing.T) {
	for e, want := range map[int16]string{0: "", 1: "EPERM", 38: "ENOSYS", 97: "EAFNOSUPPORT", 126: "ENOKEY", 133: "errno 133", -1: "errno -1"} {
		if got := ErrnoName(e); got != want {
			t.Errorf("ErrnoName(%d) = %q, wanted %q", e, got, want)
		}
	}
	b := ordinary(t)
	for i := range b.cat.acts {
		for _, e := range append(b.cat.acts[i].Refused[:], b.cat.acts[i].Allowed[:]...) {
			if strings.HasPrefix(ErrnoName(e), "errno") {
				t.Errorf("%s has no name", ErrnoName(e))
			}
		}
	}
}

func TestOutcomeNames(t *testing.T) {
	if got := outcomeNames[child.Broken]; len(outcomeNames) != 5 || got != "broken" {
		t.Errorf("%d outcomes, the last %q", len(outcomeNames), got)
	}
}

// TestCallersSessionIsTold: what is shared with the caller where that has a terminal.
func TestCallersSessionIsTold(t *testing.T) {
	for _, c := range []struct {
		own  bool
		abi  int
		told map[policy.Plane]bool
	}{
		{true, 1, nil},
		{false, 6, map[policy.Plane]bool{policy.Terminal: true, policy.Processes: true}},
		{false, 5, map[policy.Plane]bool{policy.Terminal: true, policy.Processes: true}},
	} {
		plan := syntheticPlan()
		plan.OwnSession = c.own
		for p := range policy.Plane(policy.NumPlanes) {
			told := strings.Join(notCovered(&PlaneReport{Name: p, State: Enforced}, &policy.Facts{Landlock: c.abi}, &plan), "\n")
			if got := strings.Contains(told, "/dev/tty opens it") || strings.Contains(told, "kill(2) of 0"); got != c.told[p] {
				t.Errorf("own session %v, ABI %d: %s tells of the caller's %v, wanted %v", c.own, c.abi, p, got, c.told[p])
			}
		}
	}
}

// TestCoveredByCircumstance: what is told only where it is so.
func TestCoveredByCircumstance(t *testing.T) {
	for _, c := range []struct {
		part  string
		plane policy.Plane
		make  func(*policy.Plan, *policy.Facts)
	}{
		{"whoever on the host can execute one is root", policy.Privileges, func(p *policy.Plan, _ *policy.Facts) { p.Identity.KeepsRoot = true }},
		{"core dumps", policy.Processes, func(_ *policy.Plan, f *policy.Facts) { f.CorePiped = true }},
	} {
		told := func(plan *policy.Plan, facts *policy.Facts) bool {
			return strings.Contains(strings.Join(notCovered(&PlaneReport{Name: c.plane, State: Enforced}, facts, plan), "\n"), c.part)
		}
		plan, facts := syntheticPlan(), policy.Facts{}
		if told(&plan, &facts) {
			t.Errorf("%q is told of an ordinary launch", c.part)
		}
		if c.make(&plan, &facts); !told(&plan, &facts) {
			t.Errorf("%q is not told where it is so", c.part)
		}
	}
}
