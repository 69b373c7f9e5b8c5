package escapes

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// no32Bit tells whether this machine runs no i386 program, found by running one.
var no32Bit = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp(scratch(), "sovrun-escapes-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "i386")
	if err := os.WriteFile(path, i386(), 0o700); err != nil {
		panic(err)
	}
	err = exec.Command(path).Run()
	var died *exec.ExitError
	if err != nil && !errors.Is(err, syscall.ENOEXEC) && !errors.As(err, &died) {
		panic(err)
	}
	return err != nil
})

// i386 is the smallest program, elf(5): one segment over the whole file, with
// mov eax, 1; xor ebx, ebx; int 0x80, which is exit(0).
func i386() []byte {
	const base, headers = 0x08048000, 52 + 32
	code := []byte{0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80}
	size := uint32(headers + len(code))
	le := binary.LittleEndian
	b := append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 9)...)
	b = le.AppendUint32(b, 2|3<<16) // ET_EXEC, EM_386
	for _, word := range []uint32{1, base + headers, 52, 0, 0, 52 | 32<<16, 1, 0} {
		b = le.AppendUint32(b, word)
	}
	for _, word := range []uint32{1, 0, base, base, size, size, 5, 0x1000} { // PT_LOAD, readable and executable
		b = le.AppendUint32(b, word)
	}
	return append(b, code...)
}
