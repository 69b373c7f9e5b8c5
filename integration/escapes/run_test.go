package escapes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// status is what sovrun writes about a run.
type status struct {
	ProviderStarted bool              `json:"provider_started"`
	ExitCode        *int              `json:"exit_code"`
	Signal          *int              `json:"signal"`
	SovrunExitCode  int               `json:"sovrun_exit_code"`
	Category        string            `json:"category"`
	Planes          map[string]string `json:"planes"`
}

// inside prepares sovrun with the agent in the lab's workspace; its first words
// are flags up to "--".
func (l *lab) inside(m mode, words ...string) (*exec.Cmd, string) {
	l.t.Helper()
	dir, err := os.MkdirTemp(l.dir+"/status", "")
	l.must(err)
	if m.starter.uid != os.Geteuid() {
		l.must(os.Chown(dir, m.starter.uid, m.starter.gid))
	}
	file := filepath.Join(dir, "status.json")
	argv := []string{"run", "--workspace", l.ws, "--read", l.names["grant"], "--read", l.names["inner"], "--status-file", file}
	for _, name := range []string{"http_proxy", "https_proxy", "ALL_PROXY"} {
		argv = append(argv, "--set", name+"=http://127.0.0.1:1")
	}
	cmd := exec.Command(l.dir+"/bin/sovrun", append(argv, words...)...)
	l.prepare(cmd, m.starter)
	return cmd, file
}

// agent is the words that run the agent inside.
func (l *lab) agent(args ...string) []string {
	return append([]string{"--", l.ws + "/agent"}, args...)
}

func (l *lab) status(file string) status {
	l.t.Helper()
	text, err := os.ReadFile(file)
	l.must(err)
	var s status
	l.must(json.Unmarshal(text, &s))
	return s
}

// ended runs a command to its end and returns its standard output and its wait
// status; what it says on standard error goes into the test's log.
func (l *lab) ended(cmd *exec.Cmd) (string, syscall.WaitStatus) {
	l.t.Helper()
	var out, trouble bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &trouble
	ctx, stop := context.WithTimeout(context.Background(), 10*patience)
	defer stop()
	l.must(cmd.Start())
	late := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer late()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		l.t.Fatalf("%v: %v", cmd, err)
	}
	if trouble.Len() > 0 {
		l.t.Logf("%s says: %s", filepath.Base(cmd.Path), &trouble)
	}
	return out.String(), cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// leaveOpen gives a command the descriptors that a careless caller leaves open.
func (l *lab) leaveOpen(cmd *exec.Cmd) {
	l.t.Helper()
	open := func(path string) *os.File {
		f, err := os.Open(path)
		l.must(err)
		l.t.Cleanup(func() { f.Close() })
		return f
	}
	canary := open(l.dir + "/secret/canary")
	const first = 3 // the number of ExtraFiles[0]
	cmd.ExtraFiles = make([]*os.File, 2048+1-first)
	for fd, f := range map[int]*os.File{5: l.net.left, 7: open("/proc/self/ns/net"), 8: open(l.dir + "/secret"), 9: canary, 2048: canary} {
		cmd.ExtraFiles[fd-first] = f
	}
}

// job is how the agent wants a technique.
func (l *lab) job(t Technique, inside bool) string {
	l.t.Helper()
	text, err := json.Marshal(map[string]any{"key": t.Key(), "act": t.Act, "args": l.fill(t, inside)})
	l.must(err)
	return string(text)
}

// results reads what the agent printed.
func (l *lab) results(out string, into map[string]Result) {
	l.t.Helper()
	for line := range strings.Lines(out) {
		var r Result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			l.t.Fatalf("the agent said %q: %v", line, err)
		}
		into[r.Key] = r
	}
}

// batch writes the jobs of many techniques to a file in the workspace.
func (l *lab) batch(techniques []Technique, inside bool) (path string) {
	l.t.Helper()
	var jobs []string
	for _, t := range techniques {
		jobs = append(jobs, l.job(t, inside))
	}
	path = fmt.Sprintf("%s/jobs-%t.json", l.ws, inside)
	l.write(path, "["+strings.Join(jobs, ",\n")+"]", 0o644)
	l.t.Cleanup(func() { os.Remove(path) })
	return path
}

// enforced checks that the report says of a plane what the techniques show.
func enforced(t *testing.T, s status, plane string) {
	t.Helper()
	if s.Planes[plane] != "ENFORCED" {
		t.Errorf("the report says %q about plane %s, wanted ENFORCED", s.Planes[plane], plane)
	}
}
