#include "textflag.h"

// func cloneTask(nr, a, b, arg uintptr) (pid, errno uintptr)
// clone(2), whose a and b are flags and stack, or clone3(2), whose a and b are a
// struct clone_args and its size: the new process enters taskEntry on the stack that
// they name, with arg at its top, and never returns.
TEXT ·cloneTask(SB),NOSPLIT,$0-48
	MOVD	nr+0(FP), R8
	MOVD	a+8(FP), R0
	MOVD	b+16(FP), R1
	MOVD	arg+24(FP), R19
	MOVD	$0, R2
	MOVD	$0, R3
	MOVD	$0, R4
	SVC
	CBZ	R0, entry
	CMN	$4095, R0
	BCC	ok
	NEG	R0, R4
	MOVD	ZR, pid+32(FP)
	MOVD	R4, errno+40(FP)
	RET
ok:
	MOVD	R0, pid+32(FP)
	MOVD	ZR, errno+40(FP)
	RET
entry:
	SUB	$32, RSP
	MOVD	R19, 16(RSP)	// taskBelow the top
	// Indirectly: the linker would count this fresh stack onto the old one.
	MOVD	$·taskEntry(SB), R9
	BL	(R9)
	BRK	$0

// func call(nr, a, b, c, d uintptr) (r, errno uintptr)
TEXT ·call(SB),NOSPLIT,$0-56
	MOVD	nr+0(FP), R8
	MOVD	a+8(FP), R0
	MOVD	b+16(FP), R1
	MOVD	c+24(FP), R2
	MOVD	d+32(FP), R3
	MOVD	$0, R4
	MOVD	$0, R5
	SVC
	CMN	$4095, R0
	BCC	ok
	NEG	R0, R4
	MOVD	$-1, R5
	MOVD	R5, r+40(FP)
	MOVD	R4, errno+48(FP)
	RET
ok:
	MOVD	R0, r+40(FP)
	MOVD	ZR, errno+48(FP)
	RET

// func call6(nr uintptr, args *[6]uintptr) (r, errno uintptr)
TEXT ·call6(SB),NOSPLIT,$0-32
	MOVD	nr+0(FP), R8
	MOVD	args+8(FP), R9
	LDP	0(R9), (R0, R1)
	LDP	16(R9), (R2, R3)
	LDP	32(R9), (R4, R5)
	SVC
	CMN	$4095, R0
	BCC	ok
	NEG	R0, R4
	MOVD	$-1, R5
	MOVD	R5, r+16(FP)
	MOVD	R4, errno+24(FP)
	RET
ok:
	MOVD	R0, r+16(FP)
	MOVD	ZR, errno+24(FP)
	RET

// func load(word *uint32) uint32
TEXT ·load(SB),NOSPLIT,$0-12
	MOVD	word+0(FP), R0
	LDARW	(R0), R0
	MOVW	R0, ret+8(FP)
	RET

// func store(word *uint32, v uint32)
TEXT ·store(SB),NOSPLIT,$0-12
	MOVD	word+0(FP), R0
	MOVW	v+8(FP), R1
	STLRW	R1, (R0)
	RET

// func int80(nr, a, b, c uintptr) uintptr
// There is no such gate here: -ENOSYS.
TEXT ·int80(SB),NOSPLIT,$0-40
	MOVD	$-38, R0
	MOVD	R0, ret+32(FP)
	RET

// func GrowStack()
// A frame that is never touched: see Go declaration.
TEXT ·GrowStack(SB),0,$49152-0
	RET
