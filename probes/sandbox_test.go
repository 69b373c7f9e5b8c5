package probes

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

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
	l, err := probe(t, pol)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// probe is launch where a failure may be what is wanted.
func probe(t *testing.T, pol policy.Policy) (launched, error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if pol.Workspace == "" {
		pol.Workspace = workspace(t)
	}
	l, err := isolation.Begin(policy.NamespacesOf(pol))
	if err != nil {
		return launched{}, err
	}
	defer l.Close()
	out, err := prepareFor(l, pol, "/bin/true")
	if err != nil {
		l.Abandon()
		return launched{}, err
	}
	if out.verdict, err = verdictOf(l); err != nil {
		l.Abandon()
		return launched{}, err
	}
	if _, err := l.Wait(); err != nil {
		return launched{}, err
	}
	out.report = Judge(out.cat, &out.plan, out.verdict)
	return out, nil
}

// prepareFor is what the launcher does between the beginning and the verdict.
func prepareFor(l *isolation.Launch, pol policy.Policy, argv ...string) (out launched, err error) {
	host := isolation.Detect(pol, isolation.CallerFacts(argv))
	if out.plan, err = policy.Resolve(pol, host.Facts); err != nil {
		return out, err
	}
	if err = l.Prepare(&out.plan, &host); err != nil {
		return out, err
	}
	out.cat = Acts(l.Builder(), &out.plan, &l.Targets)
	out.cat.Facts = &host.Facts
	return out, l.Start(out.cat.EnvVector)
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

// patience is how long a launch may take on a loaded machine.
const patience = 30 * time.Second

func verdictOf(l *isolation.Launch) (v *child.Verdict, err error) {
	for {
		ev, err := l.Next(patience)
		switch m := ev.Message; {
		case errors.Is(err, io.EOF):
			return v, nil
		case err != nil:
			return nil, err
		case ev.Late:
			return nil, errors.New("no word of the sandbox for " + patience.String())
		case m.Failure != nil:
			return nil, isolation.Explain(l.Program(), m.Failure)
		case m.Verdict != nil:
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
	"host_facts /proc/kcore":            "the kernel is locked down: EPERM outside too",
	"high_descriptor":                   "RLIMIT_NOFILE is below 1024",
}

func TestAllPlanesOfTheFullTierStand(t *testing.T) {
	everyPlane(t, policy.Policy{Require: policy.AllPlanes, Limits: someLimits(os.Getuid())})
}

// TestRootHandsOver: root runs the provider as the owner of the workspace. Then
// the launcher writes the maps, and the control takes the same identity.
func TestRootHandsOver(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can hand over; run the tests as root too")
	}
	owner := 1_800_000_000 + os.Getpid() // of no other test, which may have left keys
	dir := workspace(t)
	if err := os.Chown(dir, owner, owner); err != nil {
		t.Fatal(err)
	}
	l := everyPlane(t, policy.Policy{Require: policy.AllPlanes, Workspace: dir, Limits: someLimits(owner)})
	if !l.plan.Identity.Changed || l.plan.Identity.UID != owner {
		t.Errorf("identity %+v, wanted uid %d", l.plan.Identity, owner)
	}
	// A user who has never logged in has no keyring, and none is made for the acts.
	if users := read(t, "/proc/key-users"); strings.Contains(users, strconv.Itoa(owner)+":") {
		t.Errorf("uid %d has keys:\n%s", owner, users)
	}
}

// someLimits is one of each that binds the user.
func someLimits(uid int) []policy.Limit {
	limits := []policy.Limit{{Resource: policy.OpenFiles, Value: 512}, {Resource: policy.FileSize, Value: 1 << 30}}
	if uid != 0 {
		limits = append(limits, policy.Limit{Resource: policy.MaxProcesses, Value: 1 << 14})
	}
	return limits
}

// everyPlane launches and wants every plane to stand and every act to have shown
// something, but for those that the kernel may make inconclusive.
func everyPlane(t *testing.T, pol policy.Policy) launched {
	t.Helper()
	l := launch(t, pol)
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
	return l
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
			if os.Getuid() == 0 && c.policy.Syscalls == nestedProfile {
				c.policy.Workspace = workspace(t) // uid 0 kept is refused
				if err := os.Chown(c.policy.Workspace, 54321, 54321); err != nil {
					t.Fatal(err)
				}
			}
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
