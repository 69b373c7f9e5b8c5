package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// daemon becomes a subreaper, starts a grandchild in a session of its own that
// holds a lock on the file, and ends when that one has it.
//
//	daemon FILE          this process
//	daemon FILE between  the child, which ends at once
//	daemon FILE holder   the grandchild, which stays
func daemon(args []string) error {
	if len(args) == 1 {
		return startDaemon(args[0])
	}
	if args[1] == "between" {
		return spawn(args[0], "holder").Start()
	}
	return holdLock(args[0])
}

func spawn(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"daemon"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "ready")}
	return cmd
}

func startDaemon(path string) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := spawn(path, "between")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Run(); err != nil {
		return err
	}
	w.Close()
	var pid int
	if _, err := fmt.Fscan(r, &pid); err != nil {
		return fmt.Errorf("the grandchild did not say that it has the lock: %w", err)
	}
	fmt.Println("running as", pid)
	return nil
}

func holdLock(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	ready := os.NewFile(3, "ready")
	fmt.Fprintln(ready, os.Getpid())
	ready.Close()
	// Not for ever: whoever should end it may have died.
	lifetime := unix.NsecToTimespec(patience.Nanoseconds())
	_, err = unix.Ppoll(nil, &lifetime, nil)
	return err
}
