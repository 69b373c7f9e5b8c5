package faults

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/sovrun/sovrun/integration/harness"
)

// actOps is more than the acts of this launch have ops; those beyond do nothing.
const actOps = 320

// unproven is what a launch says whose acts showed too little.
var unproven = regexp.MustCompile(`^sovrun: error: (required plane [a-z]+ is not enforced: [^\n]+|the sandbox ended by signal 9 \(killed\) before it was set up and probed)\nsovrun: hint: [^\n]{3,}\n$`)

// TestActBroken breaks the proof and not the set-up: an act fails with an errno
// that is nobody's refusal, or the process that tries it is killed. Either enough
// is still proven, or the command does not run.
func TestActBroken(t *testing.T) {
	for _, c := range harness.Callers() {
		t.Run(string(c), func(t *testing.T) {
			breakActs(t, c, "failact=%d:121") // EREMOTEIO
			if refused := breakActs(t, c, "killact=%d"); refused == 0 {
				t.Error("none of the acts mattered when it was killed")
			}
		})
	}
}

// breakActs breaks one op after the other and counts the launches that refused.
func breakActs(t *testing.T, c harness.Caller, fault string) (refused int) {
	l := lab.place.NewLab(t, c)
	before := traces(t)
	for n := 0; n < actOps && !t.Failed(); n++ {
		f := fmt.Sprintf(fault, n)
		r := start(t, l, f)
		clean(t, f, &r)
		switch {
		case r.status == 0 && r.ran && r.stderr == "":
		case r.status == 125 && !r.ran && unproven.MatchString(r.stderr):
			refused++
		default:
			t.Errorf("%s: status %d, command ran: %v, standard error:\n%s", f, r.status, r.ran, r.stderr)
		}
		nothingLeft(t, f, before)
	}
	return refused
}
