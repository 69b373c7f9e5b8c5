package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/integration/harness"
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
	if err == nil {
		err = adopt()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// marker is the file that the command makes: it is there if the command has run.
const marker = "ran"

// launch is one launch with a fault.
type launch struct {
	status int
	stderr string
	ran    bool
	left   []string // in the workspace
}

// start runs a command that makes the marker, with a fault ("" for none).
func start(t *testing.T, l harness.Lab, fault string) launch {
	t.Helper()
	cmd := l.Command(lab.sovrun, "run", "--", "/bin/sh", "-c", ": > "+marker)
	if fault != "" {
		cmd.Env = append(cmd.Env, "SOVRUN_FAULT="+fault)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	r := launch{status: harness.Status(cmd), stderr: stderr.String()}
	if stdout.Len() > 0 {
		t.Errorf("%s: standard output %q", fault, stdout.String())
	}
	entries, err := os.ReadDir(l.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		r.left = append(r.left, e.Name())
	}
	r.ran = len(r.left) == 1 && r.left[0] == marker
	if err := os.RemoveAll(filepath.Join(l.Workspace, marker)); err != nil {
		t.Fatal(err)
	}
	return r
}

// most is more steps than a launch has; reaching it means that faults do nothing.
const most = 3000

// every breaks the launch at one step after the other until the launch has no
// more of them, and looks each time at what is left behind.
func every(t *testing.T, c harness.Caller, fault func(n int) string, check func(t *testing.T, fault string, r *launch)) {
	l := lab.place.NewLab(t, c)
	before := traces(t)
	for n := 0; ; n++ {
		if n > most {
			t.Fatal("the launch never came to its end")
		}
		f := fault(n)
		r := start(t, l, f)
		if r.status == 0 && r.ran && n > 100 {
			break
		}
		check(t, f, &r)
		if len(r.left) > 0 && !r.ran {
			t.Errorf("%s: left %q in the workspace", f, r.left)
		}
		nothingLeft(t, f, before)
		if t.Failed() {
			return
		}
	}
	if r := start(t, l, ""); r.status != 0 || !r.ran {
		t.Errorf("the next launch: status %d, %s", r.status, r.stderr)
	}
}

var (
	// sentence is what a failed step is told by.
	sentence = regexp.MustCompile(`^sovrun: error: (setting up [a-z][a-z -]+ \(".+"\)|cannot execute ".+"): [^\n]{3,}\nsovrun: hint: [^\n]{3,}\n$`)
	// killed is the same for a process that vanished.
	killed = regexp.MustCompile(`^sovrun: error: the sandbox ended by signal (9|11) \([a-z ]+\) before it was set up and probed\nsovrun: hint: [^\n]{3,}\n$`)
)

// inner is what a message of a Go program holds that broke.
var inner = regexp.MustCompile(`goroutine|panic|%!|runtime error|\b0x[0-9a-f]{6,}`)

// clean: nothing in a message comes from the inside of the program.
func clean(t *testing.T, fault string, r *launch) {
	if word := inner.FindString(r.stderr); word != "" {
		t.Errorf("%s: %q in %q", fault, word, r.stderr)
	}
}

func TestStepFails(t *testing.T) {
	for _, c := range harness.Callers() {
		t.Run(string(c), func(t *testing.T) {
			errnos := []int{1, 12, 28} // EPERM, ENOMEM, ENOSPC
			every(t, c, func(n int) string { return fmt.Sprintf("fail=%d:%d", n, errnos[n%len(errnos)]) }, checkFailed)
		})
	}
}

func checkFailed(t *testing.T, fault string, r *launch) {
	clean(t, fault, r)
	status := 125
	if strings.Contains(r.stderr, "cannot execute") {
		status = 126
	}
	if r.status != status || r.ran || !sentence.MatchString(r.stderr) {
		t.Errorf("%s: status %d, command ran: %v, standard error:\n%s", fault, r.status, r.ran, r.stderr)
	}
}

func TestProcessKilled(t *testing.T) {
	for _, c := range harness.Callers() {
		t.Run(string(c), func(t *testing.T) {
			every(t, c, func(n int) string { return fmt.Sprintf("kill=%d", n) }, checkKilled)
		})
	}
}

// checkKilled: between the verdict and execve nobody can tell whether it was the
// command that was killed; then it counts as the command.
func checkKilled(t *testing.T, fault string, r *launch) {
	clean(t, fault, r)
	asCommand := r.status == 137 && r.stderr == ""
	if r.ran || !asCommand && (r.status != 125 || !killed.MatchString(r.stderr)) {
		t.Errorf("%s: status %d, command ran: %v, standard error:\n%s", fault, r.status, r.ran, r.stderr)
	}
}
