//go:build sovrunfault

package probes

import (
	"os"
	"slices"
	"testing"

	"github.com/sovrun/sovrun/policy"
)

// ablation is what the report must say when one mechanism is left out: the planes
// that fall, because an act of theirs is no longer refused, and the mechanism
// that no plane names any more. It is written by hand.
var ablation = []struct {
	off   string
	falls policy.PlaneSet
	gone  Mechanism
}{
	{"filter", syscalls | network | processes | ipc | terminal, SyscallFilter},
	{"terminal-rules", syscalls | terminal, Several},
	{"landlock", filesystem, Landlock},
	{"private-view", filesystem, MountNamespace},
	{"read-only-mounts", filesystem | privileges, ReadOnlyMounts},
	{"masks", processes, Masks},
	{"environment-list", environment, EnvironmentList},
	{"network-namespace", network, NetworkNamespace},
	{"pid-namespace", processes, PIDNamespace},
	{"ipc-namespace", ipc, IPCNamespace},
	// What file modes and a non-dumpable init refuse, capabilities override.
	{"capabilities", processes | privileges, Capabilities},
	{"bounding-set", privileges, BoundingSet},
	{"securebits", privileges, Securebits},
	{"namespace-limit", privileges, NamespaceLimit},
	{"non-dumpable", processes, NotDumpable},
	{"rlimits", resources, ResourceLimits},
	{"closed-descriptors", descriptors, ClosedDescriptors},
	// No plane rests on these alone.
	{"uts-namespace", 0, Several},
	{"cgroup-namespace", 0, Several},
}

// TestAblation leaves out one mechanism after the other. A plane that does not
// fall stays as it is, and none that was UNAVAILABLE becomes ENFORCED.
func TestAblation(t *testing.T) {
	pol := policy.Policy{Limits: []policy.Limit{{Resource: policy.OpenFiles, Value: 512}}}
	whole := launch(t, pol).report
	for i := range whole.Planes {
		if whole.Planes[i].State != Enforced {
			t.Fatalf("with every mechanism %s is %s (%s)", whole.Planes[i].Name, whole.Planes[i].State, whole.Planes[i].Evidence)
		}
	}
	for _, row := range ablation {
		t.Run(row.off, func(t *testing.T) {
			t.Setenv("SOVRUN_FAULT", "off="+row.off)
			r := launch(t, pol).report
			for i := range r.Planes {
				p := &r.Planes[i]
				if fell := p.State != Enforced; fell != row.falls.Has(p.Name) {
					t.Errorf("%s is %s (%s: %s)", p.Name, p.State, p.Reason, p.Evidence)
				}
				if row.gone != Several && slices.Contains(p.Mechanisms, row.gone.named(7)) {
					t.Errorf("%s names %s, which is off", p.Name, row.gone)
				}
			}
		})
	}
}

// TestAblationNamesEveryMechanism: a mechanism without a row could be named by a
// report though it does nothing. Without no_new_privs neither Landlock nor the
// filter can be had, see below.
func TestAblationNamesEveryMechanism(t *testing.T) {
	var named [numMechanisms]bool
	for _, row := range ablation {
		named[row.gone] = true
	}
	for m := MountNamespace; m < numMechanisms; m++ {
		if !named[m] && m != NoNewPrivs {
			t.Errorf("no row leaves out %s", m)
		}
	}
}

// TestNoSandboxWithout: what cannot be left out.
func TestNoSandboxWithout(t *testing.T) {
	for _, off := range []string{"mount-namespace", "no-new-privs"} {
		t.Run(off, func(t *testing.T) {
			t.Setenv("SOVRUN_FAULT", "off="+off)
			if l, err := probe(t, policy.Policy{}); err == nil {
				t.Error("the launch went on\n" + l.report.Text(TextOptions{}))
			}
		})
	}
}

// TestUserNamespace: a user cannot do without one, root can, and then the limit
// that went with it is gone.
func TestUserNamespace(t *testing.T) {
	t.Setenv("SOVRUN_FAULT", "off=user-namespace")
	l, err := probe(t, policy.Policy{})
	if os.Getuid() != 0 {
		if err == nil {
			t.Error("the launch went on")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.report.Planes {
		p := &l.report.Planes[i]
		if fell := p.State != Enforced; fell != (privileges | resources).Has(p.Name) {
			t.Errorf("%s is %s (%s: %s)", p.Name, p.State, p.Reason, p.Evidence)
		}
	}
}
