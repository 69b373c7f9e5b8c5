#include "textflag.h"

// The signal handler: it writes number, si_code and si_pid (sigaction(2)) to the
// pipe, as three 32-bit words, and returns. It runs on whichever thread the kernel
// chose, on that thread's signal stack, and touches nothing of the runtime's.
TEXT ·signalHandler(SB),NOSPLIT|NOFRAME,$0
	SUBQ	$24, SP
	MOVL	DI, 0(SP)
	MOVL	8(SI), AX
	MOVL	AX, 4(SP)
	MOVL	16(SI), AX
	MOVL	AX, 8(SP)
	MOVL	·signalPipe(SB), DI
	MOVQ	SP, SI
	MOVL	$12, DX
	MOVL	$1, AX	// SYS_write
	SYSCALL
	ADDQ	$24, SP
	RET

// where the handler returns to
TEXT ·signalReturn(SB),NOSPLIT|NOFRAME,$0
	MOVL	$15, AX	// SYS_rt_sigreturn
	SYSCALL
	INT	$3

// func signalCode() (handler, restorer uintptr)
TEXT ·signalCode(SB),NOSPLIT,$0-16
	LEAQ	·signalHandler(SB), AX
	MOVQ	AX, handler+0(FP)
	LEAQ	·signalReturn(SB), AX
	MOVQ	AX, restorer+8(FP)
	RET
