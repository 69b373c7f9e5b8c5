package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func execActs() map[string]act {
	return map[string]act{
		"setuid_id":    setuidID,
		"setuid_watch": setuidWatch,
		"caps_exec":    capsExec,
		"core_dump":    coreDump,
	}
}

func output(path string, args ...string) ([]byte, error) { return exec.Command(path, args...).Output() }

// gained is the answer of a program that should have got more than its caller.
func gained(what string, has bool) (string, error) {
	if !has {
		return what, unix.EPERM
	}
	return what, nil
}

// setuidID runs a set-uid copy of id(1).
func setuidID(a []string) (string, error) {
	out, err := output(a[0], "-u")
	if err != nil {
		return "", fmt.Errorf("%s: %v", a[0], err)
	}
	uid := strings.TrimSpace(string(out))
	return gained("uid "+uid, uid != strconv.Itoa(os.Geteuid()))
}

// setuidWatch starts a set-uid program of the system that waits for a password,
// looks at its effective uid, and ends it.
func setuidWatch(a []string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer w.Close()
	defer r.Close()
	cmd := exec.Command(a[0], a[1:]...)
	cmd.Stdin = r
	if err := cmd.Start(); err != nil {
		return "", err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	// Start returns when the program has been executed.
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		return "", errors.New("no status: " + err.Error())
	}
	ids := strings.Fields(field(status, "Uid"))
	if len(ids) != 4 || field(status, "Name") != filepath.Base(a[0]) {
		return "", fmt.Errorf("%s did not wait: uids %v, name %q", a[0], ids, field(status, "Name"))
	}
	return gained("uids "+strings.Join(ids, " "), ids[1] != ids[0])
}

// capsExec runs a copy of this program that has file capabilities.
func capsExec(a []string) (string, error) {
	out, err := output(a[0], "ids")
	if err != nil {
		return "", fmt.Errorf("%s: %v", a[0], err)
	}
	caps := field(out, "CapEff")
	return gained("CapEff "+caps, strings.Trim(caps, "0") != "")
}

// printIDs prints the process's own status.
func printIDs([]string) error {
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		_, err = os.Stdout.Write(status)
	}
	return err
}

// coreDump raises the limit, has a child abort in the directory, and asks the
// kernel whether it dumped core.
func coreDump(a []string) (string, error) {
	limit := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(0, unix.RLIMIT_CORE, &limit, nil); err != nil {
		return "", fmt.Errorf("prlimit: %w", err)
	}
	if err := os.Mkdir(a[0], 0o700); err != nil {
		return "", errors.New("no directory to dump into: " + err.Error())
	}
	defer os.RemoveAll(a[0])
	cmd := exec.Command(os.Args[0], "abort")
	cmd.Dir = a[0]
	if err := cmd.Run(); cmd.ProcessState == nil {
		return "", err
	}
	ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ws.Signaled() || ws.Signal() != unix.SIGABRT {
		return "", fmt.Errorf("the child ended otherwise: %v", cmd.ProcessState)
	}
	names, err := list(a[:1])
	if err != nil {
		return "", errors.New("directory: " + err.Error())
	}
	return gained("dumped: "+strconv.FormatBool(ws.CoreDump())+", files: "+names, ws.CoreDump() || names != "")
}

// abort ends the process by SIGABRT with the kernel's own action, not the Go
// runtime's. It is small before: the dump holds all of it.
func abort([]string) error {
	var action [4]uint64 // struct kernel_sigaction with SIG_DFL
	if _, _, e := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGABRT), addr(&action[0]), 0, 8, 0, 0); e != 0 {
		return e
	}
	if err := unix.Kill(os.Getpid(), unix.SIGABRT); err != nil {
		return err
	}
	_, err := unix.Ppoll(nil, nil, nil) // until the signal is delivered
	return fmt.Errorf("outlived SIGABRT: %v", err)
}
