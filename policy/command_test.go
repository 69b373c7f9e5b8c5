package policy

import (
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	h := debian()
	h.put(map[string]hostNode{
		"/home/ada/proj/build":       own(progNode(), 1000),
		"/home/ada/proj/bin/tool":    own(progNode(), 1000),
		"/home/ada/.local/bin/git":   own(progNode(), 1000),
		"/home/ada/.local/bin/dir":   dirNode(),
		"/usr/bin/rootonly":          {mode: modeRegular | 0o700},
		"/usr/bin/loop":              linkNode("loop"),
		"/home/ada/.local/bin/chain": linkNode("/opt/shims/chain"),
		"/opt/shims/chain":           linkNode("../tool/bin/agent"),
	})
	const path = "/home/ada/.local/bin:/usr/local/bin:/usr/bin:/bin"
	for _, c := range []struct {
		argv0  string
		args   []string
		want   string // path, or
		status int
		says   string
	}{
		{argv0: "gcc", want: "/usr/bin/gcc"},
		{argv0: "cc", want: "/usr/bin/cc"}, // through links of /etc/alternatives
		{argv0: "tool", want: "/usr/local/bin/tool"},
		{argv0: "git", want: "/usr/bin/git", says: `"/home/ada/.local/bin/git" exists but is not in view`},
		{argv0: "/bin/sh", want: "/bin/sh"},
		{argv0: "./build", want: "/home/ada/proj/build"},
		{argv0: "bin/../build", want: "/home/ada/proj/build"},
		{argv0: "tool", args: []string{"--set", "PATH=/home/ada/proj/bin"}, want: "/home/ada/proj/bin/tool"},
		{argv0: "nothing", status: 127, says: "in no directory of PATH"},
		{argv0: "./nothing", status: 127, says: "does not exist"},
		{argv0: "", status: 127, says: `"" is in no directory`},
		{argv0: "loop", status: 127, says: "in no directory"},
		{argv0: "notes", status: 126, says: `"/usr/bin/notes" is not an executable file`},
		{argv0: "./main.go", status: 126, says: "not an executable file"},
		{argv0: "./src", status: 126, says: "not an executable file"},
		{argv0: "dir", status: 127, says: "in no directory"},
		{argv0: "rootonly", status: 126, says: "not an executable file"},
		{argv0: "mine", status: 127, says: `not in view; grant it with --exec "/home/ada/.local/bin"`},
		{argv0: "agent", status: 127, says: `"/home/ada/.local/bin/agent" leads to "/opt/tool/bin/agent", which is not in view; grant it with --exec "/opt/tool/bin"`},
		{argv0: "agent", args: []string{"--exec", "/opt/tool/bin"}, want: "/home/ada/.local/bin/agent"},
		{argv0: "agent", args: []string{"--read", "/opt/tool"}, status: 127, says: "granted for reading only (--read)"},
		{argv0: "chain", args: []string{"--exec", "/opt/tool"}, want: "/home/ada/.local/bin/chain"},
		{argv0: "gcc", args: []string{"--hide", "/usr/bin/gcc-12"}, status: 127, says: "is hidden (--hide)"},
		{argv0: "/opt/tool/bin/agent", status: 127, says: "--exec"},
	} {
		f := ada(c.argv0, "x")
		f.Caller.Env = append([]string{"PATH=" + path}, f.Caller.Env[1:]...)
		plan := resolve(t, h, parse(t, c.args...), f)
		got := plan.Command
		if got.Path != c.want || got.Status != c.status || (c.want == "") != (got.NotFound != "") {
			t.Errorf("%q %q: path %q status %d (%s), want %q %d", c.argv0, c.args, got.Path, got.Status, got.NotFound, c.want, c.status)
		}
		if all := got.NotFound + strings.Join(plan.Notes, "\n"); !strings.Contains(all, c.says) {
			t.Errorf("%q: %q lacks %q", c.argv0, all, c.says)
		}
		if c.want != "" && inside(h, plan, got.Path) == "" {
			t.Errorf("%q: %q leads nowhere inside", c.argv0, got.Path)
		}
	}
}

// TestNoCommand: a plan without a command has nothing missing.
func TestNoCommand(t *testing.T) {
	plan := resolve(t, debian(), Policy{}, ada())
	if c := plan.Command; c.Path != "" || c.NotFound != "" || c.Status != 0 || c.Cwd != "/home/ada/proj" {
		t.Errorf("%+v", c)
	}
}

// TestRelativeCommandWithoutWorkspace: it is looked up where the caller is.
func TestRelativeCommandWithoutWorkspace(t *testing.T) {
	f := ada("./git")
	f.Caller.Cwd = "/usr/bin"
	plan := resolve(t, debian(), Policy{}, f)
	if plan.Command.Path != "/usr/bin/git" || plan.Command.Cwd != "/tmp" {
		t.Errorf("%+v", plan.Command)
	}
}
