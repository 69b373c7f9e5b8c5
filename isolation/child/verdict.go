package child

// Tally is what the acts of one plane amount to.
type Tally struct {
	Conclusive uint8 // refused, with a control that succeeded
	Worked     bool  // something that must work did
	Fell       bool  // something got through, or what must work did not
}

// Stands reports whether a plane with at least minimum conclusive acts holds: a
// sandbox in which nothing works at all refuses everything and proves nothing.
// A minimum of NeverStands says that the plane was not asked for; of 0, that
// nobody said how much would be enough.
//
//go:nosplit
//go:norace
func (y Tally) Stands(minimum uint8) bool {
	return !y.Fell && y.Worked && minimum > 0 && y.Conclusive >= minimum
}

// NeverStands as the minimum of a plane means that it was not asked for.
const NeverStands = 255

// verdict judges every act and gives the planes that stand.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) verdict(p *Program) uint32 {
	var y [MaxPlanes]Tally
	for i := range p.Acts {
		a := actAt(p, i)
		Count(&y, a, Judge(a, observationAt(t.obs, i), observationAt(t.ctl, i)))
	}
	var standing uint32
	for k := range y {
		if y[k].Stands(p.Minimum[k]) {
			standing |= 1 << k
		}
	}
	return standing
}

// Count adds one outcome to the planes of its act.
//
//go:nosplit
//go:norace
func Count(y *[MaxPlanes]Tally, a *Act, out Outcome) {
	for k := range y {
		if a.Planes>>k&1 == 0 {
			continue
		}
		switch out {
		case Refused:
			if !a.Extra && y[k].Conclusive < NeverStands-1 {
				y[k].Conclusive++
			}
		case Worked:
			y[k].Worked = true
		case Through, Broken:
			y[k].Fell = true
		}
	}
}
