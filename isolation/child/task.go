package child

import "unsafe"

// Tasks by the process that they belong to. Each act that is tried in a copy has
// one of the last two, depending on who tries it.
const (
	taskChild = iota
	taskProvider
	taskSession
	taskControl
	taskInsideCopy
	taskOutsideCopy
	numTasks
)

// taskBelow is how far below the top of its stack a process finds its task; see the
// assembly.
const taskBelow = 16

// stackSize is what the nosplit limit of the linker (below 1 KiB) needs, with room.
// Stacks lie at multiples of it.
const stackSize = 8 << 10

// task is the state of one process that runs ops. It lies on the heap, whose
// objects the collector does not move, and holds no pointer: a store of one
// could need a write barrier.
type task struct {
	base     uintptr // of the arena
	program  uintptr // *Program
	obs      uintptr // observations that acts write
	ctl      uintptr // those that controls write
	stack    uintptr // its top
	next     uintptr // *task that this one starts
	copy     uintptr // *task for acts that are tried in a copy
	launcher uintptr // its pidfd
	hold     uint32  // not 0: the launcher has no program yet
	shares   uint32  // not 0: descriptors are still the launcher's
	kind     uint32
	first    uint32 // number of the first op of the running list
	from     uint32 // of a copy: the ops that it runs
	to       uint32
	slots    [numSlots]uintptr
}

// GrowStack makes room on the calling goroutine's stack, once. A launch needs
// some 40 KiB; grown in the usual steps, each of them copies and touches new pages.
func GrowStack()

const unset = ^uintptr(0)

// newTasks makes the state and the stack of every process; Launch keeps them alive.
func (p *Program) newTasks() (ts *[numTasks]task, stacks []byte) {
	ts, stacks = new([numTasks]task), make([]byte, (numTasks+1)*stackSize)
	first := (uintptr(unsafe.Pointer(&stacks[0])) + stackSize - 1) &^ (stackSize - 1)
	for i := range ts {
		ts[i].program, ts[i].kind = uintptr(unsafe.Pointer(p)), uint32(i)
		ts[i].stack = first + uintptr(i+1)*stackSize
	}
	at := func(i int) uintptr { return uintptr(unsafe.Pointer(&ts[i])) }
	ts[taskChild].next, ts[taskProvider].next = at(taskProvider), at(taskSession)
	ts[taskChild].copy, ts[taskProvider].copy, ts[taskControl].copy = at(taskInsideCopy), at(taskInsideCopy), at(taskOutsideCopy)
	ts[taskChild].hold, ts[taskChild].shares = 1, 1
	return ts, stacks
}

// place tells every task where the arena lies.
func (p *Program) place(ts *[numTasks]task, base uintptr) {
	for i := range ts {
		ts[i].base = base
		ts[i].obs, ts[i].ctl = base+uintptr(p.obs), base+uintptr(p.ctl)
	}
	ts[taskProvider].first = uint32(len(p.Early) + len(p.Setup))
}

// inherit takes over what an earlier process kept in its slots.
//
//go:nosplit
//go:norace
func (t *task) inherit(from *task) {
	for i := range numSlots {
		t.slots[i] = from.slots[i]
	}
}

// pointer is the address as a pointer. Everything it is used on lies in memory
// that outlives the process and that the collector does not move.
//
//go:nosplit
//go:norace
func pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

//go:nosplit
//go:norace
func taskAt(addr uintptr) *task { return (*task)(pointer(addr)) }

//go:nosplit
//go:norace
func (t *task) prog() *Program { return (*Program)(pointer(t.program)) }

// taskEntry is where every process starts. It does not return. Its task lies at the
// top of its stack: a parameter would have the compiler make a wrapper for it, which
// with the race detector calls into that.
//
//lint:ignore U1000 reached from assembly
//go:nosplit
//go:norace
//go:nocheckptr
func taskEntry() {
	var here byte
	top := uintptr(unsafe.Pointer(&here)) | (stackSize - 1) + 1
	t := taskAt(*(*uintptr)(pointer(top - taskBelow)))
	switch p := t.prog(); t.kind {
	case taskChild:
		t.childMain(p)
	case taskProvider:
		t.providerMain(p)
	case taskSession:
		t.sessionMain(p)
	case taskControl:
		t.controlMain(p)
	default:
		t.copyMain(p)
	}
	t.exit(0)
}
