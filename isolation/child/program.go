package child

import (
	"encoding/binary"
	"syscall"
	"unsafe"
)

// numSlots is how many results a task can keep. The last actSlots of them belong
// to the act that is running and are reset before each.
const (
	numSlots = 256
	actSlots = 8
	actBase  = numSlots - actSlots
)

// Reloc says that the word at offset At of the arena is the address of offset To.
type Reloc struct{ At, To uint32 }

// Program is everything that the child will do. It holds offsets, no addresses,
// until it is started, so that two programs can be compared and printed.
type Program struct {
	CloneFlags uintptr // CLONE_NEW*
	Arena      []byte
	Relocs     []Reloc
	Objects    []string // by Op.Object

	Early    []Op // by the child before there is an arena: immediate arguments only
	Setup    []Op // by the child
	Provider []Op // by the provider's process, before the acts AfterInit
	Session  []Op // by the session copy, before its acts
	Exec     []Op // by the same, after the verdict
	Init     []Op // by the child, after it started the provider's process

	Acts    []Act
	ActOps  []Op
	Prelude []Op // by the control, before its acts: credentials, session

	Require uint16           // planes without which nothing is executed
	Minimum [MaxPlanes]uint8 // conclusive acts that a plane needs
	Execute bool             // false: report and exit, execute nothing
	ErrorFD int              // write end of the report pipe
	fault   fault            // test builds only

	obs          uint32 // arena offset of the observations
	ctl          uint32 // of the controls' observations
	mask         uint32 // of the mask of signals that the command starts with
	pidText      uint32 // of the provider's pid in decimal, for pid 1's argument
	initAlive    uint32 // word that the kernel clears when pid 1 executes its image
	controlAlive uint32 // word that the kernel clears when the control ends
	complete     uint32 // word that the control sets when it got to its end
}

// Arg is one argument of an op.
type Arg struct {
	v    uint64
	kind uint8
}

const (
	argImm = iota
	argPtr
	argSlot
)

// Imm is an immediate argument.
func Imm[T ~int | ~int32 | ~uint32 | ~uint64 | ~uintptr](v T) Arg { return Arg{v: uint64(v)} }

// Ptr is the address of an arena offset.
func Ptr(off uint32) Arg { return Arg{v: uint64(off), kind: argPtr} }

// Slot is the result of an earlier op.
func Slot(n int16) Arg { return Arg{v: uint64(n), kind: argSlot} }

// ActSlot is slot n (0 to 7) of the act that is running.
func ActSlot(n int16) int16 { return actBase + n }

// Builder assembles a Program.
type Builder struct {
	P      *Program
	stage  Stage
	object uint16
	slots  int16
}

// PIDText is where pid 1 finds the provider's pid in decimal.
func (b *Builder) PIDText() Arg { return Ptr(b.P.pidText) }

// InitAlive is the word for set_tid_address(2) that shows when pid 1 has executed
// its image and shares memory with nobody any more.
func (b *Builder) InitAlive() Arg { return Ptr(b.P.initAlive) }

// ControlAlive is the word for set_tid_address(2) that shows when the control is over.
func (b *Builder) ControlAlive() Arg { return Ptr(b.P.controlAlive) }

// Room for an ordinary program. Pages that nothing is written to cost nothing,
// while growing copies; more is made where it must be.
const arenaSize = 128 << 10

// What an ordinary program fills of that: these pages are fetched in one call each
// instead of by a fault a page.
const (
	arenaTypical  = 72 << 10
	setupTypical  = 520
	actOpsTypical = 320
)

// prefault asks for pages before they are touched (madvise(2), MADV_POPULATE_WRITE,
// Linux 5.14). Older kernels say EINVAL, and the pages come when they are needed.
func prefault(at unsafe.Pointer, n uintptr) {
	const page, populateWrite = 4096, 23
	first := (uintptr(at) + page - 1) &^ (page - 1)
	last := (uintptr(at) + n) &^ (page - 1)
	if last > first {
		_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, first, last-first, populateWrite)
	}
}

// NewBuilder starts a program.
func NewBuilder() *Builder {
	p := &Program{
		Arena: make([]byte, 0, arenaSize), Objects: make([]string, 1, 128),
		Setup: make([]Op, 0, 1024), ActOps: make([]Op, 0, 768), Acts: make([]Act, 0, 384),
	}
	return p.builder()
}

// Prefault fetches the pages that an ordinary program fills. It is called when the
// child is on its way, which needs none of them yet.
func (b *Builder) Prefault() {
	p := b.P
	prefault(unsafe.Pointer(unsafe.SliceData(p.Arena)), arenaTypical)
	prefault(unsafe.Pointer(unsafe.SliceData(p.Setup)), setupTypical*unsafe.Sizeof(Op{}))
	prefault(unsafe.Pointer(unsafe.SliceData(p.ActOps)), actOpsTypical*unsafe.Sizeof(Op{}))
}

// smallBuilder starts a program of a few ops.
func smallBuilder() *Builder {
	p := &Program{Arena: make([]byte, 0, 512), Objects: make([]string, 1)}
	return p.builder()
}

func (p *Program) builder() *Builder {
	b := &Builder{P: p}
	p.ErrorFD = -1
	b.Alloc(8, 8) // offset 0 means "nowhere"
	p.mask, p.pidText = b.Alloc(8, 8), b.Alloc(24, 8)
	p.initAlive, p.controlAlive, p.complete = b.Alloc(8, 8), b.Alloc(8, 8), b.Alloc(8, 8)
	b.Put32(p.initAlive, 1)
	b.Put32(p.controlAlive, 1)
	b.Put64(p.mask, blockedAtStart)
	return b
}

// At sets stage and object of the ops that follow.
func (b *Builder) At(s Stage, object string) *Builder {
	b.stage = s
	b.object = b.objectIndex(object)
	return b
}

func (b *Builder) objectIndex(object string) uint16 {
	if object == "" {
		return 0
	}
	if n := len(b.P.Objects); b.P.Objects[n-1] == object {
		return uint16(n - 1)
	}
	b.P.Objects = append(b.P.Objects, object)
	return uint16(len(b.P.Objects) - 1)
}

// Alloc reserves n zeroed bytes. The arena grows only at its end, into memory
// that nobody wrote to, so nothing need be cleared.
func (b *Builder) Alloc(n, align int) uint32 {
	a := b.P.Arena
	off := (len(a) + align - 1) &^ (align - 1)
	if off+n > cap(a) {
		a = append(make([]byte, 0, 2*cap(a)+off+n), a...)
	}
	b.P.Arena = a[:off+n]
	return uint32(off)
}

// Bytes copies data into the arena.
func (b *Builder) Bytes(data string, align int) uint32 {
	off := b.Alloc(len(data), align)
	copy(b.P.Arena[off:], data)
	return off
}

// String copies a string with its terminating NUL.
func (b *Builder) String(s string) uint32 {
	off := b.Alloc(len(s)+1, 1)
	copy(b.P.Arena[off:], s)
	return off
}

// Words writes 64-bit words in the machine's order.
func (b *Builder) Words(ws ...uint64) uint32 {
	off := b.Alloc(8*len(ws), 8)
	for i, w := range ws {
		binary.NativeEndian.PutUint64(b.P.Arena[off+uint32(8*i):], w)
	}
	return off
}

// Vector makes a NULL-terminated array of pointers to strings, as execve(2) wants it.
func (b *Builder) Vector(ss []string) uint32 {
	off := b.Alloc(8*(len(ss)+1), 8)
	for i, s := range ss {
		b.Relocate(off+uint32(8*i), b.String(s))
	}
	return off
}

// Relocate makes the word at offset at the address of offset to.
func (b *Builder) Relocate(at, to uint32) {
	b.P.Relocs = append(b.P.Relocs, Reloc{at, to})
}

// RelocateArg makes the word at offset at the address that an argument stands for.
func (b *Builder) RelocateArg(at uint32, a Arg) { b.Relocate(at, uint32(a.v)) }

// Put32 and Put64 write into a structure of the arena.
func (b *Builder) Put32(off uint32, v uint32) { binary.NativeEndian.PutUint32(b.P.Arena[off:], v) }

// Put64 writes 8 bytes.
func (b *Builder) Put64(off uint32, v uint64) { binary.NativeEndian.PutUint64(b.P.Arena[off:], v) }

// NewSlot reserves a slot for a result.
func (b *Builder) NewSlot() int16 {
	if b.slots >= actBase {
		panic("child: a program may keep no more than 248 results")
	}
	b.slots++
	return b.slots - 1
}

// op makes an op at the current stage.
func (b *Builder) op(nr int, args []Arg) Op {
	o := Op{Nr: int32(nr), Save: NoSlot, Want: WantAny, Stage: b.stage, Object: b.object}
	for i, a := range args {
		o.Args[i] = a.v
		switch a.kind {
		case argPtr:
			o.Ptrs |= 1 << i
		case argSlot:
			o.Slots |= 1 << i
		}
	}
	return o
}

// Do appends an op to a list and returns it for adjustment; the pointer is good
// until the next append.
func (b *Builder) Do(list *[]Op, nr int, args ...Arg) *Op {
	*list = append(*list, b.op(nr, args))
	return &(*list)[len(*list)-1]
}

// Setup appends an op of the child.
func (b *Builder) Setup(nr int, args ...Arg) *Op { return b.Do(&b.P.Setup, nr, args...) }

// Open appends an op of the child whose result is kept, and returns its slot.
func (b *Builder) Open(nr int, args ...Arg) int16 {
	s := b.NewSlot()
	b.Do(&b.P.Setup, nr, args...).Save = s
	return s
}

// Unblock appends an op that lets signals in again, whose handlers are the default
// ones. What was sent meanwhile arrives there. Before Linux 5.16 a signal that dumps
// core ended every process that shares the memory, unless that was not dumpable
// (fs/coredump.c, coredump_wait): so it stands after the op that makes it so.
func (b *Builder) Unblock(list *[]Op) {
	b.Do(list, syscall.SYS_RT_SIGPROCMASK, Imm(2), Ptr(b.P.mask), Imm(0), Imm(8)) // SIG_SETMASK
}

// Ops is the number of ops that failures are counted over.
func (p *Program) Ops() int {
	return len(p.Early) + len(p.Setup) + len(p.Provider) + len(p.Exec) + len(p.Init)
}

// Op finds the op behind the index of a failure.
func (p *Program) Op(i int) (Op, bool) {
	for _, l := range [][]Op{p.Early, p.Setup, p.Provider, p.Exec, p.Init} {
		if i < len(l) {
			return l[i], true
		}
		i -= len(l)
	}
	return Op{}, false
}

// link turns offsets into addresses. The arena must not be appended to any more.
func (p *Program) link() uintptr {
	base := uintptr(unsafe.Pointer(&p.Arena[0]))
	for _, r := range p.Relocs {
		*(*uintptr)(unsafe.Pointer(&p.Arena[r.At])) = base + uintptr(r.To)
	}
	return base
}

// PassMark emits the acts and controls that belong to a point of the set-up.
func (b *Builder) PassMark(m Mark) {
	for i := range b.P.Acts {
		a := &b.P.Acts[i]
		if a.Control == InSetup && a.CtlMark == m {
			b.Setup(OpControl, Imm(i))
		}
		if a.Where == InSetup && a.Mark == m {
			b.Setup(OpAct, Imm(i))
		}
	}
}

// AddAct appends an act whose ops add has to append to ActOps; it returns the
// act's index.
func (b *Builder) AddAct(a Act, ops func(b *Builder), controls func(b *Builder)) int {
	if len(b.P.Acts) == MaxActs {
		panic("child: too many acts")
	}
	a.Ops.First = uint16(len(b.P.ActOps))
	ops(b)
	a.Ops.Last = uint16(len(b.P.ActOps))
	if a.Where == InSession && clones(b.P.ActOps[a.Ops.First:]) {
		panic("child: the session copy has no task for a copy of its own")
	}
	if controls != nil {
		a.Controls.First = a.Ops.Last
		controls(b)
		a.Controls.Last = uint16(len(b.P.ActOps))
	}
	b.P.Acts = append(b.P.Acts, a)
	return len(b.P.Acts) - 1
}

// clones reports whether an act needs another process.
func clones(ops []Op) bool {
	for i := range ops {
		if ops[i].Flags&(FlagCopy|FlagChildExits) != 0 {
			return true
		}
	}
	return false
}

// Try appends an op of an act.
func (b *Builder) Try(nr int, args ...Arg) *Op { return b.Do(&b.P.ActOps, nr, args...) }

// Decide appends the decisive op of an act.
func (b *Builder) Decide(nr int, args ...Arg) *Op {
	o := b.Do(&b.P.ActOps, nr, args...)
	o.Flags |= FlagDecisive
	return o
}

// Clean appends an op that cleans up after an act.
func (b *Builder) Clean(nr int, args ...Arg) *Op {
	o := b.Do(&b.P.ActOps, nr, args...)
	o.Flags |= FlagCleanup
	return o
}
