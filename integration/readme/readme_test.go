package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// upstream is the address that the README clones from; the session's git takes a copy of the working tree instead.
const upstream = "https://github.com/sovrun/sovrun"

// notRun are commands that would not end: the test is part of what they start. That the target exists is checked.
var notRun = map[string]string{"make test": "make -n test > /dev/null"}

func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	must(t, err)
	steps, err := parse(string(text))
	must(t, err)
	if len(steps) == 0 {
		t.Fatal("the README has no block to run")
	}
	for i := range steps {
		if instead, ok := notRun[steps[i].command]; ok {
			steps[i].command, steps[i].want = instead, ""
		}
	}
	home, dir := t.TempDir(), t.TempDir()
	results, err := run(steps, dir, t.TempDir(), append(environment(t, home), upstreamIs(workingTree(t))...))
	must(t, err)
	for _, complaint := range judge(steps, results, home) {
		t.Error(complaint)
	}
}

// environment is what a newcomer has after logging in, with the toolchain's caches shared so that the session does
// not compile the standard library anew.
func environment(t *testing.T, home string) []string {
	t.Helper()
	out := []string{"HOME=" + home, "PATH=" + home + "/.local/bin:" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/bash"}
	for _, name := range []string{"USER", "LOGNAME", "TMPDIR", "GOPROXY", "GOTOOLCHAIN", "GOENV"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	settings, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	must(t, err)
	dirs := strings.Fields(string(settings))
	return append(out, "GOCACHE="+dirs[0], "GOMODCACHE="+dirs[1])
}

func upstreamIs(repo string) []string {
	return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + repo + ".insteadOf", "GIT_CONFIG_VALUE_0=" + upstream}
}

// workingTree is a repository with what the working tree holds now, committed or not.
func workingTree(t *testing.T) string {
	t.Helper()
	repo := t.TempDir()
	shell(t, "../..", "git -c 'safe.directory=*' ls-files -z --cached --others --exclude-standard --deduplicate |"+
		" while IFS= read -r -d '' p; do if [[ -e $p ]]; then printf '%s\\0' \"$p\"; fi; done |"+
		" tar --null -T - -cf - | tar -C '"+repo+"' --no-same-owner -xf -")
	shell(t, repo, "git init -q && git add -A && git -c user.name=a -c user.email=a@localhost commit -q -m snapshot")
	return repo
}

func shell(t *testing.T, dir, command string) {
	t.Helper()
	c := exec.Command("bash", "-o", "pipefail", "-c", command)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// session runs a README and returns the complaints about it.
func session(t *testing.T, text string) []string {
	t.Helper()
	steps, err := parse(text)
	must(t, err)
	home := t.TempDir()
	results, err := run(steps, t.TempDir(), t.TempDir(), []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"})
	must(t, err)
	return judge(steps, results, home)
}

func TestSampleHolds(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "sample.md"))
	must(t, err)
	if got := session(t, string(text)); len(got) != 0 {
		t.Errorf("wanted no complaint, got %s", strings.Join(got, "\n"))
	}
}

func TestWhatDoesNotHoldIsNoticed(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"other output", "$ echo a\nb\n", "README.md:2: $ echo a\nwanted\nb\ngot\na"},
		{"no output shown", "$ echo a\n", "wanted\n\ngot\na"},
		{"more output shown", "$ echo a\na\nb\n", "got\na"},
		{"standard error", "$ echo a >&2\n", "got\na"},
		{"a failure", "$ false\n", "exit status 1"},
		{"a failure before the end", "$ false\n$ true\n", "README.md:2: $ false: exit status 1"},
		{"another status", "$ false\n$ echo $?\n0\n", "got\n1"},
		{"an ellipsis that leaves too much", "$ seq 3\n1\n...\n2\n", "got\n1\n2\n3"},
		{"an ellipsis inside a line", "$ seq 2\n...2...\n", "got\n1\n2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := session(t, "```console\n"+c.body+"```\n")
			if len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("wanted one complaint with %q, got %q", c.want, got)
			}
		})
	}
}

func TestAStepThatEndsTheSession(t *testing.T) {
	steps, err := parse("```console\n$ exit 0\n$ true\n```\n")
	must(t, err)
	if _, err = run(steps, t.TempDir(), t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "ended in step 1 of 2") {
		t.Errorf("wanted the step named, got %v", err)
	}
}

func TestBlocksThatNobodyRunsAreErrors(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"no kind", "```\nx\n```\n", "is not run"},
		{"another kind", "a\n```sh\nx\n```\n", "line 2: a block \"sh\" is not run"},
		{"output before a command", "```console\nx\n```\n", "wanted a command"},
		{"no end", "```console\n$ true\n", "does not end"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("wanted %q, got %v", c.want, err)
			}
		})
	}
}

func TestNormalise(t *testing.T) {
	cases := []struct{ in, want string }{
		{"started in 3.25 ms", "started in <time>"},
		{"ok \tx\t0.123s", "ok \tx\t<time>"},
		{"pid 4711 died", "pid <number> died"},
		{"bin/sovrun 0c45f57", "bin/sovrun <commit>"},
		{"bin/sovrun v1.2.3-4-g0c45f57-dirty", "bin/sovrun <commit>"},
		{"bin/sovrun v1.2.3", "bin/sovrun <commit>"},
		{"/tmp/h/.local/bin", "/home/you/.local/bin"},
		{"113 passed, 0 failed, 0 skipped", "<number> passed, 0 failed, 0 skipped"},
		{"113 passed, 1 failed, 0 skipped", "113 passed, 1 failed, 0 skipped"},
		{"errno 13, EACCES, 125, 4 MiB, Landlock ABI 7", "errno 13, EACCES, 125, 4 MiB, Landlock ABI 7"},
	}
	for _, c := range cases {
		if got := strings.Join(normalise(c.in, "/tmp/h"), "\n"); got != c.want {
			t.Errorf("%q: wanted %q, got %q", c.in, c.want, got)
		}
	}
}
