//go:build linux

package filters_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/sovrun/sovrun/isolation/filters"
)

// int80 is `mov eax, nr; int 0x80; ret`: a call by the i386 table, whose result
// stays in the register in which Go expects a function's.
func int80(nr byte) ([]byte, func() int32) {
	code, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		panic(err)
	}
	copy(code, []byte{0xb8, nr, 0, 0, 0, 0xcd, 0x80, 0xc3})
	entry := &code[0]
	fn := &entry
	return code, *(*func() int32)(unsafe.Pointer(&fn))
}

func childForeign([]string) error {
	const i386getpid = 20
	code, getpid := int80(i386getpid)
	fmt.Println(getpid() == int32(syscall.Getpid()), getpid())
	runtime.KeepAlive(code)
	return nil
}

// i386exit is the smallest i386 program: a header, one segment over the whole
// file, and `mov eax, 1; xor ebx, ebx; int 0x80`.
func i386exit() []byte {
	const base, headers = 0x08048000, 52 + 32
	code := []byte{0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80}
	size := uint32(headers + len(code))
	elf := append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 9)...)
	half := func(v ...uint16) {
		for _, x := range v {
			elf = binary.LittleEndian.AppendUint16(elf, x)
		}
	}
	word := func(v ...uint32) {
		for _, x := range v {
			elf = binary.LittleEndian.AppendUint32(elf, x)
		}
	}
	half(2, 3)                         // ET_EXEC, EM_386
	word(1, base+headers, 52, 0, 0)    // version, entry, program headers, none, flags
	half(52, 32, 1, 0, 0, 0)           // sizes and counts
	word(1, 0, base, base, size, size) // PT_LOAD
	word(5, 0x1000)                    // read and execute, alignment
	return append(elf, code...)
}

// hasIA32 asks the kernel whether it runs i386 programs.
func hasIA32(t *testing.T) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "i386")
	if err := os.WriteFile(path, i386exit(), 0o755); err != nil {
		t.Fatal(err)
	}
	err := exec.Command(path).Run()
	if err != nil && !errors.Is(err, syscall.ENOEXEC) {
		t.Fatalf("i386 program: %v; wanted success, or ENOEXEC from a kernel without IA-32 emulation", err)
	}
	return err == nil
}

// A call by int 0x80 works outside and is ENOSYS under every filter; the process
// lives on. A kernel that runs no i386 program has no such entry: there it is a
// fault, outside and inside, and TestForeignABIs alone speaks for the filter.
func TestInt80(t *testing.T) {
	ia32 := hasIA32(t)
	for _, p := range append([]filters.Profile{none}, filters.Names()...) {
		out, err := runChild(t, startChild("foreign", p, "same"))
		switch want := fmt.Sprintf("false %d\n", -int(syscall.ENOSYS)); {
		case !ia32 && err != nil && strings.Contains(out, "unexpected fault address"):
			t.Logf("%s: inconclusive, the kernel runs no i386 code", p)
		case !ia32:
			t.Errorf("%s: int 0x80 answered %q, %v, on a kernel that runs no i386 program", p, out, err)
		case p == none && (err != nil || !strings.HasPrefix(out, "true ")):
			t.Errorf("control: int 0x80 getpid answered %q, %v", out, err)
		case p != none && (err != nil || out != want):
			t.Errorf("%s: int 0x80 getpid answered %q, %v; wanted %q", p, out, err, want)
		}
	}
}
