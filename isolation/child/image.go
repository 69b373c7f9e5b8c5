package child

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"unsafe"
)

//lint:ignore U1000 reached from assembly
func initCode()

//go:noescape
func initAddress() uintptr

// imageEnd follows the last instruction of initCode; no instruction looks like it.
func imageEnd() []byte { return []byte{0x53, 0x4f, 0x56, 0x52, 0x55, 0x4e, 0x00, 0x7e} }

// imageLimit bounds the search for the end.
const imageLimit = 4096

// ELF constants, elf(5).
const (
	elfHeader  = 64
	elfSegment = 56
	imageBase  = 0x400000
)

// InitImage is the executable that pid 1 of the sandbox runs: an ELF header, one
// loaded segment, and the bytes of initCode. A process with that for a memory has
// nothing of the launcher's, and four pages.
func InitImage() []byte {
	text := unsafe.Slice((*byte)(pointer(initAddress())), imageLimit)
	n := bytes.Index(text, imageEnd())
	if n < 0 {
		panic("child: the end of pid 1's code was not found")
	}
	return imageOf(text[:n], machine())
}

// imageOf is an executable of nothing but code, entered at its first instruction.
func imageOf(code []byte, machine uint16) []byte {
	const head = elfHeader + 2*elfSegment
	image := make([]byte, head, head+len(code))
	image = append(image, code...)
	writeHeader(image, machine)
	writeSegment(image[elfHeader:], 1, 5, uint64(len(image))) // PT_LOAD, readable and executable
	writeSegment(image[elfHeader+elfSegment:], 0x6474e551, 6, 0)
	return image
}

// machine is e_machine of this architecture.
func machine() uint16 {
	if runtime.GOARCH == "arm64" {
		return 183 // EM_AARCH64
	}
	return 62 // EM_X86_64
}

func writeHeader(b []byte, machine uint16) {
	copy(b, "\x7fELF\x02\x01\x01")
	le := binary.LittleEndian
	le.PutUint16(b[16:], 2) // ET_EXEC
	le.PutUint16(b[18:], machine)
	le.PutUint32(b[20:], 1)
	le.PutUint64(b[24:], imageBase+elfHeader+2*elfSegment) // entry
	le.PutUint64(b[32:], elfHeader)                        // program headers
	le.PutUint16(b[52:], elfHeader)
	le.PutUint16(b[54:], elfSegment)
	le.PutUint16(b[56:], 2)
}

// writeSegment writes a program header of the whole file; PT_GNU_STACK has no
// size and says that the stack is not executable.
func writeSegment(b []byte, kind, flags uint32, size uint64) {
	le := binary.LittleEndian
	le.PutUint32(b, kind)
	le.PutUint32(b[4:], flags)
	if size > 0 {
		le.PutUint64(b[16:], imageBase)
		le.PutUint64(b[24:], imageBase)
	}
	le.PutUint64(b[32:], size)
	le.PutUint64(b[40:], size)
	le.PutUint64(b[48:], 0x1000)
}
