// Package codex runs the real codex command line inside the sandbox, against a provider that runs there too. What
// counts is the file that codex's shell tool leaves: an agent reports success whether its tools ran or not.
package codex

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/integration/tools/lab"
)

func TestMain(m *testing.M) { os.Exit(lab.Main(m)) }

// packages names the directory that .ci/fetch fills, when it is not the repository's bin/npm.
const packages = "SOVRUN_TEST_NPM"

// program returns the directory of the codex package and the native program in it. Where it has not been fetched,
// .ci/fetch is run.
func program(t *testing.T) (dir, path string) {
	t.Helper()
	npm := os.Getenv(packages)
	if npm == "" {
		if out, err := exec.Command("../../.ci/fetch").CombinedOutput(); err != nil {
			t.Fatalf(".ci/fetch: %v\n%s", err, out)
		}
		npm = "../../bin/npm"
	}
	dir, err := filepath.Abs(filepath.Join(npm, "codex"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "vendor/*/bin/codex"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q does not hold one codex (%v, %v): run .ci/fetch, or name another directory in %s", dir, found, err, packages)
	}
	return dir, found[0]
}

// proof is what the model asks codex's shell tool to run. A POSIX shell has no number of an error, so Python gives it.
const proof = `python3 -c '
import errno, os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
try:
    canary = open(os.environ["CANARY"]).read().strip()
except OSError as e:
    canary = errno.errorcode[e.errno]
print("uid", os.getuid(), "NoNewPrivs", int(status["NoNewPrivs"]), "Seccomp", int(status["Seccomp"]), "canary:", canary)
' > proof`

// arguments start codex with fakeapi as its provider. Its own sandbox stays off, as sovrun is around it; analytics
// are off because it waits five seconds for a name server at its end.
func arguments(fakeapi, codex string) []string {
	out := []string{fakeapi, "-run", proof, "-log", "requests", "--",
		codex, "exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"}
	for _, setting := range []string{
		"analytics.enabled=false",
		"check_for_update_on_startup=false",
		"model=fake",
		"model_provider=fake",
		`model_providers.fake={name="fake",base_url="{url}/v1",env_key="FAKE_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
	} {
		out = append(out, "-c", setting)
	}
	return append(out, "prove where you are")
}

func TestCodexWorksInside(t *testing.T) {
	dir, codex := program(t)
	fakeapi := lab.Program(t, "github.com/sovrun/sovrun/integration/fakeapi")
	argv, unconfined := arguments(fakeapi, codex), ownStatus(t)
	lab.Each(t, func(t *testing.T, b *lab.Box) {
		uid := strconv.Itoa(b.Caller.Workspace)
		flags := []string{"--exec", dir, "--exec", fakeapi, "--set", "FAKE_API_KEY=none", "--set", "CANARY=" + b.Canary}
		proves(t, b, b.Inside(flags, argv...), "uid "+uid+" NoNewPrivs 1 Seccomp 2 canary: ENOENT\n")
		b.HomeIsUntouched()
		b.Clear()
		control := append([]string{"env", "FAKE_API_KEY=none", "CANARY=" + b.Canary}, argv...)
		proves(t, b, b.Outside(control...), "uid "+uid+unconfined+" canary: "+lab.Secret)
	})
}

// ownStatus is what the proof says of a process like this one: in a container even the control has a filter.
func ownStatus(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); name == "NoNewPrivs" || name == "Seccomp" {
			out += " " + name + " " + strings.TrimSpace(value)
		}
	}
	return out
}

// proves compares the proof file, and what the provider was told.
func proves(t *testing.T, b *lab.Box, r lab.Result, want string) {
	t.Helper()
	got := read(t, b, "proof")
	if r.Code != 0 || got != want {
		t.Errorf("wanted %q, got status %d and %q\n%s%s", want, r.Code, got, r.Stdout, r.Stderr)
	}
	requests := strings.Split(strings.TrimSuffix(read(t, b, "requests"), "\n"), "\n")
	if len(requests) != 2 || !strings.Contains(requests[1], "exited with code 0") {
		t.Errorf("wanted two requests, the second with the tool's success, got %q", requests)
	}
}

// read returns a file of the workspace, "" where it is missing.
func read(t *testing.T, b *lab.Box, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.Workspace, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}
