package policy

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGoldenPlans: the whole plan of a synthetic host, for a user and for root
// in a workspace of root's own, as text and as JSON.
func TestGoldenPlans(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		f    Facts
	}{
		{"user", nil, ada("cc", "-o", "x y", "x.c")},
		{"user-rules", []string{"--read", "~", "--hide", "vault", "--exec", "/opt/tool", "--network", "host", "--limit", "processes=512", "--pass", "SECRET_TOKEN", "--read", "/srv", "--hide", "/srv/data", "--write", "/srv/data/sub"}, ada("agent")},
		{"root", nil, root("git", "status")},
	} {
		c.f.ProcMasks = []ProcPath{{Path: "/proc/kcore"}, {Path: "/proc/sys", Dir: true, ReadOnly: true}}
		c.f.Hostname = "box"
		plan := resolve(t, debian(), parse(t, c.args...), c.f)
		data, err := json.MarshalIndent(plan, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "plan-"+c.name+".txt", plan.Text())
		golden(t, "plan-"+c.name+".json", string(data)+"\n")
		if strings.Contains(string(data), ": null") {
			t.Errorf("%s: null in %s", c.name, data)
		}
		for _, form := range []string{plan.Text(), string(data)} {
			if strings.Contains(form, "canary") {
				t.Errorf("%s: a value of the environment is printed", c.name)
			}
			if !strings.Contains(form, "SECRET_TOKEN") {
				t.Errorf("%s: the name of a variable is missing", c.name)
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at the difference and run the test with -update:\n%s", name, got)
	}
}

// TestTextIsSafe: no name of a file acts on the terminal.
func TestTextIsSafe(t *testing.T) {
	h := debian()
	h.put(map[string]hostNode{"/srv/\x1b]0;x\x07\n/f": fileNode(), "/home/ada/p\x1b[2J": own(dirNode(), 1000)})
	f := ada("git", "\x1b[31m", "a\nb")
	f.Caller.Cwd = "/home/ada/p\x1b[2J"
	f.Caller.Env = append(f.Caller.Env, "A\x1b[1mB=x")
	plan := resolve(t, h, parse(t, "--read", "/srv/\x1b]0;x\x07\n"), f)
	for i, r := range plan.Text() {
		if r < ' ' && r != '\n' || r == 0x7f {
			t.Fatalf("control character %q at %d of %q", r, i, plan.Text())
		}
	}
	if strings.Contains(plan.Text(), "a\nb") {
		t.Error("an argument breaks the line")
	}
}

// TestErrorsAreSafe: likewise for refusals.
func TestErrorsAreSafe(t *testing.T) {
	p := parse(t, "--read", "/no\x1b[2Jwhere")
	_, err := Resolve(p, debian().facts(p, ada("git")))
	if err == nil || strings.ContainsRune(err.Error(), 0x1b) {
		t.Errorf("%q", err)
	}
}

// TestEnumsHaveNames: JSON never shows a number for a word.
func TestEnumsHaveNames(t *testing.T) {
	all := []interface{ String() string }{}
	for a := Hide; a <= Write; a++ {
		all = append(all, a)
	}
	for k := MountBind; k <= MountDev; k++ {
		all = append(all, k)
	}
	for c := StreamClosed; c <= StreamRefused; c++ {
		all = append(all, c)
	}
	all = append(all, NetworkNone, NetworkHost, MaxProcesses, OpenFiles, FileSize, Filesystem, Descriptors)
	for _, e := range all {
		data, err := json.Marshal(e)
		if err != nil || string(data) != `"`+e.String()+`"` || e.String() == "" {
			t.Errorf("%T %v: %s, %v", e, e, data, err)
		}
	}
	data, err := json.Marshal(PlanesOf(Network, Filesystem))
	if err != nil || string(data) != `["filesystem","network"]` {
		t.Errorf("%s, %v", data, err)
	}
	if data, _ := json.Marshal(PlaneSet(0)); string(data) != "[]" {
		t.Errorf("%s", data)
	}
}
