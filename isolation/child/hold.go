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
	task    *task
	program *Program
}

// HoldNamespace starts one; flags are CLONE_NEW*. It dies with the caller's thread.
func HoldNamespace(flags uintptr) (*Held, error) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return nil, err
	}
	defer syscall.Close(fds[0])
	b := NewBuilder()
	b.Do(&b.P.Prelude, syscall.SYS_PRCTL, Imm(syscall.PR_SET_PDEATHSIG), Imm(int(syscall.SIGKILL)))
	b.Do(&b.P.Prelude, syscall.SYS_READ, Imm(fds[0]), Ptr(b.Alloc(8, 8)), Imm(1))
	base := b.P.reserve()
	h := &Held{release: fds[1], task: newTask(b.P, base), program: b.P}
	h.task.control = true
	stack := base + uintptr(b.P.stacks[1]) + stackSize
	beforeFork()
	pid, e := cloneTask(flags|cloneVM|uintptr(syscall.SIGCHLD), stack, uintptr(unsafe.Pointer(h.task)))
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
	runtime.KeepAlive(h.task)
	runtime.KeepAlive(h.program)
}
