package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// program is what is built and tested, by file name.
var program = map[string]string{
	"go.mod": "module example.org/hello\n\ngo 1.26\n",
	"main.go": `package main

import "fmt"

func greeting(name string) string { return "hello, " + name }

func main() { fmt.Println(greeting("sandbox")) }
`,
	"main_test.go": `package main

import "testing"

func TestGreeting(t *testing.T) {
	if got := greeting("x"); got != "hello, x" {
		t.Error(got)
	}
}
`,
}

// repositoryWord stands for the repository that is cloned.
const repositoryWord = "{repository}"

// steps are the commands of the work, run in the workspace.
var steps = [][]string{
	{"git", "clone", "-q", repositoryWord, "clone"},
	{"git", "-C", "clone", "rev-list", "--count", "HEAD"},
	{"go", "-C", "hello", "build", "-o", "../built"},
	{"./built"},
	{"go", "-C", "hello", "vet"},
	{"go", "-C", "hello", "test", "-count=1"},
	{"cp", "-r", "hello", "clone/hello"},
	{"git", "-C", "clone", "add", "hello"},
	{"git", "-C", "clone", "commit", "-q", "-m", "hello from a sandbox"},
	{"git", "-C", "clone", "show", "--stat", "--format=%s, by %an", "HEAD"},
	lastStep,
}

// lastStep prints what the host then looks for.
var lastStep = []string{"git", "-C", "clone", "rev-parse", "HEAD"}

// realWork does them all in one sandbox and looks on the host for the commit.
func realWork(p *place) error {
	repository, err := p.repository()
	if err != nil {
		return err
	}
	if err := p.writeProgram(); err != nil {
		return fmt.Errorf("the program: %w", err)
	}
	if err := p.warm(); err != nil {
		return err
	}
	flags := []string{"--read", repository, "--read", p.gocache}
	if !strings.HasPrefix(p.goroot, "/usr/") {
		flags = append(flags, "--exec", p.goroot)
	}
	for _, v := range append(p.goEnv(), p.gitEnv()) {
		flags = append(flags, "--set", v)
	}
	c := p.command(append(p.sovrun("run", flags...), "--", p.helper, "work", repository))
	fmt.Printf("$ sovrun run --read %s --read %s -- (what follows)\n", repository, p.gocache)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &tee{os.Stdout, &out}, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("the work in the sandbox: %w", err)
	}
	return p.committed(out.String())
}

// tee copies what is printed.
type tee struct {
	screen, copy interface{ Write([]byte) (int, error) }
}

func (t *tee) Write(b []byte) (int, error) {
	t.copy.Write(b)
	return t.screen.Write(b)
}

// work runs inside. Each step is shown with its time and what it printed.
func work(args []string) int {
	for _, step := range steps {
		argv := slices.Clone(step)
		if i := slices.Index(argv, repositoryWord); i >= 0 {
			argv[i] = args[0]
		}
		began := time.Now()
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		fmt.Printf("  %-66s %s\n", shellWords(argv), seconds(time.Since(began)))
		for line := range strings.Lines(string(out)) {
			fmt.Printf("    %s\n", strings.TrimRight(line, "\n"))
		}
		if err != nil {
			fmt.Printf("    %v\n", err)
			return 1
		}
	}
	return 0
}

// written is when the program's files claim to have been: the toolchain keeps what it learns of a directory in its
// cache only when no file there is younger than two seconds (cmd/go/internal/modindex), and inside it cannot.
var written = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// shellWords shows a command line as a shell takes it.
func shellWords(argv []string) string {
	words := slices.Clone(argv)
	for i, w := range words {
		if strings.ContainsAny(w, " %") {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
}

func (p *place) writeProgram() error {
	dir := filepath.Join(p.workspace, "hello")
	err := p.ownDir(dir)
	for name, text := range program {
		path := filepath.Join(dir, name)
		err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644), os.Chown(path, p.uid, p.gid), os.Chtimes(path, written, written))
	}
	return err
}

// repository is the git directory of the working directory's repository: what lies beside it needs not be shown.
func (p *place) repository() (string, error) {
	c := exec.CommandContext(p.ctx, "git", "rev-parse", "--path-format=absolute", "--git-common-dir")
	c.Env = append(os.Environ(), p.gitEnv())
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("find this repository: %w: start the demo in a clone of sovrun", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// gitSettings name an author, and accept a repository of another account: root may have started the demo in a user's
// clone. git clone does not hand settings in the environment on to the process that reads the repository, so this is
// a file.
const gitSettings = "[safe]\n\tdirectory = *\n[user]\n\tname = demo\n\temail = demo@localhost\n"

func (p *place) gitEnv() string {
	return "GIT_CONFIG_GLOBAL=" + filepath.Join(filepath.Dir(p.helper), "gitconfig")
}

// committed looks for the new commit's object. git itself is not asked: it would run what a configuration in the
// workspace says, which a program in the sandbox could have written.
func (p *place) committed(output string) error {
	lines := strings.Fields(output)
	hash := ""
	if len(lines) > 0 {
		hash = lines[len(lines)-1]
	}
	if len(hash) < 40 {
		return fmt.Errorf("the work in the sandbox printed no commit, but %q", hash)
	}
	object := filepath.Join(p.workspace, "clone/.git/objects", hash[:2], hash[2:])
	if _, err := os.Stat(object); err != nil {
		return fmt.Errorf("the commit on the host: %w", err)
	}
	fmt.Println("on the host: the commit is in the workspace's clone")
	return nil
}
