package runs

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"
	"time"

	"github.com/sovrun/sovrun/isolation"
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
	"github.com/sovrun/sovrun/probes"
)

// Exit statuses of sovrun's own, as env(1), timeout(1) and chroot(1) use them.
const (
	ExitRefused       = 125 // sovrun refused or failed
	ExitNotExecutable = 126
	ExitNotFound      = 127
	exitSignal        = 128 // plus the signal's number
)

// Categories of an outcome besides those of package policy.
const (
	Completed        policy.Category = "completed"
	ProviderFailed   policy.Category = "provider_failed"
	PlaneUnavailable policy.Category = "plane_unavailable"
	NotExecutable    policy.Category = "command_not_executable"
	NotFound         policy.Category = "command_not_found"
	TimedOut         policy.Category = "timed_out"
)

// patience is how long set-up and probes may take before the launch is given up. Four
// hundred launches at once on two processors take up to 17 s.
const patience = 30 * time.Second

// Request says what to run and how.
type Request struct {
	Policy  policy.Policy
	Argv    []string
	Execute bool              // false: set up, probe and report only
	Report  bool              // fill Outcome.Report also when the command runs
	Note    func(text string) // told what a person should know before the command starts; may be nil
}

// Outcome is how a run ended.
type Outcome struct {
	Plan            policy.Plan
	Report          probes.Report
	Reported        bool // Report is filled
	ProviderStarted bool
	ExitCode        int            // what sovrun exits with
	Signal          syscall.Signal // that ended the provider, 0: none
	Category        policy.Category
	Err             error  // why the provider was not started, or was lost
	Hint            string // what to do about Err
}

// run is a request while it is carried out.
type run struct {
	req     Request
	host    isolation.Host
	launch  *isolation.Launch
	acts    *probes.Catalogue
	judged  bool                // there was a verdict, and it let the run go on
	started bool                // the provider has started and not ended
	late    bool                // there was no verdict in time
	ended   *syscall.WaitStatus // of a provider's process that came to no verdict
	out     Outcome
}

// Plan resolves a request without doing anything.
func Plan(req Request) (policy.Plan, error) {
	host := isolation.Detect(req.Policy, isolation.CallerFacts(req.Argv))
	return policy.Resolve(req.Policy, host.Facts)
}

// Do carries a request out. The sandbox dies with the calling thread; see
// isolation.Launch.
func Do(req Request) Outcome {
	r := &run{req: req, acts: &probes.Catalogue{}}
	r.out.ExitCode = ExitRefused
	if r.begin() {
		if r.resolve() && r.start() {
			r.follow()
		} else {
			r.launch.Abandon()
		}
		r.launch.Close()
	}
	return r.out
}

// refuse ends a run before the provider.
func (r *run) refuse(c policy.Category, code int, err error, hint string) {
	r.out.Category, r.out.ExitCode, r.out.Err, r.out.Hint = c, code, err, hint
}

// begin lets the child make its namespaces while the plan is made.
func (r *run) begin() bool {
	launch, err := isolation.Begin(policy.NamespacesOf(r.req.Policy))
	if err != nil {
		r.resolve() // what is wrong with the request comes first
		if r.out.Err == nil {
			r.setupFailed(err)
		}
		return false
	}
	r.launch = launch
	return true
}

// resolve makes the plan.
func (r *run) resolve() bool {
	r.host = isolation.Detect(r.req.Policy, isolation.CallerFacts(r.req.Argv))
	plan, err := policy.Resolve(r.req.Policy, r.host.Facts)
	if err != nil {
		var why *policy.RefusedError
		if errors.As(err, &why) {
			r.refuse(why.Category, ExitRefused, errors.New(why.Message), why.Hint)
		} else {
			r.refuse(policy.InternalError, ExitRefused, err, "")
		}
		return false
	}
	r.out.Plan = plan
	if r.req.Note != nil {
		for _, n := range plan.Notes {
			r.req.Note(n)
		}
	}
	if r.req.Execute && plan.Command.NotFound != "" {
		r.missing(plan.Command)
		return false
	}
	return true
}

// missing says that there is nothing to execute.
func (r *run) missing(c policy.Command) {
	category := NotFound
	if c.Status == ExitNotExecutable {
		category = NotExecutable
	}
	r.refuse(category, c.Status, errors.New(c.NotFound), c.Hint())
}

// start prepares and starts the sandbox.
func (r *run) start() bool {
	if err := r.launch.Prepare(&r.out.Plan, &r.host); err != nil {
		r.setupFailed(err)
		return false
	}
	b := r.launch.Builder()
	b.P.Execute = r.req.Execute
	r.acts = probes.Acts(b, &r.out.Plan, &r.launch.Targets)
	r.acts.Facts = &r.host.Facts
	if err := r.launch.Start(r.acts.EnvVector); err != nil {
		r.setupFailed(err)
		return false
	}
	return true
}

// setupFailed is a launch that broke before the verdict: no plane stands.
func (r *run) setupFailed(err error) {
	category := PlaneUnavailable
	var s *isolation.SetupError
	if !errors.As(err, &s) {
		s, category = isolation.Unforeseen(err), policy.InternalError
	}
	r.refuse(category, ExitRefused, s, s.Remedy)
	r.unprobed(reasonOf(s), s.Error(), s.Remedy)
}

// reasonOf says whether the kernel or the host keeps a launch from being set up.
func reasonOf(s *isolation.SetupError) probes.Reason {
	switch {
	case s.Errno == syscall.ENOSYS:
		return probes.KernelLacks
	case s.Stage != child.StageClone.String():
	case s.Errno == syscall.EPERM, s.Errno == syscall.ENOSPC, s.Errno == syscall.EUSERS:
		return probes.HostForbids
	}
	return probes.MechanismFailed
}

// unprobed is the report of a launch without a verdict.
func (r *run) unprobed(reason probes.Reason, evidence, remedy string) {
	r.acts.Facts = &r.host.Facts
	r.out.Report = probes.Unprobed(r.acts, &r.out.Plan, reason, evidence, remedy)
	r.out.Reported = true
}

// follow reads what happens until the child is gone.
func (r *run) follow() {
	for {
		limit := patience
		if r.judged {
			limit = -1
		}
		ev, err := r.launch.Next(limit)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.refuse(policy.InternalError, ExitRefused, fmt.Errorf("reading the child's report: %w", err), "")
			r.launch.Kill()
			break
		}
		r.event(ev)
	}
	r.gone()
}

func (r *run) event(ev isolation.Event) {
	switch m := ev.Message; {
	case ev.Late:
		r.late = true
		r.launch.Kill()
	case ev.Signals != nil:
		r.forward(ev.Signals)
	case m.Failure != nil:
		r.failure(m.Failure)
	case m.Verdict != nil:
		r.verdict(m.Verdict)
	case m.Exit != nil:
		r.exited(*m.Exit)
	}
}

// verdict takes over what the child judged and judges it again. The words of a
// report are only made where somebody will read them.
func (r *run) verdict(v *child.Verdict) {
	need := r.out.Plan.Require
	ok := need&^probes.Standing(r.acts, v) == 0
	if !ok || r.req.Report || !r.req.Execute {
		r.out.Report = probes.Judge(r.acts, &r.out.Plan, v)
		r.out.Reported = true
	}
	if !ok {
		r.refuse(PlaneUnavailable, ExitRefused, missingPlanes(&r.out.Report), remedyOf(&r.out.Report))
		r.launch.Kill() // the child has judged the same and executes nothing
		return
	}
	r.judged = true
	if r.req.Execute {
		// Until here a signal ends sovrun, and the sandbox with it; from here on it
		// is the command's.
		if err := r.launch.CatchSignals(forwarded()); err != nil {
			r.refuse(policy.InternalError, ExitRefused, err, "")
			r.launch.Kill()
			return
		}
	}
	r.started = r.req.Execute
	r.out.ProviderStarted = r.started
	r.out.ExitCode, r.out.Category = 0, Completed
}

// failure is an op that failed: in the set-up, or the execve itself.
func (r *run) failure(f *child.Failure) {
	r.started, r.out.ProviderStarted = false, false
	if f.Op.Stage == child.StageExec {
		r.execFailed(f)
		return
	}
	r.setupFailed(isolation.Explain(r.launch.Program(), f))
}

// exited is the end of the process that was to become the provider.
func (r *run) exited(ws syscall.WaitStatus) {
	if !r.started {
		r.ended = &ws
		return
	}
	if ws.Signaled() {
		r.out.Signal = ws.Signal()
		r.out.ExitCode = exitSignal + int(ws.Signal())
	} else {
		r.out.ExitCode = ws.ExitStatus()
	}
	if r.out.ExitCode != 0 {
		r.out.Category = ProviderFailed
	}
	r.started = false
	r.out.ProviderStarted = true
}

// gone waits for pid 1. When it ended without telling how the provider did, the
// sandbox was killed from outside.
func (r *run) gone() {
	ws, err := r.launch.Wait()
	switch {
	case err != nil:
		r.refuse(policy.InternalError, ExitRefused, err, "")
	case r.started:
		r.out.Signal = syscall.SIGKILL
		r.out.ExitCode, r.out.Category = exitSignal+int(syscall.SIGKILL), ProviderFailed
		r.out.Err = errors.New("the sandbox's first process was killed, and the command with it")
	case !r.judged && r.out.Err == nil:
		how := syscall.WaitStatus(ws)
		if r.ended != nil {
			how = *r.ended
		}
		r.lost(how)
	}
}

// lost is a sandbox that came to no verdict and told no reason.
func (r *run) lost(ws syscall.WaitStatus) {
	category, reason := policy.InternalError, probes.MechanismFailed
	err := fmt.Errorf("the sandbox ended %s before it was set up and probed", ending(ws))
	hint := "something outside of sovrun ended it (the kernel when memory is short, or a person); try again"
	if r.late {
		category, reason = TimedOut, probes.TimedOut
		err = fmt.Errorf("the sandbox was not set up and probed within %s", patience)
		hint = "try again when the machine is less loaded"
	}
	r.refuse(category, ExitRefused, err, hint)
	r.unprobed(reason, err.Error(), hint)
}

// ending tells how a process ended.
func ending(ws syscall.WaitStatus) string {
	if ws.Signaled() {
		return fmt.Sprintf("by signal %d (%s)", ws.Signal(), ws.Signal())
	}
	return fmt.Sprintf("with status %d", ws.ExitStatus())
}

// missingPlanes says which required planes do not stand, and why.
func missingPlanes(r *probes.Report) error {
	text := ""
	for i := range r.Planes {
		p := &r.Planes[i]
		if !slices.Contains(r.Missing, p.Name) {
			continue
		}
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("required plane %s is not enforced: %s", p.Name, p.Reason)
		if p.Evidence != "" {
			text += " (" + p.Evidence + ")"
		}
	}
	return errors.New(text)
}

// remedyOf is the remedy of the first plane that is missing.
func remedyOf(r *probes.Report) string {
	for i := range r.Planes {
		if slices.Contains(r.Missing, r.Planes[i].Name) {
			return r.Planes[i].Remedy
		}
	}
	return ""
}
