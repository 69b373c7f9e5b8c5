#include "textflag.h"

// The sandbox's pid 1, executed from a file that holds nothing but this: it reaps
// whatever ends, passes on signals that come from outside the pid namespace
// (si_pid 0, pid_namespaces(7)), and ends with the provider, whose pid is its
// first argument in decimal; the kernel then kills what the provider left. It is
// entered with every signal blocked and the report pipe as descriptor 3, and uses
// only its stack:
//   0(SP) signal mask   16(SP) siginfo   160(SP) wait status   176(SP) message
TEXT ·initCode(SB),NOSPLIT|NOFRAME,$0
	MOVQ	16(SP), SI	// argv[1]
	XORL	R12, R12	// the provider's pid
digit:
	MOVBLZX	(SI), AX
	TESTL	AX, AX
	JEQ	ready
	SUBL	$0x30, AX
	IMUL3Q	$10, R12, R12
	ADDQ	AX, R12
	INCQ	SI
	JMP	digit
ready:
	MOVL	$4, DI	// PR_SET_DUMPABLE, should fs.suid_dumpable say otherwise
	MOVQ	0(SP), SI	// 0 with two arguments; a test build gives a third
	SUBQ	$2, SI
	MOVL	$157, AX	// prctl
	SYSCALL
	SUBQ	$512, SP
	ANDQ	$~15, SP
	MOVQ	$-1, 0(SP)
wait:
	MOVQ	SP, DI
	LEAQ	16(SP), SI
	XORL	DX, DX
	MOVL	$8, R10
	MOVL	$128, AX	// rt_sigtimedwait
	SYSCALL
	TESTQ	AX, AX
	JLE	wait
	CMPQ	AX, $17	// SIGCHLD
	JEQ	reap
	CMPL	24(SP), $0	// si_code: SI_USER and below are from processes
	JGT	wait
	CMPL	32(SP), $0	// si_pid
	JNE	wait
	MOVQ	AX, SI
	MOVQ	R12, DI
	MOVL	$62, AX	// kill
	SYSCALL
	JMP	wait
reap:
	MOVQ	$-1, DI
	LEAQ	160(SP), SI
	MOVL	$0x40000001, DX	// __WALL | WNOHANG
	XORL	R10, R10
	MOVL	$61, AX	// wait4
	SYSCALL
	TESTQ	AX, AX
	JLE	wait
	CMPQ	AX, R12
	JNE	reap
	MOVL	160(SP), R13
	MOVL	$3, 176(SP)	// msgExit
	MOVL	R13, 180(SP)
	MOVQ	$0, 184(SP)
	MOVQ	$0, 192(SP)
	MOVL	$3, DI
	LEAQ	176(SP), SI
	MOVL	$24, DX	// headerSize
	MOVL	$1, AX	// write
	SYSCALL
	MOVL	R13, DI
	ANDL	$0x7f, DI
	JEQ	code
	ADDL	$128, DI
	JMP	exit
code:
	MOVL	R13, DI
	SHRL	$8, DI
	ANDL	$0xff, DI
exit:
	MOVL	$231, AX	// exit_group
	SYSCALL
	JMP	exit
	// the end, see image.go
	BYTE	$0x53; BYTE $0x4f; BYTE $0x56; BYTE $0x52; BYTE $0x55; BYTE $0x4e; BYTE $0x00; BYTE $0x7e

// func initAddress() uintptr
TEXT ·initAddress(SB),NOSPLIT,$0-8
	LEAQ	·initCode(SB), AX
	MOVQ	AX, ret+0(FP)
	RET
