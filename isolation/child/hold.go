package child

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Held is a process that does nothing but stay in its new namespaces until it is
// released.
type Held struct {
	PID     int
	release int // write end of the pipe that it reads
	tasks   *[numTasks]task
	stacks  []byte
	program *Program
}

// HoldNamespace starts one; flags are CLONE_NEW*. It dies with the caller's thread.
func HoldNamespace(flags uintptr) (*Held, error) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return nil, err
	}
	defer syscall.Close(fds[0])
	b := smallBuilder()
	// Its own copy of the end that releases it: else it would wait for itself, should
	// the launcher die before the signal is asked for.
	b.Do(&b.P.Prelude, syscall.SYS_CLOSE, Imm(fds[1]))
	b.Do(&b.P.Prelude, syscall.SYS_PRCTL, Imm(syscall.PR_SET_PDEATHSIG), Imm(int(syscall.SIGKILL)))
	b.Do(&b.P.Prelude, syscall.SYS_READ, Imm(fds[0]), Ptr(b.Alloc(8, 8)), Imm(1))
	h := &Held{release: fds[1], program: b.P}
	h.tasks, h.stacks = b.P.newTasks()
	b.P.place(h.tasks, b.P.reserve())
	t := &h.tasks[taskControl]
	beforeFork()
	pid, e := cloneTask(syscall.SYS_CLONE, flags|shareMemory, t.stack, uintptr(unsafe.Pointer(t)))
	afterFork()
	if e != 0 {
		syscall.Close(fds[1])
		return nil, &StartError{"namespace holder", syscall.Errno(e)}
	}
	h.PID = int(pid)
	return h, nil
}

// Release lets the process end and waits for it.
func (h *Held) Release() {
	_, _ = syscall.Write(h.release, []byte{1})
	syscall.RawSyscall6(syscall.SYS_WAIT4, uintptr(h.PID), 0, waitAll, 0, 0, 0)
	syscall.Close(h.release)
	runtime.KeepAlive(h.tasks)
	runtime.KeepAlive(h.stacks)
	runtime.KeepAlive(h.program)
}
