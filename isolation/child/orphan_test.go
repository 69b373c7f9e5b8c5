package child

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// orphanEnv makes a test process begin a launch and wait to be killed.
const orphanEnv = "SOVRUN_TEST_ORPHAN"

// TestChildOfAKilledLauncherEnds, even if the launcher was killed before the child
// had asked for the parent-death signal: here the child sleeps first.
func TestChildOfAKilledLauncherEnds(t *testing.T) {
	if os.Getenv(orphanEnv) != "" {
		beginLate()
		return
	}
	// What loses its parent becomes ours, so that its end can be waited for.
	const setChildSubreaper = 36
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); e != 0 {
		t.Fatal(e)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), orphanEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pid, bad := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || bad != nil {
		t.Fatalf("the launcher says %q (%v)", line, err)
	}
	cmd.Process.Kill()
	_ = cmd.Wait()
	for end := time.Now().Add(deadline); ; time.Sleep(20 * time.Millisecond) {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(pid, &ws, syscall.WNOHANG|waitAll, nil)
		if got == pid {
			if !ws.Exited() || ws.ExitStatus() != ExitSetup {
				t.Errorf("the child ended by %#x, wanted exit status %d", ws, ExitSetup)
			}
			return
		}
		if time.Now().After(end) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("the child lives on without its launcher (%v)", err)
		}
	}
}

// beginPause is a second. It lies where it does not move: the ops before there is a
// program cannot refer to an arena.
var beginPause = syscall.Timespec{Sec: 1}

// beginLate starts a child that asks for the parent-death signal only after a while.
func beginLate() {
	runtime.LockOSThread()
	b := NewBuilder()
	b.Do(&b.P.Early, syscall.SYS_NANOSLEEP, Imm(uintptr(unsafe.Pointer(&beginPause))), Imm(0))
	b.Do(&b.P.Early, syscall.SYS_PRCTL, Imm(syscall.PR_SET_PDEATHSIG), Imm(int(syscall.SIGKILL)))
	b.P.CloneFlags = uintptr(syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID)
	l, err := b.P.Begin()
	if err != nil {
		os.Exit(3)
	}
	os.Stdout.WriteString(strconv.Itoa(l.PID) + "\n")
	for {
		_ = syscall.Pause()
	}
}
