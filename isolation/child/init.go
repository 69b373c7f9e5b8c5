package child

import "syscall"

// siginfo offsets that sigtimedwait(2) fills, the same on amd64 and arm64.
const (
	siCode = 8
	siPID  = 16
)

// initMain is pid 1 of the sandbox: it reaps whatever ends, forwards signals that
// come from outside the namespace (their si_pid is 0, pid_namespaces(7)), and
// ends with the provider; the kernel then kills what the provider left.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) initMain(p *Program, provider uintptr) {
	info := t.base + uintptr(p.scratch) + 64
	for {
		sig, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGTIMEDWAIT, t.base+uintptr(p.masks), info, 0, 8, 0, 0)
		if e != 0 {
			continue
		}
		if sig == uintptr(syscall.SIGCHLD) {
			t.reapAll(provider, info+128)
			continue
		}
		code := *(*int32)(pointer(info + siCode))
		from := *(*int32)(pointer(info + siPID))
		if code <= 0 && from == 0 {
			syscall.RawSyscall(syscall.SYS_KILL, provider, sig, 0)
		}
	}
}

// reapAll collects every process that has ended and leaves with the provider's status.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (t *task) reapAll(provider, status uintptr) {
	for {
		pid, _, e := syscall.RawSyscall6(syscall.SYS_WAIT4, ^uintptr(0), status, syscall.WNOHANG|waitAll, 0, 0, 0)
		if e != 0 || pid == 0 {
			return
		}
		if pid != provider {
			continue
		}
		ws := *(*uint32)(pointer(status))
		t.send(msgExit, ws, 0, 0)
		code := uintptr(ws>>8) & 0xff
		if ws&0x7f != 0 {
			code = 128 + uintptr(ws&0x7f)
		}
		t.exit(code)
	}
}
