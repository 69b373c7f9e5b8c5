package escapes

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// fixtures are the tests of techniques that need more around them than an attempt.
func fixtures() map[string]func(t *testing.T, l *lab, m mode) {
	return map[string]func(t *testing.T, l *lab, m mode){
		"T06/listen":  listening,
		"N07/daemon":  leftBehind,
		"N08/forks":   forking,
		"S20/kill":    killedInside,
		"I09/status":  spoofed,
		"I10/streams": withoutStreams,
		"I14/swap":    swapped,
	}
}

func TestFixtures(t *testing.T) {
	labs := map[person]*lab{}
	for _, m := range modes(t) {
		if labs[m.owner] == nil {
			labs[m.owner] = newLab(t, m.owner)
		}
		l := labs[m.owner]
		for _, c := range Catalogue() {
			if c.How == Fixture && c.meantFor(m.identity) {
				t.Run(m.name+"/"+c.Key(), func(t *testing.T) {
					l := l.in(t)
					before, facts := l.snapshot(), l.facts()
					fixtures()[c.Key()](t, l, m)
					l.unchanged("the technique", before, facts)
				})
			}
		}
	}
}

// running is a command that has said its first line and waits for the end of its
// standard input.
type running struct {
	cmd  *exec.Cmd
	in   io.Closer
	line string
}

// started starts a command and waits for its first line.
func started(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*patience, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("%v said nothing: %v", cmd, err)
	}
	return &running{cmd: cmd, in: in, line: strings.TrimSpace(line)}
}

// end lets it end.
func (r *running) end(t *testing.T) {
	t.Helper()
	r.in.Close()
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("%v: %v", r.cmd, err)
	}
}
