package child

import (
	"encoding/binary"
	"syscall"
	"unsafe"
)

//lint:ignore U1000 reached from assembly
func signalHandler()

//lint:ignore U1000 reached from assembly
func signalReturn()

//go:noescape
func signalCode() (handler, restorer uintptr)

// signalPipe is where the handler writes, 0: nowhere yet. A handler has no other way
// to know; it is set once, before the first handler is installed.
//
//lint:ignore U1000 read by the handler, in assembly
var signalPipe int32

// Caught is a signal as the handler saw it.
type Caught struct {
	Signal syscall.Signal
	Code   int32 // si_code: SI_KERNEL (0x80) from a terminal, at most 0 from a process
	PID    int32 // of the process that sent it, 0 from outside of our pid namespace
}

// CaughtSize is what the handler writes for one signal, in bytes. Whoever reads
// less than a multiple of it tears one.
const CaughtSize = 12

// sigactiont is struct sigaction as rt_sigaction(2) takes it.
type sigactiont struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

// Catch makes the signals come out of a pipe instead of going to the runtime: its
// own way (os/signal) starts a goroutine and wakes threads for each of them. Signals
// that were ignored when the process started stay ignored. For programs whose signals
// are sovrun's alone; it cannot be undone. Catch takes the descriptor over; of several
// calls the last one's pipe is written to.
func Catch(pipe int, signals []syscall.Signal) error {
	if err := takeOver(pipe); err != nil {
		return err
	}
	handler, restorer := signalCode()
	const onStack, restart, hasRestorer, info = 0x08000000, 0x10000000, 0x04000000, 4 // SA_*
	act := sigactiont{handler: handler, restorer: restorer, flags: onStack | restart | hasRestorer | info, mask: ^uint64(0)}
	for _, s := range signals {
		var old sigactiont
		if _, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), 0, uintptr(unsafe.Pointer(&old)), 8, 0, 0); e != 0 {
			return e
		}
		if old.handler == 1 { // SIG_IGN
			continue
		}
		if _, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&act)), 0, 8, 0, 0); e != 0 {
			return e
		}
	}
	return nil
}

// takeOver keeps the number that the handler knows: a handler may run at any time.
func takeOver(pipe int) error {
	if signalPipe == 0 {
		signalPipe = int32(pipe)
		return nil
	}
	defer syscall.Close(pipe)
	return syscall.Dup3(pipe, int(signalPipe), syscall.O_CLOEXEC)
}

// ReadCaught decodes what the handler wrote.
func ReadCaught(b []byte) []Caught {
	var out []Caught
	for ; len(b) >= CaughtSize; b = b[CaughtSize:] {
		ne := binary.NativeEndian
		out = append(out, Caught{Signal: syscall.Signal(ne.Uint32(b)), Code: int32(ne.Uint32(b[4:])), PID: int32(ne.Uint32(b[8:]))})
	}
	return out
}
