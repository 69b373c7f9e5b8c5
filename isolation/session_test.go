package isolation

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// sessionWanted makes TestSession do the launch that it is about, in a process
// whose terminal is known.
const sessionWanted = "SOVRUN_TEST_SESSION"

// TestSession: group and session as the command sees them are its pid 1's, or 0
// where they are the caller's, which have no number inside.
func TestSession(t *testing.T) {
	if want := os.Getenv(sessionWanted); want != "" {
		if code := start(t, "/bin/sh", "-c", `test "$(cut -d' ' -f5,6 /proc/self/stat)" = "`+want+`"`); code != 0 {
			t.Errorf("exit status %d: group and session are not %s", code, want)
		}
		return
	}
	main, peer := pty(t)
	defer main.Close()
	defer peer.Close()
	for _, c := range []struct {
		name, want string
		stdin      *os.File
		attr       syscall.SysProcAttr
	}{
		{"no terminal", "1 1", nil, syscall.SysProcAttr{Setsid: true}},
		{"a terminal", "0 0", peer, syscall.SysProcAttr{Setsid: true, Setctty: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command("/proc/self/exe", "-test.run=^TestSession$")
			cmd.Env = append(os.Environ(), sessionWanted+"="+c.want)
			cmd.SysProcAttr = &c.attr
			cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
			if c.stdin != nil {
				cmd.Stdin = c.stdin
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// pty makes a terminal.
func pty(t *testing.T) (main, peer *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	other, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if e != 0 {
		t.Fatal(e)
	}
	return os.NewFile(uintptr(fd), "main"), os.NewFile(other, "peer")
}
