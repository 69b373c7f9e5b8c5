package child

import (
	"syscall"
	"unsafe"
)

// copyUnprepared is the exit status of a copy that did not get to its decisive op.
const copyUnprepared = 255

// copied tries the rest of an act in a copy. It reports whether the act is over:
// always, unless the clone only prepared something and was to fail.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) copied(o *Observation, op *Op, k, last uint32) bool {
	c := taskAt(t.copy)
	c.inherit(t)
	c.from, c.to = k+1, last
	if op.Flags&FlagChildExits != 0 {
		c.to = c.from
	}
	pid, e := cloneTask(syscall.SYS_CLONE, uintptr(op.Args[0])|shareMemory, c.stack, t.copy)
	if e != 0 {
		return t.observe(o, op, 0, e, k)
	}
	status := t.await(pid)
	if op.Flags&FlagChildExits != 0 {
		return t.observe(o, op, pid, 0, k)
	}
	code := int16(status >> 8 & 0xff)
	o.Op, o.Errno, o.State = k, code, Done
	if status&0x7f != 0 || code == copyUnprepared {
		// a signal ended it, or it failed on the way: nothing was decided
		o.Errno, o.State = int16(syscall.ECANCELED), Prepared
	}
	return true
}

// await waits for a process and returns its wait status.
//
//go:nosplit
//go:norace
func (t *task) await(pid uintptr) uint32 {
	var status uint32
	call(syscall.SYS_WAIT4, pid, uintptr(unsafe.Pointer(&status)), waitAll, 0)
	return status
}

// copyMain is a copy: the ops up to the decisive one, whose errno it exits with.
// Without one it has decided nothing, whatever succeeded.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) copyMain(p *Program) {
	list, _ := listAt(p.ActOps)
	for k := t.from; k < t.to; k++ {
		op := opAt(list, int(k))
		r, e := t.do(op)
		if op.Flags&FlagDecisive != 0 {
			if op.Want != WantAny && e == 0 && int64(r) != op.Want {
				e = uintptr(syscall.EPROTO)
			}
			t.exit(e)
		}
		if e != 0 && int16(e) != op.Accept {
			t.exit(copyUnprepared)
		}
		t.keep(op, r, e)
	}
	t.exit(copyUnprepared)
}
