package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// sleep is a process of the host that others lay hands on. It says where its copy
// of the variable lies in memory, waits until descriptor 3 ends, and then says
// whether its memory is still the same and which signals came.
func sleep(args []string) error {
	// Any process of the same user may trace it, also where Yama asks (prctl(2)).
	const setPtracer = 0x59616d61 // PR_SET_PTRACER
	_ = unix.Prctl(setPtracer, ^uintptr(0), 0, 0, 0)
	signals := make(chan os.Signal, 64)
	signal.Notify(signals)
	token := []byte(os.Getenv(args[0]))
	before := string(token)
	fmt.Printf("%d %d\n", addr(&token[0]), len(token))
	if _, err := io.Copy(io.Discard, os.NewFile(3, "life")); err != nil {
		return err
	}
	signal.Stop(signals)
	close(signals)
	var came []string
	for s := range signals {
		if s != unix.SIGURG { // the Go runtime's own
			came = append(came, s.String())
		}
	}
	fmt.Printf("same memory %t, signals [%s]\n", string(token) == before, strings.Join(came, " "))
	return nil
}

// linger waits until standard input ends.
func linger([]string) error {
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// listen listens on the address and port, says so, and waits until standard input ends.
func listen(args []string) error {
	fd, at, err := target(args[0], unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, at); err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	if err := unix.Listen(fd, 1); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	fmt.Println("listening")
	return linger(nil)
}

// printStreams writes into the file what descriptors 0 to 2 are.
func printStreams(args []string) error {
	var text strings.Builder
	for fd := range 3 {
		name, err := os.Readlink(procFD(fd))
		if err != nil {
			name = err.Error()
		}
		fmt.Fprintln(&text, name)
	}
	return os.WriteFile(args[0], []byte(text.String()), 0o644)
}

// printConfinement says which program this is and how it is confined.
func printConfinement(args []string) error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, reads := readPath(args[1:])
	fmt.Printf("%s NoNewPrivs %s Seccomp %s canary %t\n", args[0], field(status, "NoNewPrivs"), field(status, "Seccomp"), reads == nil)
	return nil
}

// forks makes as many children as it is told, or as it can, says how many, waits
// until standard input ends, and ends them.
func forks(args []string) error {
	var pids []int
	var last error
	for range number(args[0]) {
		pid, e := rawSleeper()
		if e != 0 {
			last = e
			break
		}
		pids = append(pids, int(pid))
	}
	came, errno := outcome(last)
	err := print(result{Key: "forks", Outcome: came, Errno: errno, Detail: itoa(len(pids))})
	_ = linger(nil)
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, 0, nil)
	}
	return err
}

// rawSleeper forks a child that waits for a signal and dies with this thread; see
// rawFork about what it may not do.
//
//go:nosplit
//go:norace
func rawSleeper() (uintptr, unix.Errno) {
	pid, _, e := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if e == 0 && pid == 0 {
		unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0)
		for {
			unix.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
		}
	}
	return pid, e
}

// exitStatus is what the process ends with.
type exitStatus int

func (s exitStatus) Error() string { return "exit status " + itoa(int(s)) }

// exitWith ends with the status of its argument.
func exitWith(args []string) error { return exitStatus(number(args[0])) }

// signalSelf ends itself by the signal of its argument, which cannot be caught.
func signalSelf(args []string) error {
	if err := unix.Kill(os.Getpid(), unix.Signal(number(args[0]))); err != nil {
		return err
	}
	return linger(nil)
}

// killedByFilter loads a filter of its own that kills the process at getppid(2),
// seccomp(2), and makes that call.
func killedByFilter([]string) error {
	const number, equal, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	code := []unix.SockFilter{
		{Code: number}, // struct seccomp_data begins with the number
		{Code: equal, K: unix.SYS_GETPPID, Jf: 1},
		{Code: ret, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: ret, K: unix.SECCOMP_RET_ALLOW},
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, addr(&prog), 0, 0); err != nil {
		return err
	}
	runtime.KeepAlive(code)
	return fmt.Errorf("outlived its own filter, parent %d", unix.Getppid())
}
