package policy

import (
	"errors"
	"strings"
	"testing"
)

// parse makes a policy of flags.
func parse(t *testing.T, args ...string) Policy {
	t.Helper()
	f, rest, o, err := ParseFlags(args)
	if err != nil {
		t.Fatalf("flags %q: %v", args, err)
	}
	if len(rest) > 0 {
		t.Fatalf("flags %q leave %q", args, rest)
	}
	p, err := Compose(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// access is what the final view gives at a path: the innermost mount decides.
func access(p Plan, path string) string {
	at := ""
	for _, m := range p.Mounts { // parents come first
		if Within(m.Target, path) {
			at = m.Kind.String() + " " + m.Access.String()
		}
	}
	return at
}

// permutations of up to three arguments pairs.
func permutations(pairs [][]string) [][]string {
	if len(pairs) == 0 {
		return [][]string{nil}
	}
	var out [][]string
	for i := range pairs {
		rest := append(append([][]string{}, pairs[:i]...), pairs[i+1:]...)
		for _, p := range permutations(rest) {
			out = append(out, append(append([]string{}, pairs[i]...), p...))
		}
	}
	return out
}

func TestGrants(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags [][]string // in every order
		want  map[string]string
	}{
		{"nothing of the home by default", nil, map[string]string{
			"/home/ada/.ssh/id_ed25519": "tmpfs write", "/home/ada/proj/main.go": "bind write", "/srv/data/file": "", "/etc/shadow": "",
			"/usr/bin/git": "bind exec", "/etc/ssl/certs/x": "bind read", "/etc/ssl/private/x": "", "/run/docker.sock": "",
		}},
		{"by component", [][]string{{"--read", "/srv/data"}}, map[string]string{"/srv/data/file": "bind read", "/srv/database/file": ""}},
		{"most specific wins in any order", [][]string{{"--hide", "/srv"}, {"--read", "/srv/data"}, {"--write", "/srv/data/sub"}}, map[string]string{
			"/srv/data/file": "bind read", "/srv/data/sub/deep/file": "bind write", "/srv/database/file": "",
		}},
		{"hide within a grant", [][]string{{"--read", "/srv"}, {"--hide", "/srv/data"}}, map[string]string{
			"/srv/database/file": "bind read", "/srv/data/file": "mask hide", "/srv/data": "mask hide",
		}},
		{"grant within a hidden part of a grant", [][]string{{"--read", "/srv"}, {"--hide", "/srv/data"}, {"--write", "/srv/data/sub"}}, map[string]string{
			"/srv/data/file": "tmpfs hide", "/srv/data/sub/deep": "bind write",
		}},
		{"hide in the workspace", [][]string{{"--hide", "vault"}, {"--hide", ".env"}}, map[string]string{
			"/home/ada/proj/vault/x": "mask hide", "/home/ada/proj/.env": "mask hide", "/home/ada/proj/main.go": "bind write",
		}},
		{"narrower in wider", [][]string{{"--write", "/srv/data"}, {"--read", "/srv/data/sub"}}, map[string]string{
			"/srv/data/file": "bind write", "/srv/data/sub/deep": "bind read",
		}},
		{"the workspace made read-only", [][]string{{"--read", "."}}, map[string]string{"/home/ada/proj/main.go": "bind read"}},
		{"secret places under a wide grant", [][]string{{"--read", "~"}}, map[string]string{
			"/home/ada/.gitconfig": "bind read", "/home/ada/.ssh/id_ed25519": "mask hide", "/home/ada/.netrc": "mask hide",
			"/home/ada/.bash_history": "mask hide", "/home/ada/.config/gh/hosts.yml": "mask hide", "/home/ada/.config/x": "bind read",
			"/home/ada/proj/main.go": "bind write",
		}},
		{"a secret place named", [][]string{{"--read", "~"}, {"--read", "~/.netrc"}, {"--read", "~/.ssh/known_hosts"}}, map[string]string{
			"/home/ada/.netrc": "bind read", "/home/ada/.ssh/known_hosts": "bind read", "/home/ada/.ssh/id_ed25519": "tmpfs hide",
		}},
		{"a secret place made a link to nothing", [][]string{{"--read", "~"}}, map[string]string{"/dev/null": "dev write", "/home/ada/.python_history": "bind read"}},
		{"sockets of engines and agents", [][]string{{"--read", "/run"}}, map[string]string{
			"/run/docker.sock": "mask hide", "/run/user/1000/bus": "mask hide", "/run/systemd/resolve/stub-resolv.conf": "bind read",
		}},
		{"accounts and keys under a wide grant", [][]string{{"--read", "/etc"}}, map[string]string{
			"/etc/passwd": "bind read", "/etc/shadow": "mask hide", "/etc/ssl/private": "mask hide", "/etc/ssl/certs/x": "bind read",
		}},
		{"a user's hide beats the built-in grants beneath", [][]string{{"--hide", "/etc/ssl"}}, map[string]string{"/etc/ssl/certs/x": ""}},
		{"a built-in grant narrows no user's", [][]string{{"--write", "/etc/ssl"}}, map[string]string{"/etc/ssl/certs/x": "bind write"}},
		{"the host's /tmp by a rule", [][]string{{"--write", "/tmp"}}, map[string]string{"/tmp/x": "bind write"}},
		{"one file", [][]string{{"--read", "~/.gitconfig"}}, map[string]string{"/home/ada/.gitconfig": "bind read", "/home/ada/.netrc": "tmpfs write"}},
	} {
		for _, args := range permutations(c.flags) {
			plan := resolve(t, debian(), parse(t, args...), ada("git"))
			for path, want := range c.want {
				if got := access(plan, path); got != want {
					t.Errorf("%s, flags %q: %s is %q, want %q", c.name, args, path, got, want)
				}
			}
		}
	}
}

// TestEqualPaths: of rules for one path the later wins, and the plan says so.
func TestEqualPaths(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--read", "/srv/data", "--write", "/srv/data"}, "bind write"},
		{[]string{"--write", "/srv/data", "--read", "/srv/data"}, "bind read"},
		{[]string{"--read", "/srv", "--read", "/srv/data", "--hide", "/srv/data"}, "mask hide"},
		{[]string{"--read", "/srv", "--hide", "/srv/data/../data/.", "--read", "/srv/data"}, "bind read"},
	} {
		plan := resolve(t, debian(), parse(t, c.args...), ada("git"))
		if got := access(plan, "/srv/data/file"); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
		if !strings.Contains(strings.Join(plan.Notes, "\n"), "/srv/data: ") {
			t.Errorf("%q: no note about the contradiction in %q", c.args, plan.Notes)
		}
	}
}

func TestRefusedRules(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string // parts of the message
	}{
		{[]string{"--read", "/srv/nowhere/x"}, []string{`--read "/srv/nowhere/x"`, `"/srv/nowhere" does not exist`, "create it"}},
		{[]string{"--read", "main.go/x"}, []string{`"/home/ada/proj/main.go" is not a directory`}},
		{[]string{"--read", "/"}, []string{"the whole root"}},
		{[]string{"--read", "/usr/.."}, []string{"the whole root"}},
		{[]string{"--read", "/proc"}, []string{"kernel"}},
		{[]string{"--write", "/dev/null"}, []string{"kernel"}},
		{[]string{"--write", "/sys/devices"}, []string{"reading only"}},
		{[]string{"--read", "/.sovrun/x"}, []string{"sovrun's own"}},
		{[]string{"--hide", "later"}, []string{`"/home/ada/proj/later" does not exist`, "appears later"}},
		{[]string{"--hide", "/proc/1"}, []string{"private /proc"}},
	} {
		p := parse(t, c.args...)
		h := debian().put(map[string]hostNode{"/.sovrun/x": fileNode()})
		_, err := Resolve(p, h.facts(p, ada("git")))
		var re *RefusedError
		if !errors.As(err, &re) || re.Category != InvalidPolicy {
			t.Errorf("%q: got %v, want a refusal", c.args, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %q lacks %q", c.args, err, w)
			}
		}
	}
}

// TestHideOfNothingInView needs no mask: there is nothing to hide.
func TestHideOfNothingInView(t *testing.T) {
	plan := resolve(t, debian(), parse(t, "--hide", "/srv/data", "--hide", "/srv/nowhere", "--hide", "~/.cache"), ada("git"))
	for _, m := range plan.Mounts {
		if m.Kind == MountMask {
			t.Errorf("mask at %q", m.Target)
		}
	}
}

// TestMountsHaveParents: what isolation relies on. Every mount that lies in a
// bind says so; every other one has its parents made or mounted.
func TestMountsHaveParents(t *testing.T) {
	for _, args := range [][]string{nil, {"--read", "~"}, {"--read", "/srv", "--hide", "/srv/data/sub", "--write", "/srv/data/sub/deep"}, {"--exec", "/opt/tool", "--read", "/var/run/docker.sock"}} {
		for _, f := range []Facts{ada("git"), root("git")} {
			checkParents(t, resolve(t, debian(), parse(t, args...), f))
		}
	}
}

func checkParents(t *testing.T, p Plan) {
	t.Helper()
	made := map[string]bool{"/": true}
	for _, d := range p.Dirs {
		if !made[parentOf(d.Path)] && access(p, parentOf(d.Path)) == "" {
			t.Errorf("directory %q has no parent", d.Path)
		}
		made[d.Path] = true
	}
	for _, l := range p.Links {
		if made[l.Path] || isTarget(p, l.Path) || strings.HasPrefix(access(p, l.Path), "bind") {
			t.Errorf("link %q is in the way of something", l.Path)
		}
		if up := parentOf(l.Path); !made[up] && !isTarget(p, up) {
			t.Errorf("link %q has no parent", l.Path)
		}
	}
	var before Plan
	for _, m := range p.Mounts {
		over, point := "", ""
		for _, o := range before.Mounts {
			if Within(o.Target, m.Target) {
				over = o.Kind.String()
				if m.MakePoint != (o.Kind != MountBind) { // judged again with every mount around it; the innermost is the last
					point = m.Target
				} else {
					point = ""
				}
				if o.Kind == MountBind && !m.Within {
					t.Errorf("%q lies in %q and does not say so", m.Target, o.Target)
				}
			}
		}
		if point != "" || over == "" && !m.MakePoint {
			t.Errorf("mount point of %q is made: %v", m.Target, m.MakePoint)
		}
		if over == "" || over == "tmpfs" {
			if up := parentOf(m.Target); !made[up] && !isTarget(before, up) {
				t.Errorf("mount %q has no parent", m.Target)
			}
		}
		before.Mounts = append(before.Mounts, m)
	}
}

func isTarget(p Plan, path string) bool {
	_, ok := mountAt(p, path)
	return ok
}
