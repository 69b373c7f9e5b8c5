package readme

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// timeLimit of a whole session: the demo and a build from nothing fit into it several times.
const timeLimit = 15 * time.Minute

// result is what one command did.
type result struct {
	output string
	status int
}

// run executes the steps in one shell in dir, with nothing but the given environment, and returns a result for each.
// Files for its own use are put into scratch.
func run(steps []step, dir, scratch string, env []string) ([]result, error) {
	marker := fmt.Sprintf("--- end of step in session %d: ", os.Getpid())
	script, err := writeScript(steps, scratch, marker)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "--norc", "--noprofile", script)
	c.Dir, c.Env = dir, env
	// The whole group is ended with the session, not the shell alone.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the session did not end within %v:\n%s", timeLimit, out)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("start the session: %w", err)
	}
	return results(string(out), marker, len(steps))
}

// writeScript puts each command into a file of its own, so that its quoting is the shell's affair alone, and evaluates
// them one after another with the status of the one before in $?.
func writeScript(steps []step, scratch, marker string) (string, error) {
	script := "status=0\n"
	for i, s := range steps {
		text, name := s.command, filepath.Join(scratch, strconv.Itoa(i))
		line := fmt.Sprintf("command=$(< '%s')\n(exit $status)\neval \"$command\"\n", name)
		if s.file {
			text, line = s.want, fmt.Sprintf("cat '%s' > '%s'\n", name, s.command)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("write step %d: %w", i, err)
		}
		script += line + fmt.Sprintf("status=$?\nprintf '%%s%%s\\n' '%s' \"$status\"\n", marker)
	}
	name := filepath.Join(scratch, "script")
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		return "", fmt.Errorf("write the session: %w", err)
	}
	return name, nil
}

func results(output, marker string, steps int) ([]result, error) {
	var out []result
	for len(out) < steps {
		text, rest, found := strings.Cut(output, marker)
		number, after, _ := strings.Cut(rest, "\n")
		status, err := strconv.Atoi(number)
		if !found || err != nil {
			return nil, fmt.Errorf("the session ended in step %d of %d:\n%s", len(out)+1, steps, output)
		}
		out = append(out, result{text, status})
		output = after
	}
	return out, nil
}
