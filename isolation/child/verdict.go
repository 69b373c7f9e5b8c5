package child

import "syscall"

// patience is how long the child waits for the controls, in seconds. They run
// beside the set-up and have normally been there for long.
const patience = 2

// receiveControls takes over what the control process saw. What does not come in
// time, or not whole, leaves its acts inconclusive.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) receiveControls(p *Program) {
	want := uintptr(len(p.Acts)) * observationSize
	inbox := t.base + uintptr(p.inbox)
	for got := uintptr(0); got < want; {
		if !t.readable(p, uintptr(p.Control)) {
			return
		}
		n, _, e := syscall.RawSyscall(syscall.SYS_READ, uintptr(p.Control), inbox+got, want-got)
		if e != 0 || n == 0 {
			return
		}
		got += n
	}
	for i := range p.Acts {
		if actAt(p, i).Control == InSetup {
			continue
		}
		from := (*Observation)(pointer(inbox + uintptr(i)*observationSize))
		to := (*Observation)(pointer(t.ctl + uintptr(i)*observationSize))
		*to = *from
	}
}

// readable waits until there is something to read, for at most patience.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) readable(p *Program, fd uintptr) bool {
	// struct pollfd and struct timespec, in the scratch space
	at := t.base + uintptr(p.scratch)
	*(*uint64)(pointer(at)) = uint64(fd) | 1<<32 // POLLIN
	*(*int64)(pointer(at + 8)) = patience
	*(*int64)(pointer(at + 16)) = 0
	n, _, e := syscall.RawSyscall6(syscall.SYS_PPOLL, at, 1, at+8, 0, 0, 0)
	return e == 0 && n == 1
}

// Tally is what the acts of one plane amount to.
type Tally struct {
	Conclusive uint8 // refused, with a control that succeeded
	Fell       bool  // something got through, or what must work did not
}

// Stands reports whether a plane with at least minimum conclusive acts holds.
// A minimum of NeverStands says that the plane was not asked for.
//
//go:nosplit
//go:norace
func (y Tally) Stands(minimum uint8) bool { return !y.Fell && y.Conclusive >= minimum }

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
		o := (*Observation)(pointer(t.obs + uintptr(i)*observationSize))
		c := (*Observation)(pointer(t.ctl + uintptr(i)*observationSize))
		a := actAt(p, i)
		Count(&y, a, Judge(a, o, c))
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
			if y[k].Conclusive < NeverStands-1 {
				y[k].Conclusive++
			}
		case Through, Broken:
			y[k].Fell = true
		}
	}
}

// sendVerdict reports the planes that stand and all that they were judged by.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) sendVerdict(p *Program, standing uint32) {
	n := uintptr(len(p.Acts))
	t.send(msgVerdict, standing, uint32(n), 0)
	syscall.RawSyscall(syscall.SYS_WRITE, t.report, t.obs, n*observationSize)
	syscall.RawSyscall(syscall.SYS_WRITE, t.report, t.ctl, n*observationSize)
}
