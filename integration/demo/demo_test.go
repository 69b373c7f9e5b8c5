package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/integration/tools/lab"
)

// asDemo makes the test binary the demo.
const asDemo = "SOVRUN_DEMO_MAIN"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "act" || os.Args[1] == "victim" || os.Args[1] == "work") || os.Getenv(asDemo) != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(lab.Main(m))
}

// demo runs it with a temporary directory of its own, which must be empty afterwards.
func demo(t *testing.T, sovrun string, env ...string) (output string, code int) {
	t.Helper()
	// A directory that the user behind sudo can enter.
	b, home := lab.New(t, lab.Callers()[0]), t.TempDir()
	if err := noTelemetry(home); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-sovrun", sovrun)
	c.Dir = reachable(t)
	c.Env = append([]string{asDemo + "=1", "TMPDIR=" + b.Workspace, "HOME=" + home, "GOCACHE=" + goCache(t),
		"PATH=" + os.Getenv("PATH"), "TERM=xterm", "GOFLAGS=-buildvcs=false"}, env...)
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(b.Workspace)
	if err != nil || len(left) > 0 {
		t.Errorf("wanted nothing left behind, got %v, %v", left, err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// reachable is a clone of this repository where everybody gets to: the repository
// itself may lie in root's home.
func reachable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "sovrun-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(dir, "sovrun")
	if out, err := exec.Command("git", "clone", "-q", "--no-hardlinks", "../..", clone).CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	return clone
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestDemo(t *testing.T) {
	who := map[string][]string{"the caller": nil}
	if os.Getuid() == 0 {
		who["a user behind sudo"] = []string{"SUDO_UID=54321", "SUDO_GID=54321"}
	}
	for name, env := range who {
		t.Run(name, func(t *testing.T) {
			out, code := demo(t, os.Getenv("SOVRUN_BIN"), env...)
			rows := regexp.MustCompile(`(?m)^ ?\d+  .* success +E[A-Z]+ +\d+\.\d\d s$`).FindAllString(out, -1)
			if code != 0 || len(rows) != wanted || !strings.Contains(out, "All as it should be") {
				t.Errorf("wanted status 0 and %d rows of escapes, got %d and %d\n%s", wanted, code, len(rows), out)
			}
			if strings.Contains(out, "\x1b") {
				t.Errorf("wanted no colour in a pipe, got\n%q", out)
			}
		})
	}
}

// unconfined plays a sovrun that reports well and confines nothing.
const unconfined = `#!/bin/sh
[ "$1" = run ] || exit 0
while [ "$1" != -- ]; do
	case $1 in --set) export "$2" ;; esac
	shift
done
shift
exec "$@"
`

func TestSurprisesFailTheDemo(t *testing.T) {
	cases := []struct{ name, sovrun, want string }{
		{"nothing is confined", unconfined, "demo: surprises: 10"},
		{"a plane is missing", "#!/bin/sh\nexit 125\n", "demo: sovrun explain: exit status 125"},
		{"the work fails", "#!/bin/sh\n[ $1 = explain ]\n", "demo: the work in the sandbox: exit status 1"},
		{"the work is not done", "#!/bin/sh\nexit 0\n", "demo: the work in the sandbox printed no commit"},
		{"escapes are not even tried", strings.Replace(unconfined, "exec", `[ "$2" = work ] || exit 125; exec`, 1), "demo: surprises: 10"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sovrun")
			if err := os.WriteFile(path, []byte(c.sovrun), 0o755); err != nil {
				t.Fatal(err)
			}
			if out, code := demo(t, path); code != 1 || !strings.Contains(out, c.want) {
				t.Errorf("wanted status 1 and %q, got %d\n%s", c.want, code, out)
			}
		})
	}
}

// Every row of the table holds on this host, also those that only stand in, and a control that fails is a surprise.
func TestTry(t *testing.T) {
	t.Setenv("TMPDIR", lab.New(t, lab.Callers()[0]).Workspace)
	p, err := newPlace(context.Background(), os.Getenv("SOVRUN_BIN"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.remove()
	aim, err := newTargets(p)
	if err != nil {
		t.Fatal(err)
	}
	defer aim.close()
	for i, e := range table() {
		if e.impossible != nil && e.impossible(p.uid) != "" {
			continue
		}
		for _, wrong := range p.try(i+1, e, aim) {
			t.Error(wrong)
		}
	}
	missing := escape{what: "nothing", act: "read", refused: "ENOENT", target: func(p *place, _ *targets) string { return p.dir + "/missing" }}
	if wrong := p.try(0, missing, aim); len(wrong) != 1 || !strings.Contains(wrong[0], "wanted success outside, got ENOENT") {
		t.Errorf("wanted the control's failure, got %q", wrong)
	}
}

func TestSetTo(t *testing.T) {
	const user = 1000
	cases := []struct {
		value string
		uid   int
		want  bool
	}{
		{"0\n", user, true}, {"1\n", user, false}, {"2\n", user, false},
		{"0\n", 0, true}, {"1\n", 0, true}, {"2\n", 0, false},
	}
	path := filepath.Join(t.TempDir(), "setting")
	if got := setTo(path, "0", "1", user); got != "" {
		t.Errorf("a setting that the kernel does not have: wanted it to allow, got %q", got)
	}
	for _, c := range cases {
		if err := os.WriteFile(path, []byte(c.value), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := setTo(path, "0", "1", c.uid); (got == "") != c.want {
			t.Errorf("%q for uid %d: wanted %v, got %q", c.value, c.uid, c.want, got)
		}
	}
}

func TestChosen(t *testing.T) {
	all := make([]escape, wanted+2)
	for i := range all {
		all[i].act = string(rune('a' + i))
	}
	refused := func(int) string { return "setting is 2" }
	all[3].what, all[3].impossible = "fourth", refused
	rows, left, err := chosen(all, 0)
	if err != nil || len(rows) != wanted || rows[3].act != "e" || len(left) != 1 || left[0] != "fourth: setting is 2" {
		t.Errorf("wanted the row after the tenth to stand in, got %v, %q, %v", rows, left, err)
	}
	all[4].impossible, all[5].impossible = refused, refused
	if _, _, err := chosen(all, 0); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("wanted too few rows to be refused, got %v", err)
	}
}
