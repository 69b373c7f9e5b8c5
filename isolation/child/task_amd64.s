#include "textflag.h"

// func cloneTask(flags, stack, arg uintptr) (pid, errno uintptr)
// clone(2) with a stack of its own: the new process enters taskEntry(arg) there
// and never returns.
TEXT ·cloneTask(SB),NOSPLIT,$0-40
	MOVQ	flags+0(FP), DI
	MOVQ	stack+8(FP), SI
	MOVQ	arg+16(FP), R13
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$56, AX	// SYS_clone
	SYSCALL
	TESTQ	AX, AX
	JEQ	entry
	CMPQ	AX, $0xfffffffffffff001
	JCC	failed
	MOVQ	AX, pid+24(FP)
	MOVQ	$0, errno+32(FP)
	RET
failed:
	NEGQ	AX
	MOVQ	$0, pid+24(FP)
	MOVQ	AX, errno+32(FP)
	RET
entry:
	XORL	BP, BP
	SUBQ	$16, SP
	MOVQ	R13, 0(SP)
	// Indirectly: the linker would count this fresh stack onto the old one.
	LEAQ	·taskEntry(SB), AX
	CALL	AX
	INT	$3

// func clone3Task(args, size, arg uintptr) (pid, errno uintptr)
// The same with clone3(2), whose struct clone_args names the stack.
TEXT ·clone3Task(SB),NOSPLIT,$0-40
	MOVQ	args+0(FP), DI
	MOVQ	size+8(FP), SI
	MOVQ	arg+16(FP), R13
	MOVL	$435, AX	// SYS_clone3
	SYSCALL
	TESTQ	AX, AX
	JEQ	entry
	CMPQ	AX, $0xfffffffffffff001
	JCC	failed
	MOVQ	AX, pid+24(FP)
	MOVQ	$0, errno+32(FP)
	RET
failed:
	NEGQ	AX
	MOVQ	$0, pid+24(FP)
	MOVQ	AX, errno+32(FP)
	RET
entry:
	XORL	BP, BP
	SUBQ	$16, SP
	MOVQ	R13, 0(SP)
	LEAQ	·taskEntry(SB), AX
	CALL	AX
	INT	$3

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
