package tools

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"testing"

	"github.com/sovrun/sovrun/integration/tools/lab"
)

// seize reads process ids and tries PTRACE_SEIZE (ptrace(2)), which changes nothing, on a child of its own and on
// each of them.
const seize = `
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE = 0x4206
def attempt(pid):
    if libc.ptrace(PTRACE_SEIZE, pid, None, None) == 0:
        return "traced"
    return errno.errorcode[ctypes.get_errno()]
r, w = os.pipe()
child = os.fork()
if child == 0:
    os.close(w)
    os.read(r, 1)
    os._exit(0)
print("child", attempt(child))
for pid in map(int, sys.stdin.readline().split()):
    print("host", attempt(pid))
`

// victim lets everybody of its uid trace it, also where the Yama module restricts that to ancestors, says so, and
// lives until its standard input ends.
const victim = `
import ctypes, sys
PR_SET_PTRACER, PR_SET_PTRACER_ANY = 0x59616d61, ctypes.c_ulong(-1)
ctypes.CDLL(None).prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0)
print("ready", flush=True)
sys.stdin.read()
`

// Under the debug profile a process traces its own children; the launcher, and another process of the same user, it
// cannot even name.
func TestDebugStaysInside(t *testing.T) {
	lab.Each(t, func(t *testing.T, b *lab.Box) {
		b.Put("seize.py", seize)
		other := startVictim(t, b)
		inside := b.Command([]string{"--syscalls", "debug"}, "python3", "seize.py")
		compare(t, "inside", tellPids(t, b, inside, other), `child traced\nhost ESRCH\nhost ESRCH\n`)
		outside := b.Control("python3", "seize.py")
		compare(t, "outside", tellPids(t, b, outside, other), `child traced\nhost traced\nhost \w+\n`)
	})
}

// tellPids starts the command and writes the other's pid and the command's own to it.
func tellPids(t *testing.T, b *lab.Box, c *exec.Cmd, other int) lab.Result {
	t.Helper()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	wait := b.Start(c)
	// A broken pipe is a command that ended early, which the result shows.
	fmt.Fprintln(in, other, c.Process.Pid)
	return wait()
}

func startVictim(t *testing.T, b *lab.Box) int {
	t.Helper()
	c := b.Control("python3", "-c", victim)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		io.Copy(io.Discard, out)
		if err := c.Wait(); err != nil {
			t.Errorf("the victim, pid %d: %v", c.Process.Pid, err)
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the victim did not start: %q, %v", line, err)
	}
	return c.Process.Pid
}
