package ablation

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/integration/harness"
	"github.com/sovrun/sovrun/policy"
)

// required are the planes without which nothing runs unless the caller says so.
var required = policy.PlanesOf(policy.Filesystem, policy.Syscalls, policy.Environment, policy.Privileges, policy.Descriptors)

// TestMissingPlane: with a mechanism left out the command runs if and only if no
// required plane falls; with those taken out of what is required it runs, unless
// nothing can be set up at all.
func TestMissingPlane(t *testing.T) {
	tab := readTable(t)
	for _, c := range harness.Callers() {
		for _, off := range tab.offs() {
			r, ok := tab.row(off, c)
			if !ok {
				continue // TestAblation tells
			}
			t.Run(c.Name(off), func(t *testing.T) {
				fallen := fallen(t, &tab, &r, c)
				checkRun(t, c, off, fallen, len(fallen) == 0)
				if len(fallen) == 0 {
					return
				}
				var allow []string
				for _, p := range fallen {
					allow = append(allow, "--allow-degraded", p)
				}
				checkRun(t, c, off, fallen, r.cells[0] != "X", allow...)
			})
		}
	}
}

// fallen are the required planes that a row of the table says fall.
func fallen(t *testing.T, tab *table, r *row, c harness.Caller) []string {
	var out []string
	for _, p := range required.List() {
		after, err := r.after(int(p), p.String(), tab.before(c, p.String()))
		if err != nil {
			t.Fatal(err)
		}
		if !after.enforced {
			out = append(out, p.String())
		}
	}
	return out
}

// checkRun starts a command that makes a file, with one switch off.
func checkRun(t *testing.T, c harness.Caller, off string, fallen []string, runs bool, flags ...string) {
	l := lab.place.NewLab(t, c)
	args := append([]string{"run", "--hide", l.Mkdir("hidden")}, flags...)
	cmd := l.Command(lab.sovrun, append(args, "--", "/bin/sh", "-c", ": > ran")...)
	cmd.Env = append(cmd.Env, "SOVRUN_FAULT=off="+off)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run()
	_, err := os.Stat(filepath.Join(l.Workspace, "ran"))
	ran, status := err == nil, harness.Status(cmd)
	if ran != runs || runs && status != 0 || !runs && status != 125 {
		t.Errorf("%q: status %d, the command ran: %v, wanted %v: %s", flags, status, ran, runs, stderr.String())
	}
	if runs || strings.Contains(stderr.String(), "error: setting up ") {
		return
	}
	for _, p := range fallen {
		if !strings.Contains(stderr.String(), "required plane "+p+" is not enforced: ") {
			t.Errorf("%s is not named: %s", p, stderr.String())
		}
	}
	if !strings.Contains(stderr.String(), "\nsovrun: hint: ") {
		t.Errorf("there is no remedy: %s", stderr.String())
	}
}
