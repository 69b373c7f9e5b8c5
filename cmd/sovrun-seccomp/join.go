//go:build cgo

package main

import (
	"encoding/binary"
	"fmt"

	seccomp "github.com/seccomp/libseccomp-golang"
)

// One instruction is a struct sock_filter (linux/filter.h): code, two relative
// jumps, operand.
const (
	insnSize = 8
	codeJump = 0x05 // BPF_JMP|BPF_JA: go on after k more instructions
	codeRet  = 0x06 // BPF_RET|BPF_K: answer k
	retTrace = 0x7ff00000
	// maxInsns is BPF_MAXINSNS, the longest program that the kernel takes.
	maxInsns = 4096

	goOnCode = 0x7f00
	maxParts = 0x100
)

// goOn is the action of a number whose arguments are judged by filter part. No
// profile can ask for it: SCMP_ACT_TRACE is refused.
func goOn(part int) seccomp.ScmpAction {
	return seccomp.ActTrace.SetReturnCode(int16(goOnCode + part))
}

// join appends parts to first and turns each "go on with part" of first into a
// jump to that part, which loads what it looks at anew.
func join(first []byte, parts [][]byte) ([]byte, error) {
	prog := append([]byte(nil), first...)
	starts := make(map[uint32]int)
	for i, part := range parts {
		starts[retTrace|uint32(goOnCode+i)] = len(prog)
		prog = append(prog, part...)
	}
	if n := len(prog) / insnSize; n > maxInsns || len(parts) > maxParts {
		return nil, fmt.Errorf("join filters: %d instructions in %d parts, at most %d and %d are possible; write fewer rules with arguments", n, len(parts), maxInsns, maxParts)
	}
	for at := 0; at < len(first); at += insnSize {
		code := binary.LittleEndian.Uint16(prog[at:])
		start, found := starts[binary.LittleEndian.Uint32(prog[at+4:])]
		if code == codeRet && found {
			binary.LittleEndian.PutUint16(prog[at:], codeJump)
			binary.LittleEndian.PutUint32(prog[at+4:], uint32((start-at)/insnSize-1))
		}
	}
	return prog, nil
}
