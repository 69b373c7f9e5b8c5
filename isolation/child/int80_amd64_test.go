package child

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Numbers of 32-bit calls.
const (
	int80Exit   = 1
	int80Close  = 6
	int80Getpid = 20
)

// program32 is a 32-bit program that exits with 42 through the gate, elf(5).
func program32() []byte {
	b := make([]byte, 84)
	copy(b, "\x7fELF\x01\x01\x01")
	le := binary.LittleEndian
	le.PutUint32(b[16:], 2|3<<16)       // ET_EXEC, EM_386
	le.PutUint32(b[20:], 1)             // EV_CURRENT
	le.PutUint32(b[24:], 0x08048000+84) // entry
	le.PutUint32(b[28:], 52)            // program headers
	le.PutUint32(b[40:], 52|32<<16)     // sizes of header and program header
	le.PutUint32(b[44:], 1)             // so many of them
	code := []byte{0xb8, int80Exit, 0, 0, 0, 0xbb, 42, 0, 0, 0, 0xcd, 0x80}
	for i, v := range []uint32{1, 0, 0x08048000, 0x08048000, uint32(84 + len(code)), uint32(84 + len(code)), 5, 0x1000} {
		le.PutUint32(b[52+4*i:], v)
	}
	return append(b, code...)
}

// hasGate32 reports whether this kernel has the 32-bit gate: without it (CONFIG
// IA32_EMULATION, ia32_emulation=0) such a program is no program.
func hasGate32(t *testing.T) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program32")
	if err := os.WriteFile(path, program32(), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	err := cmd.Run()
	if err == nil || cmd.ProcessState != nil && cmd.ProcessState.ExitCode() != 42 {
		t.Fatalf("a 32-bit program ended with %v", cmd.ProcessState)
	}
	return cmd.ProcessState != nil
}

// TestInt80 goes through the 32-bit gate, in copies: where there is none, that is a
// signal, which decides nothing and harms nobody else.
func TestInt80(t *testing.T) {
	if !alone(t) {
		return
	}
	through := hasGate32(t)
	b := controlled()
	for _, args := range [][]Arg{{Imm(int80Getpid)}, {Imm(9999)}, {Imm(int80Close), Imm(-1)}} {
		act(b, func(b *Builder) { cloned(b, 0, FlagCopy); decides(b.Try(OpInt80, args...)) })
	}
	act(b, func(b *Builder) { decides(succeeds(b)) })
	want := []tried{both(done(0, 0)), both(done(0, syscall.ENOSYS)), both(done(0, badFD)), both(done(0, 0))}
	if !through {
		for i := range 3 {
			want[i] = both(prepared(0, syscall.ECANCELED))
		}
	}
	wantSeen(t, b, carryOut(t, b), want)
	t.Logf("this kernel has the gate: %v", through)
}
