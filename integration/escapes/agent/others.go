package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// otherActs lay hands on another process: the first argument is its number.
func otherActs() map[string]act {
	return map[string]act{
		"kill":          func(a []string) (string, error) { return "", unix.Kill(number(a[0]), unix.Signal(number(a[1]))) },
		"kill_group":    func(a []string) (string, error) { return "", unix.Kill(-number(a[0]), 0) },
		"pidfd":         pidfd,
		"pidfd_getfd":   pidfdGetfd,
		"vm_read":       vmRead,
		"vm_write":      vmWrite,
		"kcmp":          kcmp,
		"seize":         func(a []string) (string, error) { return "", seize(number(a[0])) },
		"seize_sibling": seizeSibling,
		"prlimit":       prlimit,
		"affinity":      affinity,
		"scheduler":     scheduler,
		"nice":          nice,
		"ioprio":        ioprio,
		"queue_signal":  queueSignal,
	}
}

func pidfd(a []string) (string, error) {
	fd, err := unix.PidfdOpen(number(a[0]), 0)
	if err != nil {
		return "", fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(fd)
	return "", unix.PidfdSendSignal(fd, 0, nil, 0)
}

// pidfdGetfd takes a descriptor out of the other process and reads it.
func pidfdGetfd(a []string) (string, error) {
	fd, err := unix.PidfdOpen(number(a[0]), 0)
	if err != nil {
		return "", fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(fd)
	got, err := unix.PidfdGetfd(fd, number(a[1]), 0)
	if err != nil {
		return "", fmt.Errorf("pidfd_getfd: %w", err)
	}
	return readDescriptor([]string{itoa(got)})
}

func vm(write bool, pid int, local []byte, remote int) error {
	l := []unix.Iovec{{Base: &local[0], Len: uint64(len(local))}}
	r := []unix.RemoteIovec{{Base: uintptr(remote), Len: len(local)}}
	if write {
		_, err := unix.ProcessVMWritev(pid, l, r, 0)
		return err
	}
	_, err := unix.ProcessVMReadv(pid, l, r, 0)
	return err
}

func vmRead(a []string) (string, error) {
	b := make([]byte, number(a[2]))
	err := vm(false, number(a[0]), b, number(a[1]))
	return string(b), err
}

// vmWrite writes what is there: the host's process must not change.
func vmWrite(a []string) (string, error) {
	b := make([]byte, number(a[2]))
	if err := vm(false, number(a[0]), b, number(a[1])); err != nil {
		return "", err
	}
	return "", vm(true, number(a[0]), b, number(a[1]))
}

// kcmp(2) compares a descriptor of the other process with one of its own.
func kcmp(a []string) (string, error) {
	_, _, e := unix.Syscall6(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(number(a[0])), 0, 0, 0, 0) // KCMP_FILE
	if e != 0 {
		return "", e
	}
	return "", nil
}

// seize attaches without stopping the other process (PTRACE_SEIZE, Linux 3.4). It
// is let go when this one ends.
func seize(pid int) error {
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, 0, 0, 0); e != 0 {
		return fmt.Errorf("ptrace: %w", e)
	}
	return nil
}

// seizeSibling traces a process of its own, whose system calls it could then
// rewrite after a filter had seen them.
func seizeSibling([]string) (string, error) {
	cmd := exec.Command(os.Args[0], "linger")
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", errors.New("no sibling: " + err.Error())
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	defer in.Close()
	return "", seize(cmd.Process.Pid)
}

// The settings of another process are read and set to what they are. Reading may
// be open to anyone, so where it is refused the setting is tried as well.

func prlimit(a []string) (string, error) {
	var l unix.Rlimit
	if err := unix.Prlimit(number(a[0]), unix.RLIMIT_NOFILE, nil, &l); err != nil {
		return "", err
	}
	return "", unix.Prlimit(number(a[0]), unix.RLIMIT_NOFILE, &l, nil)
}

func affinity(a []string) (string, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(number(a[0]), &set); err != nil {
		return "", err
	}
	return "", unix.SchedSetaffinity(number(a[0]), &set)
}

func scheduler(a []string) (string, error) {
	attr, err := unix.SchedGetAttr(number(a[0]), 0)
	if err != nil {
		return "", err
	}
	return "", unix.SchedSetAttr(number(a[0]), attr, 0)
}

func nice(a []string) (string, error) {
	// The system call answers 20 - nice, getpriority(2).
	v, _, e := unix.Syscall(unix.SYS_GETPRIORITY, unix.PRIO_PROCESS, uintptr(number(a[0])), 0)
	if e != 0 {
		return "", e
	}
	return "", unix.Setpriority(unix.PRIO_PROCESS, number(a[0]), 20-int(v))
}

func ioprio(a []string) (string, error) {
	const whoProcess = 1 // IOPRIO_WHO_PROCESS, ioprio_set(2)
	v, _, e := unix.Syscall(unix.SYS_IOPRIO_GET, whoProcess, uintptr(number(a[0])), 0)
	if e != 0 {
		return "", e
	}
	if _, _, e := unix.Syscall(unix.SYS_IOPRIO_SET, whoProcess, uintptr(number(a[0])), v); e != 0 {
		return "", e
	}
	return "", nil
}

// queueSignal sends signal 0 by rt_sigqueueinfo(2).
func queueSignal(a []string) (string, error) {
	var info [128]byte
	*(*int32)(unsafe.Pointer(&info[8])) = -1 // si_code SI_QUEUE
	if _, _, e := unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(number(a[0])), 0, addr(&info[0])); e != 0 {
		return "", e
	}
	return "", nil
}
