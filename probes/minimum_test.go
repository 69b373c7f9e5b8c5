package probes

import (
	"testing"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// TestGrantsDoNotMakeUpForTheCanary: with every read-only grant refused and one act
// on the canary undecided, the plane does not stand, however many grants there are.
func TestGrantsDoNotMakeUpForTheCanary(t *testing.T) {
	refused := child.Observation{State: child.Done, Errno: eROFS}
	reached := child.Observation{State: child.Done, Errno: eACCES}
	var y [child.MaxPlanes]child.Tally
	grant := child.Act{Planes: uint16(policy.PlanesOf(policy.Filesystem)), Extra: true, Refused: [3]int16{eROFS}, Allowed: [3]int16{eACCES}}
	for range 200 {
		child.Count(&y, &grant, child.Judge(&grant, &refused, &reached))
	}
	twin := child.Act{Planes: grant.Planes, Kind: child.Working}
	done := child.Observation{State: child.Done}
	child.Count(&y, &twin, child.Judge(&twin, &done, &done))
	if y[policy.Filesystem].Stands(minimumTable[policy.Filesystem].user) {
		t.Error("the plane stands on its grants alone")
	}
	child.Count(&y, &grant, child.Judge(&grant, &done, &reached))
	if !y[policy.Filesystem].Fell {
		t.Error("a grant that can be changed does not count against the plane")
	}
}
