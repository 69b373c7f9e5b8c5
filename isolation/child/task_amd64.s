#include "textflag.h"

// func cloneTask(nr, a, b, arg uintptr) (pid, errno uintptr)
// clone(2), whose a and b are flags and stack, or clone3(2), whose a and b are a
// struct clone_args and its size: the new process enters taskEntry on the stack that
// they name, with arg at its top, and never returns.
TEXT ·cloneTask(SB),NOSPLIT,$0-48
	MOVQ	nr+0(FP), AX
	MOVQ	a+8(FP), DI
	MOVQ	b+16(FP), SI
	MOVQ	arg+24(FP), R13
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	SYSCALL
	TESTQ	AX, AX
	JEQ	entry
	CMPQ	AX, $0xfffffffffffff001
	JCC	failed
	MOVQ	AX, pid+32(FP)
	MOVQ	$0, errno+40(FP)
	RET
failed:
	NEGQ	AX
	MOVQ	$0, pid+32(FP)
	MOVQ	AX, errno+40(FP)
	RET
entry:
	XORL	BP, BP
	SUBQ	$16, SP	// taskBelow
	MOVQ	R13, 0(SP)
	// Indirectly: the linker would count this fresh stack onto the old one.
	LEAQ	·taskEntry(SB), AX
	CALL	AX
	INT	$3

// func call(nr, a, b, c, d uintptr) (r, errno uintptr)
TEXT ·call(SB),NOSPLIT,$0-56
	MOVQ	nr+0(FP), AX
	MOVQ	a+8(FP), DI
	MOVQ	b+16(FP), SI
	MOVQ	c+24(FP), DX
	MOVQ	d+32(FP), R10
	XORL	R8, R8
	XORL	R9, R9
	SYSCALL
	CMPQ	AX, $0xfffffffffffff001
	JCC	failed
	MOVQ	AX, r+40(FP)
	MOVQ	$0, errno+48(FP)
	RET
failed:
	NEGQ	AX
	MOVQ	$-1, r+40(FP)
	MOVQ	AX, errno+48(FP)
	RET

// func call6(nr uintptr, args *[6]uintptr) (r, errno uintptr)
TEXT ·call6(SB),NOSPLIT,$0-32
	MOVQ	nr+0(FP), AX
	MOVQ	args+8(FP), R12
	MOVQ	0(R12), DI
	MOVQ	8(R12), SI
	MOVQ	16(R12), DX
	MOVQ	24(R12), R10
	MOVQ	32(R12), R8
	MOVQ	40(R12), R9
	SYSCALL
	CMPQ	AX, $0xfffffffffffff001
	JCC	failed
	MOVQ	AX, r+16(FP)
	MOVQ	$0, errno+24(FP)
	RET
failed:
	NEGQ	AX
	MOVQ	$-1, r+16(FP)
	MOVQ	AX, errno+24(FP)
	RET

// func load(word *uint32) uint32
TEXT ·load(SB),NOSPLIT,$0-12
	MOVQ	word+0(FP), AX
	MOVL	(AX), AX
	MOVL	AX, ret+8(FP)
	RET

// func store(word *uint32, v uint32)
TEXT ·store(SB),NOSPLIT,$0-12
	MOVQ	word+0(FP), AX
	MOVL	v+8(FP), CX
	XCHGL	CX, (AX)
	RET

// func int80(nr, a, b, c uintptr) uintptr
TEXT ·int80(SB),NOSPLIT,$0-40
	MOVQ	nr+0(FP), AX
	MOVQ	a+8(FP), BX
	MOVQ	b+16(FP), CX
	MOVQ	c+24(FP), DX
	INT	$0x80
	MOVQ	AX, ret+32(FP)
	RET

// func GrowStack()
// A frame that is never touched: see Go declaration.
TEXT ·GrowStack(SB),0,$49152-0
	RET
