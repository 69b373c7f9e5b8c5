package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// places is a host with directories that are no workspace, and names that lead
// to them.
func places() host {
	h := debian()
	h.put(map[string]hostNode{
		"/home/ada/to-etc":      linkNode("/etc"),
		"/home/ada/to-ssh":      linkNode(".ssh"),
		"/mnt/alias":            {mode: modeDir | 0o777, inode: inodeOf("/etc")}, // a bind mount
		"/mnt/keys":             {mode: modeDir | 0o777, inode: inodeOf("/home/ada/.ssh"), uid: 1000},
		"/home/ada/closed":      {mode: modeDir | 0o500, uid: 1000, gid: 1000},
		"/home/ada/shared":      {mode: modeDir | 0o770, uid: 7, gid: 1000},
		"/srv/others":           {mode: modeDir | 0o755, uid: 7, gid: 7},
		"/home/ada/dots/ssh":    own(dirNode(), 1000),
		"/home/ada/dots/ssh/id": own(fileNode(), 1000),
		"/home/ada/proj2":       own(dirNode(), 1000),
	})
	h["/tmp"] = hostNode{mode: modeDir | 0o1777}
	h["/home"] = hostNode{mode: modeDir | 0o777}
	return h
}

func TestWorkspace(t *testing.T) {
	for _, c := range []struct {
		path, why string // "" fits
	}{
		{"/home/ada/proj", ""},
		{"/home/ada/proj/src", ""},
		{"/home/ada/proj/../proj2", ""},
		{"/home/ada/shared", ""},
		{"/home/ada/nowhere", "does not exist"},
		{"/home/ada/proj/main.go", "not a directory"},
		{"/", "system directory"},
		{"/etc", "system directory"},
		{"/home", "system directory"},
		{"/tmp", "system directory"},
		{"/bin", "system directory"},
		{"/home/ada/to-etc", "system directory"},
		{"/home/ada/proj/../../../etc", "system directory"},
		{"/mnt/alias", "under another name"},
		{"/proc/1", "kernel"},
		{"/home/ada", "the home directory"},
		{"/home/ada/.ssh", "secret place"},
		{"/home/ada/to-ssh", "secret place"},
		{"/mnt/keys", "secret place"},
		{"/home/ada/.config", "secret place"}, // above ~/.config/gh
		{"/etc/ssl", "secret place"},
		{"/run/user/1000", "secret place"},
		{"/home/ada/closed", "may not read, write"},
		{"/srv/others", "may not read, write"},
	} {
		t.Run(c.path, func(t *testing.T) {
			named, err := Resolve(Policy{Workspace: c.path}, places().facts(Policy{Workspace: c.path}, ada("git")))
			checkNamed(t, named, err, c.why)
			f := ada("git")
			f.Caller.Cwd = c.path
			plan := resolve(t, places(), Policy{}, f)
			checkCwd(t, plan, c.why)
		})
	}
}

func checkNamed(t *testing.T, plan Plan, err error, why string) {
	t.Helper()
	var re *RefusedError
	switch {
	case why == "" && (err != nil || plan.Workspace == ""):
		t.Errorf("named: %v", err)
	case why != "" && (!errors.As(err, &re) || re.Category != InvalidWorkspace || !strings.Contains(err.Error(), why)):
		t.Errorf("named: got %v, want %q", err, why)
	}
}

func checkCwd(t *testing.T, plan Plan, why string) {
	t.Helper()
	if why == "" {
		if plan.Workspace == "" {
			t.Errorf("working directory: %q", plan.Notes)
		}
		return
	}
	notes := strings.Join(plan.Notes, "\n")
	if plan.Workspace != "" || plan.Command.Cwd != "/tmp" || !strings.Contains(notes, why) || !strings.Contains(notes, "no workspace") {
		t.Errorf("working directory: workspace %q, directory %q, notes %q", plan.Workspace, plan.Command.Cwd, plan.Notes)
	}
}

// TestWorkspaceHoldingASecretByLink: a dotfile manager keeps the keys in the
// project and links to them from the home.
func TestWorkspaceHoldingASecretByLink(t *testing.T) {
	h := places()
	for p := range h {
		if Within("/home/ada/.ssh", p) {
			delete(h, p)
		}
	}
	h["/home/ada/.ssh"] = linkNode("dots/ssh")
	p := Policy{Workspace: "/home/ada/dots"}
	if _, err := Resolve(p, h.facts(p, ada("git"))); err == nil || !strings.Contains(err.Error(), "secret place") {
		t.Errorf("got %v", err)
	}
}

func TestHomelessCaller(t *testing.T) {
	for _, home := range []string{"", "/", "/nonexistent", "relative", "/usr/lib"} {
		f := ada("git")
		f.Caller.Home, f.Target.Home = home, home
		plan := resolve(t, debian(), Policy{}, f)
		want := "/tmp"
		if home == "/nonexistent" {
			want = home
		}
		if !slices.Contains(plan.Env, "HOME="+want) || access(plan, want) != "tmpfs write" {
			t.Errorf("home %q: %q, %q", home, plan.Env, access(plan, want))
		}
		if access(plan, "/usr/lib/x") != "bind exec" {
			t.Errorf("home %q: /usr is %q", home, access(plan, "/usr/lib/x"))
		}
	}
}

// TestHomeThatIsMissing: it is made all the same, unless that would be in a
// granted tree of the host's.
func TestHomeThatIsMissing(t *testing.T) {
	h := debian().put(map[string]hostNode{"/homes": linkNode("/export/homes"), "/export/homes/other": dirNode()})
	f := ada("git")
	f.Caller.Home = "/homes/ada"
	plan := resolve(t, h, Policy{}, f)
	if access(plan, "/homes/ada") != "tmpfs write" {
		t.Errorf("%q is %q", f.Caller.Home, access(plan, "/homes/ada"))
	}
	checkParents(t, plan)
	f.Caller.Home = "/srv/nowhere"
	plan = resolve(t, h, parse(t, "--read", "/srv"), f)
	if access(plan, "/srv/nowhere") != "bind read" || !strings.Contains(strings.Join(plan.Notes, "\n"), "/srv/nowhere does not exist") {
		t.Errorf("%q, notes %q", access(plan, "/srv/nowhere"), plan.Notes)
	}
}

// TestBorrowedHome: under another HOME the home of the account keeps its
// secrets, and is no workspace.
func TestBorrowedHome(t *testing.T) {
	h := debian().put(map[string]hostNode{"/tmp/borrowed": own(dirNode(), 1000)})
	f := ada("git")
	f.Caller.Home = "/tmp/borrowed"
	plan := resolve(t, h, parse(t, "--read", "/home"), f)
	for _, path := range []string{"/home/ada/.ssh/id_ed25519", "/home/ada/.netrc"} {
		if got := access(plan, path); got != "mask hide" {
			t.Errorf("%s is %q", path, got)
		}
	}
	p := Policy{Workspace: "/home/ada"}
	if _, err := Resolve(p, h.facts(p, f)); err == nil || !strings.Contains(err.Error(), "home directory") {
		t.Errorf("got %v", err)
	}
}

// TestHomeBehindALink: where the link leads into the system, HOME is /tmp.
func TestHomeBehindALink(t *testing.T) {
	h := debian().put(map[string]hostNode{"/homes/ada": linkNode("/usr/share")})
	f := ada("git")
	f.Caller.Home = "/homes/ada"
	if plan := resolve(t, h, Policy{}, f); value(plan, "HOME") != "/tmp" {
		t.Errorf("HOME is %q", value(plan, "HOME"))
	}
}

// TestWorkspaceAboveTheHome is refused without any secret in the home.
func TestWorkspaceAboveTheHome(t *testing.T) {
	h := debian().put(map[string]hostNode{"/data/homes": own(dirNode(), 1000), "/data/homes/eve": own(dirNode(), 1000)})
	f := ada("git")
	f.Caller.Home, f.Caller.Cwd = "/data/homes/eve", "/data/homes"
	plan := resolve(t, h, Policy{}, f)
	if plan.Workspace != "" || !strings.Contains(strings.Join(plan.Notes, "\n"), "holds the home") {
		t.Errorf("workspace %q, notes %q", plan.Workspace, plan.Notes)
	}
}

// TestGroupsOfRootAreDropped: what root's own groups may does not count for
// the account that root hands over to.
func TestGroupsOfRootAreDropped(t *testing.T) {
	h := debian().put(map[string]hostNode{"/srv/team": {mode: modeDir | 0o770, uid: 7, gid: 4}})
	f := ada("git")
	f.Caller.UID, f.Caller.GID, f.Caller.Groups, f.Caller.Cwd = 0, 0, []int{0, 4}, "/srv/team"
	if plan := resolve(t, h, Policy{}, f); plan.Workspace != "" {
		t.Errorf("workspace %q", plan.Workspace)
	}
	f.Target = Account{UID: 0, GID: 0, Name: "root"}
	if plan := resolve(t, h, Policy{}, f); plan.Workspace != "/srv/team" {
		t.Errorf("root's own groups do not count: %q", plan.Notes)
	}
}

// TestHiddenParent: the working directory stays valid, or nothing starts; the
// command never runs elsewhere.
func TestHiddenParent(t *testing.T) {
	plan := resolve(t, debian(), parse(t, "--hide", "..", "--write", "."), ada("git"))
	if plan.Command.Cwd != "/home/ada/proj" || access(plan, "/home/ada/proj/x") != "bind write" {
		t.Errorf("%q, %q", plan.Command.Cwd, access(plan, "/home/ada/proj/x"))
	}
	for _, args := range [][]string{{"--hide", ".."}, {"--hide", "."}, {"--hide", "/home"}} {
		p := parse(t, args...)
		if _, err := Resolve(p, debian().facts(p, ada("git"))); err == nil || !strings.Contains(err.Error(), "hidden by --hide") {
			t.Errorf("%q: got %v", args, err)
		}
	}
}

// TestDirectory: the caller's own place within the workspace, else its top.
func TestDirectory(t *testing.T) {
	for _, c := range []struct{ cwd, workspace, want string }{
		{"/home/ada/proj/src", "", "/home/ada/proj/src"},
		{"/home/ada/proj/src", "/home/ada/proj", "/home/ada/proj/src"},
		{"/home/ada/proj", "src", "/home/ada/proj/src"},
		{"/srv", "/home/ada/proj", "/home/ada/proj"},
		{"", "/home/ada/proj", "/home/ada/proj"},
		{"", "", "/tmp"},
		{"/home/ada/proj", "~/proj2", "/home/ada/proj2"},
	} {
		f := ada("git")
		f.Caller.Cwd = c.cwd
		plan := resolve(t, places(), Policy{Workspace: c.workspace}, f)
		if plan.Command.Cwd != c.want {
			t.Errorf("in %q with %q: %q, want %q", c.cwd, c.workspace, plan.Command.Cwd, c.want)
		}
	}
}
