#include "textflag.h"

// See signal_amd64.s.
TEXT ·signalHandler(SB),NOSPLIT|NOFRAME,$0
	SUB	$32, RSP
	MOVW	R0, 0(RSP)
	MOVW	8(R1), R3
	MOVW	R3, 4(RSP)
	MOVW	16(R1), R3
	MOVW	R3, 8(RSP)
	MOVW	·signalPipe(SB), R0
	MOVD	RSP, R1
	MOVD	$12, R2
	MOVD	$64, R8	// SYS_write
	SVC
	ADD	$32, RSP
	RET

// where the handler returns to
TEXT ·signalReturn(SB),NOSPLIT|NOFRAME,$0
	MOVD	$139, R8	// SYS_rt_sigreturn
	SVC
	BRK	$0

// func signalCode() (handler, restorer uintptr)
TEXT ·signalCode(SB),NOSPLIT,$0-16
	MOVD	$·signalHandler(SB), R0
	MOVD	R0, handler+0(FP)
	MOVD	$·signalReturn(SB), R0
	MOVD	R0, restorer+8(FP)
	RET
