// Package suite tests the script that runs the tests, .ci/test, on a small repository: what it hands to tests, and
// that it notices what a test must not do.
package suite

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

// toy is a repository with one package of tests and what .ci/test needs, and places for it to look at.
type toy struct {
	repo, realHome, accountHome, out string
}

func newToy(t *testing.T, tests string) toy {
	t.Helper()
	dir := t.TempDir()
	y := toy{dir + "/repo", dir + "/home", dir + "/account", dir + "/out"}
	for _, d := range []string{y.repo + "/toy", y.realHome, y.accountHome, y.out, dir + "/path"} {
		must(t, os.MkdirAll(d, 0o755))
	}
	// The account that .ci/test makes writes there too.
	must(t, os.Chmod(filepath.Dir(dir), 0o711))
	must(t, os.Chmod(y.out, 0o777))
	for _, pattern := range []string{".ci/test", ".ci/lib.sh", ".ci/fetch", "integration/lint/tally/*.go", "integration/lint/untouched/*.go"} {
		copyFiles(t, "../../..", pattern, y.repo)
	}
	write(t, y.repo+"/.ci/npm.txt", "", 0o644)
	write(t, y.repo+"/go.mod", "module github.com/sovrun/sovrun\n\ngo 1.26.0\n", 0o644)
	write(t, y.repo+"/.gitignore", "/bin/\n", 0o644)
	write(t, y.repo+"/Makefile", "build:\n\t@true\n", 0o644)
	text, err := os.ReadFile("testdata/" + tests)
	must(t, err)
	write(t, y.repo+"/toy/toy_test.go", string(text), 0o644)
	// The account's home comes from the account database: this stands in for it.
	write(t, dir+"/path/getent", "#!/bin/sh\necho \"x:x:0:0::"+y.accountHome+":/bin/sh\"\n", 0o755)
	t.Setenv("PATH", dir+"/path:"+os.Getenv("PATH"))
	git(t, y.repo, "init", "-q")
	git(t, y.repo, "add", "-A")
	git(t, y.repo, "-c", "user.name=toy", "-c", "user.email=toy@localhost", "commit", "-q", "-m", "toy")
	return y
}

func copyFiles(t *testing.T, from, pattern, to string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(from, pattern))
	must(t, err)
	if len(names) == 0 {
		t.Fatalf("nothing matches %q", pattern)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		rel, err := filepath.Rel(from, name)
		must(t, err)
		write(t, filepath.Join(to, rel), string(text), 0o755)
	}
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(text), mode))
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// test runs .ci/test on the toy, both halves where this process can.
func (y toy) test(t *testing.T, vars ...string) (output string, status int) {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	must(t, err)
	dirs := strings.Fields(string(cache))
	c := exec.Command("bash", ".ci/test", "all")
	c.Dir = y.repo
	c.Env = append(os.Environ(), "HOME="+y.realHome, "GOCACHE="+dirs[0], "GOMODCACHE="+dirs[1], "PACKAGES=./toy", "GOFLAGS=", "TESTFLAGS=",
		"SOVRUN_TEST_OUT="+y.out, "SOVRUN_TEST_REAL_HOME="+y.realHome, "SOVRUN_TEST_ACCOUNT_HOME="+y.accountHome)
	c.Env = append(c.Env, vars...)
	out, err := c.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// handed are the variables that tests get, whatever the caller has.
const handed = "CI GIT_OPTIONAL_LOCKS GOCACHE GOENV GOFLAGS GOMODCACHE GOPROXY GOTOOLCHAIN HOME LANG LOGNAME PATH PWD SHELL" +
	" SOVRUN_TEST_ACCOUNT_HOME SOVRUN_TEST_NPM SOVRUN_TEST_OUT SOVRUN_TEST_REAL_HOME TERM TMPDIR USER"

func TestGoodTestsPass(t *testing.T) {
	y := newToy(t, "good.txt")
	out, status := y.test(t, "ANTHROPIC_API_KEY=secret", "SSH_AUTH_SOCK=/run/agent", "SOVRUN_HOME="+y.realHome+"/bank")
	last, want, halves := lastLine(out), "2 passed, 0 failed, 1 skipped", 1
	if os.Getuid() == 0 {
		want, halves = "3 passed, 0 failed, 0 skipped", 2
	}
	if status != 0 || last != want {
		t.Fatalf("wanted %q and status 0, got %q and %d:\n%s", want, last, status, out)
	}
	accounts, err := os.ReadDir(y.out)
	must(t, err)
	if len(accounts) != halves {
		t.Errorf("wanted tests run by %d accounts, got %v", halves, accounts)
	}
	for _, a := range accounts {
		wantHalf(t, y, a.Name())
	}
}

// wantHalf checks what a half's tests saw, and that an account made for them is gone.
func wantHalf(t *testing.T, y toy, account string) {
	t.Helper()
	names, err := os.ReadFile(filepath.Join(y.out, account))
	must(t, err)
	if string(names) != handed {
		t.Errorf("%s: wanted the variables\n%s\ngot\n%s", account, handed, names)
	}
	me, err := user.Current()
	must(t, err)
	if account == me.Username {
		return
	}
	passwd, err := os.ReadFile("/etc/passwd")
	must(t, err)
	if strings.Contains(string(passwd), account+":") {
		t.Errorf("the account %s is still there", account)
	}
}

func TestBadTestsAreNoticed(t *testing.T) {
	y := newToy(t, "bad.txt")
	want := []string{
		y.realHome + `/planted": added`,
		y.accountHome + `/planted": added`,
		y.repo + `/toy/planted-in-repository": added`,
		"/home/planted-in-half",
	}
	var vars []string
	if os.Getuid() == 0 {
		vars = append(vars, "SOVRUN_TEST_PROCESS=1")
		want = append(want, "/user/repo/toy/planted-in-repository", "/user/home/planted-in-half",
			"left processes behind", " sleep 60", "skipped in every run: github.com/sovrun/sovrun/toy TestNobodyRunsThis")
	}
	out, status := y.test(t, vars...)
	if status == 0 {
		t.Error("the run passed")
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("wanted %q in the output", w)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

func lastLine(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}
