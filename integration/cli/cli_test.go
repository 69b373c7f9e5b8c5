package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sovrun/sovrun/integration/harness"
)

// lab is what the tests share: a place, and sovrun in it.
var lab struct {
	place  harness.Place
	sovrun string
}

// TestMain installs the programs that the scripts run beside sovrun.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"stream": streamMain, "attempt": attemptMain})
}

// tests builds sovrun and runs the tests.
type tests struct{ m *testing.M }

// Run gives the exit status.
func (x tests) Run() int {
	place, err := harness.NewPlace()
	if err == nil {
		defer place.Remove()
		lab.place = place
		if lab.sovrun = os.Getenv(builtVar); lab.sovrun == "" {
			lab.sovrun, err = place.Build("cmd/sovrun", "")
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return x.m.Run()
}

// Variables by which the tests as root tell those that they start as a user what
// is there already.
const (
	builtVar   = "SOVRUN_TEST_CLI_BUILT"
	scriptsVar = "SOVRUN_TEST_CLI_SCRIPTS"
)

// TestScripts runs the scripts as whoever runs the tests.
func TestScripts(t *testing.T) { runScripts(t, ".") }

// TestCases runs those of what users run into; see docs/cases.md.
func TestCases(t *testing.T) { runScripts(t, "cases") }

func runScripts(t *testing.T, dir string) {
	scripts := "testdata"
	if dir := os.Getenv(scriptsVar); dir != "" {
		scripts = dir
	}
	bin := filepath.Dir(lab.sovrun)
	work, err := os.MkdirTemp(lab.place.Dir, "scripts-")
	if err == nil {
		err = os.Chmod(work, 0o755) // root's command may be another user
	}
	if err != nil {
		t.Fatal(err)
	}
	attempt, err := exec.LookPath("attempt")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(scripts, dir), WorkdirRoot: work, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error { return setup(env, bin, filepath.Dir(attempt)) },
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"status": statusCommand},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "loop":
				_, err := os.Stat("/dev/loop0")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// setup gives a script a home and a workspace, where it starts.
func setup(env *testscript.Env, bin, helpers string) error {
	home, ws := filepath.Join(env.WorkDir, "home"), filepath.Join(env.WorkDir, "ws")
	for _, d := range []string{home, ws} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	env.Cd = ws
	env.Setenv("HOME", home)
	env.Setenv("WS", ws)
	env.Setenv("HELPERS", helpers)
	env.Setenv("PATH", strings.Join([]string{bin, helpers, "/usr/local/bin", "/usr/bin", "/bin"}, ":"))
	env.Setenv("LANG", "C.UTF-8")
	return nil
}

// TestScriptsAsUser runs the scripts as an ordinary user when root runs the tests.
func TestScriptsAsUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("TestScripts runs as an ordinary user already")
	}
	l := lab.place.NewLab(t, harness.User)
	scripts := filepath.Join(filepath.Dir(l.Home), "scripts")
	copyTree(t, "testdata", scripts)
	self := filepath.Join(lab.place.Dir, "cli.test")
	copyFile(t, "/proc/self/exe", self)
	cmd := l.Within(15*time.Minute, self, "-test.run=^(TestScripts|TestCases)$", "-test.v")
	tmp := l.Mkdir("tmp")
	cmd.Env = append(cmd.Env, "TMPDIR="+tmp, "TERM=dumb", builtVar+"="+lab.sovrun, scriptsVar+"="+scripts)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestScripts/") || !strings.Contains(string(out), "--- PASS: TestCases/") {
		t.Errorf("%v\n%s", err, out)
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// statusCommand is "status N PROGRAM ARGUMENT...": it runs a program and compares
// its exit status. What sovrun says meanwhile must be fit for people.
func statusCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program [argument...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if x, ok := err.(*exec.ExitError); ok {
		got = fmt.Sprint(x.ExitCode())
		if ws, ok := x.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			got = "signal " + ws.Signal().String()
		}
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("status %s, wanted %s\n%s", got, args[0], ts.ReadFile("stderr"))
	}
	for _, fault := range faults(ts.ReadFile("stderr")) {
		ts.Fatalf("%s in what sovrun says:\n%s", fault, ts.ReadFile("stderr"))
	}
}
