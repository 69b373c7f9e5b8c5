package probes

import (
	"strconv"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// Judge turns a verdict into a report. It is pure and trusts nothing: it judges
// every act again, and a plane is ENFORCED only if it and the child both found
// that it stands. A nil verdict, or one with observations missing, is one in
// which those acts did not run.
func Judge(cat *Catalogue, plan *policy.Plan, v *child.Verdict) Report {
	if v == nil {
		v = &child.Verdict{}
	}
	r := cat.empty(plan)
	j := judgement{cat: cat, plan: plan, verdict: v, outcomes: make([]child.Outcome, len(cat.acts))}
	j.count()
	for p := range policy.Plane(policy.NumPlanes) {
		r.Planes = append(r.Planes, j.plane(p))
	}
	r.require(plan)
	return r
}

// Unprobed is the report of a launch that got to no verdict: why, and by what.
func Unprobed(cat *Catalogue, plan *policy.Plan, reason Reason, evidence, remedy string) Report {
	r := Judge(cat, plan, nil)
	r.Tier = tierNone
	for i := range r.Planes {
		if p := &r.Planes[i]; p.Reason == ProbeNotRun {
			p.Reason, p.Evidence, p.Remedy = reason, evidence, remedy
			p.Sentence = unavailableSentence(p)
		}
	}
	return r
}

// judgement is the work of one Judge.
type judgement struct {
	cat      *Catalogue
	plan     *policy.Plan
	verdict  *child.Verdict
	outcomes []child.Outcome
	tally    [child.MaxPlanes]child.Tally
}

func (j *judgement) count() {
	for i := range j.cat.acts {
		a := &j.cat.acts[i]
		o, c := at(j.verdict.Observations, i), at(j.verdict.Controls, i)
		j.outcomes[i] = child.Judge(a, &o, &c)
		child.Count(&j.tally, a, j.outcomes[i])
	}
}

// at is an observation, one that was not made where there is none.
func at(l []child.Observation, i int) child.Observation {
	if i < len(l) {
		return l[i]
	}
	return child.Observation{}
}

// plane judges one plane.
func (j *judgement) plane(p policy.Plane) PlaneReport {
	r := PlaneReport{Name: p, State: Unavailable, Facts: j.facts(p)}
	j.report(&r)
	if absent := j.cat.absent[p]; absent.reason != "" {
		r.Reason, r.Evidence, r.Remedy = absent.reason, absent.text, absent.remedy
	} else if j.tally[p].Stands(j.cat.minimum[p]) && j.verdict.Standing>>p&1 != 0 && j.cat.minimum[p] > 0 {
		r.State = Enforced
	} else {
		r.Reason, r.Evidence = j.why(p)
		r.Remedy = r.Reason.remedy()
	}
	r.Sentence = sentence(&r)
	r.NotCovered = notCovered(&r, j.cat.Facts, j.plan)
	return r
}

// report lists the acts of a plane and the mechanisms that they saw refuse.
func (j *judgement) report(r *PlaneReport) {
	seen := [numMechanisms]bool{}
	for i := range j.cat.acts {
		if j.cat.acts[i].Planes>>r.Name&1 == 0 {
			continue
		}
		a := j.act(i)
		r.Acts = append(r.Acts, a)
		if j.cat.acts[i].Kind == child.Forbidden {
			r.Tried++
		}
		if a.Outcome == child.Refused {
			r.Refused++
			seen[a.by] = true
		}
	}
	for m := MountNamespace; m < numMechanisms; m++ {
		if seen[m] {
			r.Mechanisms = append(r.Mechanisms, m.named(j.cat.abi()))
		}
	}
}

func (j *judgement) act(i int) ActReport {
	m, a := &j.cat.meanings[i], &j.cat.acts[i]
	o, c := at(j.verdict.Observations, i), at(j.verdict.Controls, i)
	r := ActReport{
		Name: m.name, Object: m.object, What: m.what, Control: m.differs, ReadBack: m.readBack,
		MustWork: a.Kind == child.Working, Outcome: j.outcomes[i],
		Run: o.State == child.Done, Errno: o.Errno, ControlRun: c.State == child.Done, ControlErrno: c.Errno,
	}
	if r.Outcome != child.Refused {
		return r
	}
	for k, e := range a.Refused {
		if e == o.Errno {
			r.by = m.by[k]
			r.Mechanism = r.by.named(j.cat.abi())
			break
		}
	}
	return r
}

// why gives the reason of a plane that does not stand, and what it rests on.
func (j *judgement) why(p policy.Plane) (Reason, string) {
	var unrun, uncontrolled, odd []int
	for i := range j.cat.acts {
		a := &j.cat.acts[i]
		o, c := at(j.verdict.Observations, i), at(j.verdict.Controls, i)
		switch {
		case a.Planes>>p&1 == 0:
		case j.outcomes[i] == child.Through || j.outcomes[i] == child.Broken:
			return ProbeRefuted, j.told(i)
		case j.outcomes[i] != child.Inconclusive:
		case o.State == child.NotRun:
			unrun = append(unrun, i)
		case !succeeded(a, &c):
			uncontrolled = append(uncontrolled, i)
		default:
			odd = append(odd, i)
		}
	}
	few := j.lacking(p)
	switch {
	case len(unrun) > 0:
		return ProbeNotRun, few + j.list(unrun)
	case len(uncontrolled) > 0:
		return ControlInconclusive, few + j.list(uncontrolled)
	case len(odd) > 0:
		return MechanismFailed, few + j.list(odd)
	case j.tally[p].Stands(j.cat.minimum[p]):
		return ProbeNotRun, "the child did not come to the same judgement"
	}
	return ProbeNotRun, few
}

// lacking says what a plane that was not refuted lacks.
func (j *judgement) lacking(p policy.Plane) string {
	if y := j.tally[p]; y.Conclusive >= j.cat.minimum[p] && !y.Worked {
		return "nothing that must work was seen to work"
	}
	return strconv.Itoa(int(j.tally[p].Conclusive)) + " acts were conclusive, wanted " + strconv.Itoa(int(j.cat.minimum[p]))
}

// toldInFull is how many acts evidence tells in full. The first alone may be one that is
// inconclusive on every kernel.
const toldInFull = 4

func (j *judgement) list(acts []int) string {
	out := ""
	for _, i := range acts[:min(len(acts), toldInFull)] {
		out += "; " + j.told(i)
	}
	if more := len(acts) - toldInFull; more > 0 {
		out += "; and " + strconv.Itoa(more) + " more"
	}
	return out
}

func succeeded(a *child.Act, c *child.Observation) bool {
	if c.State != child.Done {
		return false
	}
	return c.Errno == 0 || c.Errno == a.Allowed[0] || c.Errno == a.Allowed[1] || c.Errno == a.Allowed[2]
}

// told is an act and what came back, as evidence.
func (j *judgement) told(i int) string {
	a := j.act(i)
	return a.title() + ": " + a.came() + ", outside " + a.cameOutside()
}
