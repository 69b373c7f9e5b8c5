package probes

import (
	"errors"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/sovrun/sovrun/isolation"
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// launched is one probed launch that executed nothing.
type launched struct {
	plan    policy.Plan
	cat     *Catalogue
	verdict *child.Verdict
	report  Report
}

// launch sets a sandbox up for a policy, in a workspace of its own, and probes it.
func launch(t *testing.T, pol policy.Policy) launched {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if pol.Workspace == "" {
		pol.Workspace = workspace(t)
	}
	l, err := isolation.Begin(policy.NamespacesOf(pol))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	host := isolation.Detect(pol, isolation.CallerFacts([]string{"/bin/true"}))
	plan, err := policy.Resolve(pol, host.Facts)
	if err == nil {
		err = l.Prepare(&plan, &host)
	}
	if err != nil {
		l.Abandon()
		t.Fatal(err)
	}
	cat := Acts(l.Builder(), &plan, &l.Targets)
	cat.Facts = &host.Facts
	if err := l.Start(cat.EnvVector); err != nil {
		t.Fatal(err)
	}
	v := verdictOf(t, l)
	if _, err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	return launched{plan, cat, v, Judge(cat, &plan, v)}
}

// workspace is a directory that lies neither in /tmp, which the sandbox has its
// own of, nor in the home.
func workspace(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "sovrun-probes-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func verdictOf(t *testing.T, l *isolation.Launch) (v *child.Verdict) {
	t.Helper()
	for {
		m, err := l.Next()
		if errors.Is(err, io.EOF) {
			return v
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.Failure != nil {
			t.Fatalf("op %d: %v", m.Failure.Index, isolation.Explain(l.Program(), m.Failure))
		}
		if m.Verdict != nil {
			v = m.Verdict
		}
	}
}

// inconclusive are the acts that show nothing on kernels where the plane stands
// all the same, each with the reason. Any other is a failure.
var inconclusive = map[string]string{
	"family family 46":                  "no kernel has that family: EAFNOSUPPORT outside too",
	"call x32_getpid":                   "CONFIG_X86_X32_ABI is off nearly everywhere: ENOSYS outside too",
	"call int_0x80":                     "ia32_emulation is off: the 32-bit program is ENOEXEC outside",
	"call io_uring_setup":               "kernel.io_uring_disabled is 2: EPERM outside too",
	"terminal_command TIOCSTI":          "dev.tty.legacy_tiocsti is 0: EIO outside too",
	"terminal_command_high_bit TIOCSTI": "dev.tty.legacy_tiocsti is 0: EIO outside too",
	"high_descriptor":                   "RLIMIT_NOFILE is below 1024",
}

func TestAllPlanesOfTheFullTierStand(t *testing.T) {
	limits := []policy.Limit{{Resource: policy.OpenFiles, Value: 512}, {Resource: policy.FileSize, Value: 1 << 30}}
	if os.Getuid() != 0 {
		limits = append(limits, policy.Limit{Resource: policy.MaxProcesses, Value: 1 << 14})
	}
	l := launch(t, policy.Policy{Require: policy.AllPlanes, Limits: limits})
	for i := range l.report.Planes {
		p := &l.report.Planes[i]
		if p.State != Enforced {
			t.Errorf("%s is %s (%s: %s)", p.Name, p.State, p.Reason, p.Evidence)
		}
		for k := range p.Acts {
			a := &p.Acts[k]
			switch a.Outcome {
			case child.Refused, child.Worked:
			case child.Inconclusive:
				if inconclusive[a.title()] == "" {
					t.Errorf("%s: %s is inconclusive: %s, outside %s", p.Name, a.title(), a.came(), a.cameOutside())
				}
			default:
				t.Errorf("%s: %s: %s, outside %s", p.Name, a.title(), a.came(), a.cameOutside())
			}
		}
	}
	if len(l.report.Missing) > 0 {
		t.Errorf("missing %v", l.report.Missing)
	}
	if t.Failed() || testing.Verbose() {
		t.Log("\n" + l.report.Text(TextOptions{Acts: true}))
	}
}

// TestOtherPlansStand: the acts of what a profile allows are left out, and the
// rest still carries the planes.
func TestOtherPlansStand(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy policy.Policy
		absent policy.PlaneSet
	}{
		{"debug", policy.Policy{Syscalls: debugProfile}, resources},
		{"nested", policy.Policy{Syscalls: nestedProfile}, resources},
		{"host network", policy.Policy{Network: policy.NetworkHost}, resources | network},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := launch(t, c.policy)
			for i := range l.report.Planes {
				p := &l.report.Planes[i]
				want := Enforced
				if c.absent.Has(p.Name) {
					want = Unavailable
				}
				if p.State != want || want == Unavailable && p.Reason != NotRequested {
					t.Errorf("%s is %s (%s: %s), wanted %s", p.Name, p.State, p.Reason, p.Evidence, want)
				}
			}
		})
	}
}

// TestChildAndLauncherAgree: what the child judged before it would have executed
// anything is what the report says.
func TestChildAndLauncherAgree(t *testing.T) {
	l := launch(t, policy.Policy{})
	for i := range l.report.Planes {
		p := &l.report.Planes[i]
		if stands := l.verdict.Standing>>p.Name&1 != 0; stands != (p.State == Enforced) {
			t.Errorf("%s: the child found %v, the report says %s", p.Name, stands, p.State)
		}
	}
}
