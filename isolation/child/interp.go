package child

import (
	"syscall"
	"unsafe"

	"github.com/sovrun/sovrun/isolation/child/wire"
)

// listAt is the address and length of a list of ops.
//
//go:nosplit
//go:norace
func listAt(l []Op) (uintptr, int) { return uintptr(unsafe.Pointer(unsafe.SliceData(l))), len(l) }

//go:nosplit
//go:norace
//go:nocheckptr
func opAt(list uintptr, i int) *Op {
	return (*Op)(pointer(list + uintptr(i)*unsafe.Sizeof(Op{})))
}

// run executes a list to its end or reports the first failure and exits.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) run(list uintptr, n int) {
	for i := 0; i < n; i++ {
		o := opAt(list, i)
		index := t.first + uint32(i)
		t.inject(index)
		switch o.Nr {
		case OpAct, OpControl:
			t.act(int(o.Args[0]), o.Nr == OpControl)
			continue
		case OpOwnFiles:
			t.ownFiles()
			continue
		case OpAwaitInit:
			t.awaitInit(index)
			continue
		}
		r, e := t.do(o)
		if e != 0 && int16(e) != o.Accept {
			t.fail(index, e, r)
		}
		if o.Want != WantAny && (e != 0 || int64(r) != o.Want) {
			t.fail(index, e, r)
		}
		t.keep(o, r, e)
	}
	t.first += uint32(n)
}

// keep puts a result where later ops look for it. Of an op that failed and was
// allowed to, nothing may be left that looks like a result: 0 is a descriptor.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) keep(o *Op, r, e uintptr) {
	if e != 0 {
		r = unset
	}
	if o.Save >= 0 {
		t.slots[o.Save&(numSlots-1)] = r
	}
	if o.Store == 0 || e != 0 {
		return
	}
	at := pointer(t.base + uintptr(o.Store))
	if o.Flags&FlagStore64 != 0 {
		*(*uint64)(at) = uint64(r)
	} else {
		*(*int32)(at) = int32(r)
	}
}

// do executes one op.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) do(o *Op) (r, errno uintptr) {
	var a [6]uintptr
	for k := range 6 {
		v := uintptr(o.Args[k])
		if o.Ptrs>>k&1 != 0 {
			v += t.base
		} else if o.Slots>>k&1 != 0 {
			v = t.slots[v&(numSlots-1)]
		}
		a[k] = v
	}
	if o.Nr < 0 {
		return t.pseudo(o.Nr, &a)
	}
	return call6(uintptr(o.Nr), &a)
}

// pseudo executes what is no system call.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) pseudo(nr int32, a *[6]uintptr) (r, errno uintptr) {
	switch nr {
	case OpCompare:
		return compare(a)
	case OpAllZero:
		return allZero(a[0], a[1])
	case OpFind:
		return find(a[0], a[1])
	case OpInt80:
		r = int80(a[0], a[1], a[2], a[3])
		if int32(r) < 0 && int32(r) > -4096 {
			return 0, uintptr(-int32(r))
		}
		return r, 0
	case OpFail:
		return 0, a[0]
	}
	return 0, uintptr(syscall.ENOSYS)
}

// compare compares a[2] bytes at a[0] and a[1].
//
//go:nosplit
//go:norace
//go:nocheckptr
func compare(a *[6]uintptr) (r, errno uintptr) {
	for i := range a[2] {
		if *(*byte)(pointer(a[0] + i)) != *(*byte)(pointer(a[1] + i)) {
			return 0, uintptr(syscall.ESTALE)
		}
	}
	return 0, 0
}

// allZero returns the index of the first of n bytes that is not zero.
//
//go:nosplit
//go:norace
//go:nocheckptr
func allZero(at, n uintptr) (r, errno uintptr) {
	for i := range n {
		if *(*byte)(pointer(at + i)) != 0 {
			return i, 0
		}
	}
	return 0, uintptr(syscall.EPERM)
}

// find returns the index of the first entry of the vector that starts with one
// of the prefixes.
//
//go:nosplit
//go:norace
//go:nocheckptr
func find(vector, prefixes uintptr) (r, errno uintptr) {
	for i := uintptr(0); ; i++ {
		s := *(*uintptr)(pointer(vector + 8*i))
		if s == 0 {
			return 0, uintptr(syscall.ENOENT)
		}
		for k := uintptr(0); ; k++ {
			p := *(*uintptr)(pointer(prefixes + 8*k))
			if p == 0 {
				break
			}
			if startsWith(s, p) {
				return i, 0
			}
		}
	}
}

//go:nosplit
//go:norace
//go:nocheckptr
func startsWith(s, p uintptr) bool {
	for ; ; s, p = s+1, p+1 {
		c := *(*byte)(pointer(p))
		if c == 0 {
			return true
		}
		if *(*byte)(pointer(s)) != c {
			return false
		}
	}
}

// act runs one act, or its control, to its end and keeps what came back.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) act(i int, control bool) {
	p := t.prog()
	a := actAt(p, i)
	span, at := a.Ops, t.obs
	if control {
		at = t.ctl
		if a.Controls.Last > a.Controls.First {
			span = a.Controls
		}
	}
	for k := range actSlots {
		t.slots[actBase+k] = unset
	}
	o := (*Observation)(pointer(at + uintptr(i)*wire.ObservationSize))
	t.try(o, p, int(span.First), int(span.Last))
}

// try runs the ops of an act: up to the decisive one or the first that fails,
// then those that clean up.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) try(o *Observation, p *Program, first, last int) {
	list, _ := listAt(p.ActOps)
	over := false
	for k := first; k < last; k++ {
		op := opAt(list, k)
		if op.Flags&FlagCleanup != 0 {
			t.do(op)
			continue
		}
		if over {
			continue
		}
		if op.Flags&(FlagCopy|FlagChildExits) != 0 {
			over = t.copied(o, op, uint32(k), uint32(last))
			continue
		}
		r, e := t.do(op)
		r, e = t.twist(k, r, e)
		over = t.observe(o, op, r, e, uint32(k))
		t.keep(op, r, e)
	}
}

// observe keeps what came back if the op decided, or failed before one that
// would have; it reports whether the act is over.
//
//go:nosplit
//go:norace
func (t *task) observe(o *Observation, op *Op, r, e uintptr, k uint32) bool {
	failed := e != 0 && int16(e) != op.Accept
	if op.Want != WantAny && e == 0 && int64(r) != op.Want {
		failed, e = true, uintptr(syscall.EPROTO)
	}
	decisive := op.Flags&FlagDecisive != 0
	if !decisive && !failed {
		return false
	}
	o.Value, o.Errno, o.Op = int64(r), int16(e), k
	o.State = Prepared
	if decisive {
		o.State = Done
	}
	return true
}
