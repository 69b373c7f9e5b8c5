package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sovrun/sovrun/integration/harness"
)

// difference is one thing that a command finds otherwise inside.
type difference struct {
	what   string // as programs/state.py and docs/differences.md call it
	who    string // "" for every caller
	inside string // as JSON
}

// differences are all of them, among what programs/state.py looks at, for a caller
// with the preparation below.
var differences = []difference{
	{"limit core", "", "[1,1]"},
	{"capabilities", "", `["0000000000000000","0000000000000000","0000000000000000","0000000000000000","0000000000000000"]`},
	{"no_new_privs", "", `"1"`},
	{"system call filter", "", `"2"`},
	{"parent is pid 1", "", "true"},
	{"session of its own", "", "true"},
	{"ignored signals", "", `"0000000001001003"`}, // SIGHUP, SIGINT; SIGPIPE and SIGXFSZ are Python's doing
	{"open descriptors", "", "[0,1,2,3]"},
	{"supplementary groups", "root", "[65534,65534]"},
	{"supplementary groups", "handover", "[]"},
	{"supplementary groups", "user", "[65534,65534]"},
	{"user and group", "handover", "[[54321,54321,54321],[65534,65534,65534]]"},
}

// preparation is what a caller has set for what it starts.
const preparation = `umask 027; ulimit -n 512; ulimit -f 1000000; ulimit -s 4096; trap '' HUP INT TERM QUIT; exec 9< /dev/null; exec nice -n 5 "$@"`

// awkward are arguments that survive only if nobody looks at them.
var awkward = []string{"", "a b", "new\nline", "\xff\xfe", "--", "-x", "--read=/", "$HOME `id` \\", "ü"}

func TestInheritedState(t *testing.T) {
	for _, c := range harness.Callers() {
		t.Run(string(c), func(t *testing.T) {
			l := lab.place.NewLab(t, c)
			copyFile(t, "programs/state.py", filepath.Join(l.Workspace, "state.py"))
			direct := state(t, l, nil)
			inside := state(t, l, []string{lab.sovrun, "run", "--"})
			checkDifferences(t, c, direct, inside)
		})
	}
}

// state runs state.py with the preparation, behind a launcher or directly.
func state(t *testing.T, l harness.Lab, launcher []string) map[string]any {
	t.Helper()
	args := append([]string{"-c", preparation, "sh"}, launcher...)
	args = append(append(args, "/usr/bin/python3", "state.py"), awkward...)
	cmd := l.Command("/bin/sh", args...)
	if os.Getuid() == 0 {
		if cmd.SysProcAttr == nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{}}
		}
		cmd.SysProcAttr.Credential.Groups = []uint32{7, 8}
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var s map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	return s
}

// expected gives the difference that a caller must find, if there is one. An
// ordinary user who runs the tests has groups of its own, which nobody knows here.
func expected(c harness.Caller, what string) (inside string, listed bool) {
	for _, d := range differences {
		switch {
		case d.what != what || d.who != "" && d.who != string(c):
		case d.who != "" && os.Getuid() != 0:
			return "", true
		default:
			return d.inside, true
		}
	}
	return "", false
}

func checkDifferences(t *testing.T, c harness.Caller, direct, inside map[string]any) {
	if len(direct) < 35 {
		t.Fatalf("only %d things were looked at", len(direct))
	}
	for what, out := range direct {
		in := inside[what]
		text, _ := json.Marshal(in)
		want, listed := expected(c, what)
		switch {
		case listed && want != "" && string(text) != want:
			t.Errorf("%s is %s inside, wanted %s", what, text, want)
		case !listed && !reflect.DeepEqual(in, out):
			t.Errorf("%s is %v outside and %v inside, and no difference is listed", what, out, in)
		}
	}
}

// TestDifferencesAreDocumented: what differs stands in the documentation.
func TestDifferencesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/differences.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		if !strings.Contains(string(text), "| "+d.what+" |") {
			t.Errorf("docs/differences.md has no row %q", d.what)
		}
	}
}

// TestLargeArguments: what the kernel takes comes through whole; what it does not
// take is told.
func TestLargeArguments(t *testing.T) {
	for _, c := range harness.Callers() {
		t.Run(string(c), func(t *testing.T) {
			l := lab.place.NewLab(t, c)
			longest := strings.Repeat("x", 1<<17-1) // MAX_ARG_STRLEN with its NUL, execve(2)
			many := make([]string, 1400)
			for i := range many {
				many[i] = strconv.Itoa(i) + strings.Repeat("y", 1000)
			}
			for _, args := range [][]string{{longest}, many} {
				want := strings.Join(args, "\n") + "\n"
				cmd := l.Command(lab.sovrun, append([]string{"run", "--", "/usr/bin/printf", `%s\n`}, args...)...)
				if out, err := cmd.Output(); err != nil || string(out) != want {
					t.Errorf("%d arguments: %v, %d bytes came through, wanted %d", len(args), err, len(out), len(want))
				}
			}
			tooLarge(t, l)
		})
	}
}

// tooLarge has one variable that the kernel refuses, which only a policy file can set.
func tooLarge(t *testing.T, l harness.Lab) {
	value := strings.Repeat("z", 1<<17)
	direct := l.Command("/bin/true")
	direct.Env = append(direct.Env, "LARGE="+value)
	if err := direct.Run(); !errors.Is(err, syscall.E2BIG) {
		t.Errorf("directly: %v, wanted %v", err, syscall.E2BIG)
	}
	file := filepath.Join(l.Workspace, "policy.toml")
	if err := os.WriteFile(file, []byte("[environment.set]\nLARGE = \""+value+"\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := l.Command(lab.sovrun, "run", "--config", file, "--", "/bin/true")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run()
	if harness.Status(cmd) != 126 || !strings.Contains(stderr.String(), "larger than the kernel takes (128 KiB for one") {
		t.Errorf("status %d, wanted 126: %s", harness.Status(cmd), stderr.String())
	}
	for _, f := range faults(stderr.String()) {
		t.Error(f)
	}
}

// TestProgramName: argv[0] is what the caller wrote.
func TestProgramName(t *testing.T) {
	for _, c := range harness.Callers() {
		l := lab.place.NewLab(t, c)
		for _, name := range []string{"cat", "/bin/cat", "/usr/bin/../bin/cat"} {
			cmd := l.Command(lab.sovrun, "run", "--", name, "/proc/self/cmdline")
			out, err := cmd.Output()
			if want := name + "\x00/proc/self/cmdline\x00"; err != nil || string(out) != want {
				t.Errorf("%s: %q: %q, %v", c, name, out, err)
			}
		}
	}
}

// TestOwnership: files made inside belong to whom the command runs as, on the host.
func TestOwnership(t *testing.T) {
	for _, c := range harness.Callers() {
		t.Run(string(c), func(t *testing.T) {
			l := lab.place.NewLab(t, c)
			cmd := l.Command(lab.sovrun, "run", "--", "sh", "-c", "touch made; chown 12345:12345 made; id -u")
			out, _ := cmd.Output()
			if want := strconv.Itoa(l.Caller.ID()) + "\n"; string(out) != want {
				t.Errorf("uid inside %q, wanted %q", out, want)
			}
			var st syscall.Stat_t
			if err := syscall.Stat(filepath.Join(l.Workspace, "made"), &st); err != nil || int(st.Uid) != l.Caller.ID() {
				t.Errorf("the file belongs to %d on the host, wanted %d (%v)", st.Uid, l.Caller.ID(), err)
			}
		})
	}
}

// TestVanishedDirectory: a working directory that is gone is told, and nothing breaks.
func TestVanishedDirectory(t *testing.T) {
	for _, c := range harness.Callers() {
		l := lab.place.NewLab(t, c)
		gone := l.Mkdir("gone")
		cmd := l.Command("/bin/sh", "-c", `cd "$1" && rmdir "$1" && exec "$2" run -- pwd`, "sh", gone, lab.sovrun)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		var x *exec.ExitError
		if errors.As(err, &x) && x.ExitCode() != 125 || err == nil && string(out) != "/tmp\n" {
			t.Errorf("%s: %q, %v: %s", c, out, err, stderr.String())
		}
		for _, f := range faults(stderr.String()) {
			t.Error(f)
		}
	}
}
