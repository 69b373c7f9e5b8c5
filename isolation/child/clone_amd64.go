package child

import (
	"syscall"
	"unsafe"
)

// rawClone calls clone(2) with the argument order of x86-64.
//
//go:nosplit
//go:norace
func rawClone(flags uintptr, pidfd *int32) (uintptr, uintptr, syscall.Errno) {
	return syscall.RawSyscall6(syscall.SYS_CLONE, flags, 0, uintptr(unsafe.Pointer(pidfd)), 0, 0, 0)
}
