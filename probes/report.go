package probes

import (
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// Schema is the identifier of the report's JSON form, docs/schema/report.v1.json.
const Schema = "sovrun/report/v1"

// Report says what held in the very sandbox that it was probed in. It always has
// all ten planes, in the order of policy's constants.
type Report struct {
	Tier    string
	Kernel  string // release, "" if unknown
	Planes  []PlaneReport
	Require []policy.Plane
	Missing []policy.Plane // of Require, those that are not ENFORCED
}

// PlaneReport is what there is to say about one plane.
type PlaneReport struct {
	Name       policy.Plane
	State      State
	Reason     Reason // "" when ENFORCED
	Evidence   string // what the reason rests on
	Remedy     string
	Sentence   string
	Mechanisms []string // that an act saw refuse
	Refused    int      // acts that were refused and are conclusive
	Tried      int      // acts that had to be refused
	Acts       []ActReport
	Facts      []string // what was found out without an act
	NotCovered []string
}

// ActReport is one act and what came back.
type ActReport struct {
	Name         string // from a closed list
	Object       string // what it was tried on
	What         string // the attempt as an infinitive
	Control      string // how the control differs, "" where it is the same attempt outside
	MustWork     bool   // a twin
	ReadBack     bool   // a value was read: the errno is no system call's
	Outcome      child.Outcome
	Run          bool  // the decisive call was made
	Errno        int16 // 0: it succeeded
	ControlRun   bool
	ControlErrno int16
	Mechanism    string // who refused, "" where several give that errno
	by           Mechanism
}

// Tiers: namespaces, Landlock where the kernel has it, and a filter; or nothing that
// was set up.
const (
	tierFull = "full"
	tierNone = "none"
)

func (c *Catalogue) empty(plan *policy.Plan) Report {
	r := Report{Tier: tierFull, Planes: make([]PlaneReport, 0, policy.NumPlanes)}
	if c.Facts != nil {
		r.Kernel = c.Facts.Kernel
	}
	r.Require = plan.Require.List()
	return r
}

// abi is Landlock's, 0 if unknown.
func (c *Catalogue) abi() int {
	if c.Facts == nil {
		return 0
	}
	return c.Facts.Landlock
}

func (r *Report) require(plan *policy.Plan) {
	need := plan.Require
	for i := range r.Planes {
		if p := &r.Planes[i]; need.Has(p.Name) && p.State != Enforced {
			r.Missing = append(r.Missing, p.Name)
		}
	}
}

// outcomeNames are the words of an outcome in text and JSON.
var outcomeNames = [...]string{
	child.Inconclusive: "inconclusive", child.Refused: "refused", child.Worked: "worked",
	child.Through: "through", child.Broken: "broken",
}

// title names an act.
func (a *ActReport) title() string {
	if a.Object == "" {
		return a.Name
	}
	return a.Name + " " + printable(a.Object)
}

func (a *ActReport) came() string { return came(a.Run, a.Errno, a.ReadBack) }

func (a *ActReport) cameOutside() string { return came(a.ControlRun, a.ControlErrno, a.ReadBack) }

// came says how a call ended.
func came(run bool, errno int16, readBack bool) string {
	switch {
	case !run && errno == 0:
		return "not tried"
	case !run && errno == eSTALE:
		return "not tried, what was read back is not what was asked for"
	case !run:
		return "not tried, a call before it failed with " + ErrnoName(errno)
	case readBack && errno == 0:
		return "found"
	case readBack:
		return "not found"
	case errno == 0:
		return "success"
	}
	return ErrnoName(errno)
}
