package child

import (
	"syscall"
	"unsafe"
)

// blockedAtStart are the signals that were blocked when the process was started.
// Packages are initialised in its first thread, whose mask the runtime leaves as it
// was; the command inherits it, as it would from any other program.
var blockedAtStart = readMask()

func readMask() (mask uint64) {
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, 0, uintptr(unsafe.Pointer(&mask)), 8, 0, 0)
	return mask
}
