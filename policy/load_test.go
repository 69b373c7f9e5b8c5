package policy

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const wholeFile = `extends = ["default"]
require = ["network", "ipc"]

[filesystem]
exec  = ["/opt/tool"]
read  = ["/opt/tool", "data"]
write = ["."]
hide  = [
  "vault",   # keys
]

[network]
mode = "host"

[environment]
pass = ["API_KEY"]
set  = { CI = "true", "odd.name" = "x" }

[syscalls]
profile = "debug"

[resources]
processes = 512
open_files = 4_096
file_size = "1GiB"

[workspace]
policy = "persistent"
`

func TestLoad(t *testing.T) {
	got, err := Load("p.toml", []byte(wholeFile))
	if err != nil {
		t.Fatal(err)
	}
	at := func(line, col int) Origin { return Origin{Source: "p.toml", Line: line, Col: col} }
	want := Fragment{HasNetwork: true, HasExtends: true, Policy: Policy{
		Require: PlanesOf(Network, IPC),
		Files: []Rule{
			{Path: "vault", Access: Hide, Origin: at(9, 3)},
			{Path: "/opt/tool", Access: Read, Origin: at(6, 10)}, {Path: "data", Access: Read, Origin: at(6, 23)},
			{Path: "/opt/tool", Access: Exec, Origin: at(5, 10)},
			{Path: ".", Access: Write, Origin: at(7, 10)},
		},
		Network: NetworkHost, Syscalls: "debug",
		Pass:    []Name{{"API_KEY", at(16, 9)}},
		Set:     []Setting{{"CI", "true", at(17, 15)}, {"odd.name", "x", at(17, 36)}},
		Limits:  []Limit{{MaxProcesses, 512, at(23, 13)}, {OpenFiles, 4096, at(24, 14)}, {FileSize, 1 << 30, at(25, 13)}},
		Sources: []string{"p.toml"},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestLoadForms(t *testing.T) {
	for _, text := range []string{
		"filesystem.read = [\"/x\"]",
		"filesystem = { read = [\"/x\"] }",
		"[filesystem]\nread = ['/x']",
		"[ filesystem ]\n\"read\" = [\"\"\"/x\"\"\",]",
		"[filesystem]\r\nread = [\"\\u002fx\"]\r\n",
	} {
		f, err := Load("f", []byte(text))
		if err != nil || len(f.Files) != 1 || f.Files[0].Path != "/x" || f.Files[0].Origin.Line == 0 {
			t.Errorf("%q: %+v, %v", text, f.Files, err)
		}
	}
	f, err := Load("f", []byte("[environment.set]\nA = \"1\"\n[environment]\npass = [\"B\"]\n"))
	if err != nil || len(f.Set) != 1 || len(f.Pass) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestRefusedFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[filesystem]\nraed = []", `f:2:1: unknown key "filesystem.raed"; did you mean filesystem.read?`},
		{"\n  requires = []", `f:2:3: unknown key "requires"; did you mean require?`},
		{"[filesytem]\n", `f:1:2: unknown table [filesytem]; did you mean filesystem?`},
		{"[a.b.c.d]\n", "unknown table [a.b.c.d]"},
		{"[[filesystem]]\n", "f:1:3: no table of the policy is an array"},
		{"[filesystem.read]\n", `"filesystem.read" is a key with a value, not a table`},
		{"[filesystem]\nread = \"/x\"", `f:2:1: "read" is a list, not a string`},
		{"[filesystem]\nread = [\"/x\", 1]", `"read" lists strings, not an integer`},
		{"[filesystem]\nread = [[\"/x\"]]", `"read" lists strings, not a list`},
		{"filesystem = 1", `"filesystem" is a table, not an integer`},
		{"[syscalls]\nprofile = true", `"profile" is a string, not a boolean`},
		{"[environment]\nset = [\"A=1\"]", `"environment.set" is a table, not a list`},
		{"[environment.set]\nA = 1", `f:2:1: "A" is a string, not an integer`},
		{"[resources]\nprocesses = 1.5", `"processes" is an amount, not a float`},
		{"[resources]\nprocesses = -1", "is not a number"},
		{"[resources]\nprocesses = 1979-05-27", "not a date or time"},
		{"[filesystem]\nread = [\"/x\"]\nread = [\"/y\"]", `f:3:1: "filesystem.read" is set twice, first at f:2:1`},
		{"[filesystem]\n[filesystem]\n", `f:2:2: "filesystem" is set twice`},
		{"filesystem.read = []\n[filesystem]\n", `"filesystem" is set twice`},
		{"environment = { set = { A = \"1\" } }\nenvironment.pass = []", "cannot be added to"},
		{"[filesystem]\nread = [\"/x\"]\nhide = [\"/x\"]", `f:3:9: hide "/x" contradicts read at f:2:9`},
		{"[environment]\npass = [\"A\"]\nset.A = \"1\"", `f:3:9: set "A" contradicts pass at f:2:9`},
		{"[filesystem]\nhide = [\"ok\", \"**/.env\"]", "f:2:15: a pattern cannot be hidden"},
		{"[filesystem]\nread = [\"\"]", "f:2:9: a path cannot be empty"},
		{"[filesystem]\nread = [\"~bob\"]", "f:2:9: the home of another account"},
		{"[filesystem]\nprotect = []", `f:2:1: "filesystem.protect" is not supported by this version; it would`},
		{"[filesystem]\ndevices = []", "not supported by this version"},
		{"[filesystem]\ncaches = []", "not supported by this version"},
		{"[filesystem]\nmax_file_size_mb = 1", "not supported by this version"},
		{"[filesystem]\nallow_paths_outside_workspace = false", "not supported by this version"},
		{"[network]\nmode = \"allow\"", "f:2:8: the network mode \"allow\" is not supported by this version"},
		{"[network]\nallow = []", "not supported by this version"},
		{"[network]\nhost_ports = []", "not supported by this version"},
		{"[network]\nupstream = \"\"", "not supported by this version"},
		{"[resources]\nmemory = \"4GiB\"", "not supported by this version; it would bound the memory"},
		{"[resources]\nwall_time = \"2h\"", "not supported by this version"},
		{"[resources]\nprocesse = 1", "did you mean processes?"},
		{"[workspace]\npolicy = \"temporary_directory\"", "not supported by this version"},
		{"[workspace]\npolicy = \"scratch\"", `"scratch" is not a workspace policy`},
		{"[workspace]\nwatch = []", "not supported by this version"},
		{"extends = [\"claude\"]", `f:1:12: there is no built-in profile "claude"`},
		{"extends = [\"./other.toml\"]", "not supported by this version"},
		{"require = [\"net\"]", `f:1:12: unknown plane "net"`},
		{"x = [", "f:1:5: not valid TOML"},
		{"require = []\nb b", "f:2:"},
		{"\"\" = 1", `unknown key ""`},
		{"a = \"\x00\"", "not valid TOML"},
	} {
		_, err := Load("f", []byte(c.text))
		var re *RefusedError
		if !errors.As(err, &re) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
}

func TestWorkspacePolicyHasItsOwnCategory(t *testing.T) {
	_, err := Load("f", []byte("[workspace]\npolicy = \"scratch\""))
	var re *RefusedError
	if !errors.As(err, &re) || re.Category != UnknownWorkspacePolicy {
		t.Errorf("%+v", err)
	}
}

// TestFilesBeforeFlags: files in order, then flags; a relative path of a file
// starts at the workspace, one of a flag at the working directory.
func TestFilesBeforeFlags(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := write("a.toml", "[network]\nmode = \"host\"\n[filesystem]\nhide = [\"vault\"]\n[resources]\nprocesses = 10")
	b := write("b.toml", "[syscalls]\nprofile = \"debug\"\n[resources]\nprocesses = 20")
	p := parse(t, "--config", a, "--config", b, "--network", "none", "--read", "main.go", "--limit", "open_files=64", "--workspace", "/home/ada/proj")
	if p.Network != NetworkNone || p.Syscalls != "debug" || len(p.Limits) != 2 || p.Limits[0].Value != 20 {
		t.Errorf("%+v", p)
	}
	if want := []string{"profile default", a, b, "flags"}; !reflect.DeepEqual(p.Sources, want) {
		t.Errorf("sources %q", p.Sources)
	}
	f := ada("git")
	f.Caller.Cwd = "/home/ada/dots"
	rules := expanded(&p, f.Caller.Cwd, f.Home())
	if rules[0].Path != "/home/ada/proj/vault" || rules[1].Path != "/home/ada/dots/main.go" {
		t.Errorf("%+v", rules)
	}
}

func TestNothingBuiltIn(t *testing.T) {
	f, err := Load("f", []byte("extends = []\n[filesystem]\nexec = [\"/usr/bin\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := Merge(f)
	if p.Require != defaultRequire() {
		t.Errorf("requires %v", p.Require)
	}
	plan := resolve(t, debian(), p, ada("git"))
	for path, want := range map[string]string{"/usr/bin/git": "bind exec", "/usr/lib/x": "", "/etc/ssl/certs": "", "/dev/null": "dev write", "/tmp/x": "tmpfs write", "/home/ada/proj/x": "bind write"} {
		if got := access(plan, path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	f.Require = PlanesOf(IPC)
	if p := Merge(f); p.Require != PlanesOf(IPC) {
		t.Errorf("with its own list: requires %v", p.Require)
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{dir: "is a directory", filepath.Join(dir, "none"): "no such file", big: "larger than 1 MiB"} {
		_, err := Compose(Fragment{}, Options{Config: []string{name}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), quote(name)) {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(wholeFile))
	for _, s := range []string{"", "a", "a = ", "[a", "extends = []", "[environment.set]\nA='x'\n", "filesystem={read=['/',]}", "a.b.c.d = 1", "x = [", "\"\\u0000\" = 1", "[resources]\n\"*\" = 1", "#\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fr, err := Load("f", data)
		if err != nil {
			var re *RefusedError
			if !errors.As(err, &re) || !strings.HasPrefix(re.Message, "f:") {
				t.Fatalf("%q: %v has no position", data, err)
			}
			return
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, r := range fr.Files {
			if r.Origin.Line < 1 || r.Origin.Line > lines || r.Origin.Col < 1 {
				t.Fatalf("%q: %+v", data, r)
			}
		}
		judge(t, Merge(fr))
	})
}
