#include "textflag.h"

// The sandbox's pid 1; see init_amd64.s. Layout of the stack:
//   0(RSP) signal mask   16(RSP) siginfo   160(RSP) wait status   176(RSP) message
TEXT ·initCode(SB),NOSPLIT|NOFRAME,$0
	MOVD	16(RSP), R1	// argv[1]
	MOVD	$0, R19	// the provider's pid
	MOVD	$10, R3
digit:
	MOVBU	(R1), R2
	CBZ	R2, ready
	SUB	$0x30, R2
	MUL	R3, R19
	ADD	R2, R19
	ADD	$1, R1
	B	digit
ready:
	MOVD	$4, R0	// PR_SET_DUMPABLE, should fs.suid_dumpable say otherwise
	MOVD	0(RSP), R1	// 0 with two arguments; a test build gives a third
	SUB	$2, R1
	MOVD	$167, R8	// prctl
	SVC
	SUB	$512, RSP
	MOVD	$-1, R2
	MOVD	R2, 0(RSP)
wait:
	MOVD	RSP, R0
	ADD	$16, RSP, R1
	MOVD	$0, R2
	MOVD	$8, R3
	MOVD	$137, R8	// rt_sigtimedwait
	SVC
	CMP	$0, R0
	BLE	wait
	CMP	$17, R0	// SIGCHLD
	BEQ	reap
	MOVW	24(RSP), R2	// si_code: SI_USER and below are from processes
	CMPW	$0, R2
	BGT	wait
	MOVW	32(RSP), R2	// si_pid
	CBNZW	R2, wait
	MOVD	R0, R1
	MOVD	R19, R0
	MOVD	$129, R8	// kill
	SVC
	B	wait
reap:
	MOVD	$-1, R0
	ADD	$160, RSP, R1
	MOVD	$0x40000001, R2	// __WALL | WNOHANG
	MOVD	$0, R3
	MOVD	$260, R8	// wait4
	SVC
	CMP	$0, R0
	BLE	wait
	CMP	R19, R0
	BNE	reap
	MOVWU	160(RSP), R20
	MOVD	$3, R2	// msgExit
	MOVW	R2, 176(RSP)
	MOVW	R20, 180(RSP)
	MOVD	ZR, 184(RSP)
	MOVD	ZR, 192(RSP)
	MOVD	$3, R0
	ADD	$176, RSP, R1
	MOVD	$24, R2	// headerSize
	MOVD	$64, R8	// write
	SVC
	AND	$0x7f, R20, R0
	CBZ	R0, code
	ADD	$128, R0
	B	exit
code:
	LSR	$8, R20, R0
	AND	$0xff, R0
exit:
	MOVD	$94, R8	// exit_group
	SVC
	B	exit
	// the end, see image.go
	WORD	$0x52564f53
	WORD	$0x7e004e55

// func initAddress() uintptr
TEXT ·initAddress(SB),NOSPLIT,$0-8
	MOVD	$·initCode(SB), R0
	MOVD	R0, ret+0(FP)
	RET
