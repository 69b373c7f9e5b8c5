package probes

// State is one of the two states of a plane.
type State string

// The states.
const (
	Enforced    State = "ENFORCED"
	Unavailable State = "UNAVAILABLE"
)

// Reason is why a plane is UNAVAILABLE, from a closed list.
type Reason string

// The reasons.
const (
	NotRequested        Reason = "not_requested"
	KernelLacks         Reason = "kernel_lacks"
	HostForbids         Reason = "host_forbids"
	MechanismFailed     Reason = "mechanism_failed"
	ProbeRefuted        Reason = "probe_refuted"
	ProbeNotRun         Reason = "probe_not_run"
	ControlInconclusive Reason = "control_inconclusive"
	NotApplicable       Reason = "not_applicable"
	TimedOut            Reason = "timed_out"
)

// remedies say what to do about a reason where nothing more special is known.
var remedies = [...]struct {
	reason Reason
	text   string
}{
	{NotRequested, "ask for it in the policy"},
	{KernelLacks, "use a kernel that has it, or take the plane out of require with --allow-degraded"},
	{HostForbids, "lift the host's restriction, or take the plane out of require with --allow-degraded"},
	{MechanismFailed, "look at the acts that are inconclusive: sovrun explain -v"},
	{ProbeRefuted, "run nothing here that is not trusted, and report it: something got past the sandbox (sovrun explain -v)"},
	{ProbeNotRun, "run it again; if it stays, the message of the failed stage says what to change"},
	{ControlInconclusive, "look at the controls that failed: sovrun explain -v"},
	{NotApplicable, "leave the rule out, or take the plane out of require with --allow-degraded"},
	{TimedOut, "run it again on a less loaded machine"},
}

// remedy is what to do about a reason.
func (r Reason) remedy() string {
	for i := range remedies {
		if remedies[i].reason == r {
			return remedies[i].text
		}
	}
	return ""
}
