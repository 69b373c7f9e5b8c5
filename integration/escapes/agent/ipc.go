package main

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ipcActs look for objects of the host's IPC namespace; their arguments are
// numbers and names that the harness gave them.
func ipcActs() map[string]act {
	return map[string]act{
		"shm_key": shmKey,
		"shm_id":  shmID,
		"sem_key": func(a []string) (string, error) { return sysv(unix.SYS_SEMGET, number(a[0]), 0, 0) },
		"msg_key": func(a []string) (string, error) { return sysv(unix.SYS_MSGGET, number(a[0]), 0, 0) },
		"mq":      messageQueue,
		"own_ipc": ownIPC,
	}
}

func sysv(nr uintptr, a, b, c int) (string, error) {
	id, _, e := unix.Syscall(nr, uintptr(a), uintptr(b), uintptr(c))
	if e != 0 {
		return "", e
	}
	return "id " + itoa(int(id)), nil
}

func shmKey(a []string) (string, error) {
	id, err := unix.SysvShmGet(number(a[0]), 0, 0)
	if err != nil {
		return "", fmt.Errorf("shmget: %w", err)
	}
	return shmID([]string{itoa(id)})
}

// shmID attaches a segment read-only, whatever its key.
func shmID(a []string) (string, error) {
	b, err := unix.SysvShmAttach(number(a[0]), 0, unix.SHM_RDONLY)
	if err != nil {
		return "", fmt.Errorf("shmat: %w", err)
	}
	return string(b[:min(len(b), enough)]), nil
}

// messageQueue opens a POSIX queue by name, mq_overview(7).
func messageQueue(a []string) (string, error) {
	name := append([]byte(a[0]), 0)
	_, _, e := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), unix.O_RDONLY|unix.O_NONBLOCK, 0, 0, 0, 0)
	runtime.KeepAlive(name)
	if e != 0 {
		return "", e
	}
	return "", nil
}

// ownIPC makes a segment of its own, by the very key that the host's has, and
// removes it.
func ownIPC(a []string) (string, error) {
	id, err := unix.SysvShmGet(number(a[0]), 4096, unix.IPC_CREAT|unix.IPC_EXCL|0o600)
	if err != nil {
		return "", fmt.Errorf("shmget: %w", err)
	}
	_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	return "", err
}
