package escapes

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// killedInside: a filter of the program's own kills it, and sovrun neither hangs
// nor takes it for anything else.
func killedInside(t *testing.T, l *lab, m mode) {
	if _, ws := l.ended(l.outside(l.owner, "filter")); ws.Signal() != unix.SIGSYS {
		t.Errorf("control: ended with %#x, wanted signal SIGSYS", uint32(ws))
	}
	cmd, file := l.inside(m, l.agent("filter")...)
	_, ws := l.ended(cmd)
	s := l.status(file)
	if want := 128 + int(unix.SIGSYS); ws.ExitStatus() != want || s.SovrunExitCode != want || s.Signal == nil || *s.Signal != int(unix.SIGSYS) || s.ExitCode != nil {
		t.Errorf("exit status %d, wanted %d; status %+v", ws.ExitStatus(), want, s)
	}
	enforced(t, s, syscalls)
}

// ending is how a program ends and what sovrun must say about it.
type ending struct {
	mode, arg string
	exit      int
	code, sig int // of the status, -1: null
}

// spoofed: a program that ends as sovrun does when it fails is told apart by the
// status, which the program cannot write.
func spoofed(t *testing.T, l *lab, m mode) {
	for _, e := range []ending{
		{"exit", "125", 125, 125, -1},
		{"exit", "126", 126, 126, -1},
		{"exit", "127", 127, 127, -1},
		{"exit", "137", 137, 137, -1},
		{"exit", "159", 159, 159, -1},
		{"signal", "9", 137, -1, 9},
		{"signal", "15", 143, -1, 15},
	} {
		if _, ws := l.ended(l.outside(l.owner, e.mode, e.arg)); ws.ExitStatus() != e.code || e.sig > 0 && int(ws.Signal()) != e.sig {
			t.Errorf("control: %s %s ended with %#x", e.mode, e.arg, uint32(ws))
		}
		cmd, file := l.inside(m, l.agent(e.mode, e.arg)...)
		_, ws := l.ended(cmd)
		s := l.status(file)
		if ws.ExitStatus() != e.exit || !s.ProviderStarted || value(s.ExitCode) != e.code || value(s.Signal) != e.sig || s.SovrunExitCode != e.exit {
			t.Errorf("%s %s: exit status %d, status %s", e.mode, e.arg, ws.ExitStatus(), s)
		}
		enforced(t, s, processes)
	}
	failures(t, l, m)
	descriptorOutOfReach(t, l, m)
}

// failures are sovrun's own, by the same exit statuses.
func failures(t *testing.T, l *lab, m mode) {
	l.write(l.ws+"/text", "not a program\n", 0o644)
	defer os.Remove(l.ws + "/text")
	for _, c := range []struct {
		exit  int
		words []string
	}{
		{125, append([]string{"--require", resources}, l.agent("true")...)},
		{126, []string{"--", l.ws + "/text"}},
		{127, []string{"--", l.ws + "/missing"}},
	} {
		cmd, file := l.inside(m, c.words...)
		_, ws := l.ended(cmd)
		if s := l.status(file); ws.ExitStatus() != c.exit || s.ProviderStarted || s.ExitCode != nil || s.Signal != nil || s.SovrunExitCode != c.exit {
			t.Errorf("%v: exit status %d, wanted %d; status %s", c.words, ws.ExitStatus(), c.exit, s)
		}
	}
}

// descriptorOutOfReach: the descriptor of --status-fd is closed inside.
func descriptorOutOfReach(t *testing.T, l *lab, m mode) {
	r, w, err := os.Pipe()
	l.must(err)
	defer r.Close()
	write := Technique{Row: "I09", Name: "descriptor", Act: "descriptor_write", Args: args("3", "forged")}
	cmd, _ := l.inside(m, l.agent("one", l.job(write, true))...)
	cmd.Args = append(cmd.Args[:2:2], append([]string{"--status-fd", "3"}, withoutFlag(cmd.Args[2:], "--status-file")...)...)
	cmd.ExtraFiles = []*os.File{w}
	out, _ := l.ended(cmd)
	w.Close()
	results := map[string]Result{}
	l.results(out, results)
	if got := results[write.Key()]; got.Errno != syscall.EBADF {
		t.Errorf("writing to the status descriptor inside: %v, wanted EBADF", got)
	}
	b := make([]byte, 4096)
	n, err := r.Read(b)
	if err != nil || !strings.HasPrefix(string(b[:n]), `{"schema":`) || strings.Contains(string(b[:n]), "forged") {
		t.Errorf("the status descriptor got %q, %v", b[:n], err)
	}
}

// withoutFlag leaves out a flag and its value.
func withoutFlag(words []string, flag string) []string {
	for i, w := range words {
		if w == flag {
			return append(words[:i:i], words[i+2:]...)
		}
	}
	return words
}

func value(p *int) int {
	if p == nil {
		return -1
	}
	return *p
}

func (s status) String() string {
	return fmt.Sprintf("started %t, code %d, signal %d, sovrun's own %d, %s", s.ProviderStarted, value(s.ExitCode), value(s.Signal), s.SovrunExitCode, s.Category)
}

// withoutStreams: with any of descriptors 0 to 2 closed, nothing that sovrun opens
// becomes one of the program's standard streams. The control is a program that
// opens a directory in that state and has it as descriptor 0.
func withoutStreams(t *testing.T, l *lab, m mode) {
	out, _ := l.ended(l.shell(l.owner, "exec ls -l /proc/self/fd <&-"))
	if !strings.Contains(out, " 0 -> /proc/") {
		t.Errorf("control: the directory that ls opened did not become descriptor 0: %q", out)
	}
	path := l.ws + "/streams"
	for _, closed := range [][]int{{0}, {1}, {2}, {0, 1, 2}} {
		cmd, file := l.inside(m, l.agent("streams", path)...)
		line := `exec "$@"`
		for _, fd := range closed {
			line += fmt.Sprintf(" %d>&-", fd)
		}
		if _, ws := l.ended(l.shell(m.starter, line, cmd.Args...)); ws.ExitStatus() != 0 {
			t.Errorf("%v closed: exit status %d", closed, ws.ExitStatus())
		}
		text, err := os.ReadFile(path)
		l.must(err)
		l.must(os.Remove(path))
		streams := strings.Fields(string(text))
		for _, fd := range closed {
			if streams[fd] != "/dev/null" {
				t.Errorf("%v closed: descriptors 0 to 2 inside are %q", closed, streams)
			}
		}
		enforced(t, l.status(file), descriptors)
	}
}

// shell runs a line of shell with arguments.
func (l *lab) shell(who person, line string, args ...string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", append([]string{"-c", line, "sh"}, args...)...)
	l.prepare(cmd, who)
	return cmd
}
