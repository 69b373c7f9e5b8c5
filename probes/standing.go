package probes

import (
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// Standing judges again which planes stand, without the words of a report: those
// that both the child and this found to hold.
func Standing(cat *Catalogue, v *child.Verdict) policy.PlaneSet {
	j := judgement{cat: cat, verdict: v, outcomes: make([]child.Outcome, len(cat.acts))}
	j.count()
	var s policy.PlaneSet
	for p := range policy.Plane(policy.NumPlanes) {
		if cat.minimum[p] > 0 && cat.absent[p].reason == "" && j.tally[p].Stands(cat.minimum[p]) && v.Standing>>p&1 != 0 {
			s |= policy.PlanesOf(p)
		}
	}
	return s
}
