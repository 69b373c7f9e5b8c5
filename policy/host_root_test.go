package policy

import (
	"errors"
	"strings"
	"testing"
)

// TestRootSeesNoMoreThanOthers: uid 0 without capabilities still owns root's
// files, so what other users cannot read is taken out of the built-in grants.
func TestRootSeesNoMoreThanOthers(t *testing.T) {
	h := debian()
	h["/etc/gitconfig"] = hostNode{mode: modeRegular | 0o600}
	h["/etc/profile.d"] = hostNode{mode: modeDir | 0o700}
	h["/etc/ssl/certs"] = hostNode{mode: modeDir | 0o755}
	plan := resolve(t, h, parse(t, "--exec", "/usr/local/bin", "--read", "/opt/tool"), root("git"))
	for path, want := range map[string]string{
		"/etc/gitconfig": "", "/etc/profile.d/x.sh": "",
		"/etc/ssl/certs/ca.crt": "bind read", "/usr/local/bin/tool": "bind exec", "/usr/bin/git": "bind exec", "/srv/data/file": "bind write",
	} {
		if got := access(plan, path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	for target, want := range map[string]bool{"/usr": true, "/usr/local/bin": false, "/opt/tool": false, "/srv/data": false, "/etc/ssl/certs": true, "/etc/ld.so.cache": false} {
		if m, ok := mountAt(plan, target); !ok || m.Shift != want {
			t.Errorf("%s: found %v, shifted %v, want %v", target, ok, m.Shift, want)
		}
	}
	notes := strings.Join(plan.Notes, "\n")
	for _, left := range []string{"/etc/gitconfig", "/etc/profile.d"} {
		if !strings.Contains(notes, left+" is left out") {
			t.Errorf("no note about %s in %q", left, notes)
		}
	}
}

// TestUserNeedsNoShift: the same host as an ordinary user.
func TestUserNeedsNoShift(t *testing.T) {
	for _, m := range resolve(t, debian(), Policy{}, ada("git")).Mounts {
		if m.Shift {
			t.Errorf("%q is shifted", m.Target)
		}
	}
}

// TestNested: what would refuse every mount within is left out, and uid 0, which owns
// the sysctls that are then in view, is refused.
func TestNested(t *testing.T) {
	plan := resolve(t, debian(), Policy{Syscalls: syscallsNested}, ada("git"))
	if !plan.Nested() || len(plan.Landlock) > 0 {
		t.Errorf("nested %v, with %d rules of Landlock", plan.Nested(), len(plan.Landlock))
	}
	if m, ok := mountAt(plan, "/proc"); !ok || len(m.Masks) > 0 {
		t.Errorf("/proc: found %v, %d masks", ok, len(m.Masks))
	}
	var refused *RefusedError
	p, f := Policy{Syscalls: syscallsNested}, root("git")
	if _, err := Resolve(p, debian().facts(p, f)); !errors.As(err, &refused) || refused.Hint == "" {
		t.Errorf("uid 0: %v", err)
	}
}

// TestWithoutLandlock: a kernel that has none gets no rules, so nothing waits for it to
// refuse.
func TestWithoutLandlock(t *testing.T) {
	p, f := Policy{}, ada("git")
	f.Landlock = 0
	plan, err := Resolve(p, debian().facts(p, f))
	if err != nil || len(plan.Landlock) > 0 {
		t.Errorf("%d rules, %v", len(plan.Landlock), err)
	}
	if plan := resolve(t, debian(), Policy{}, ada("git")); len(plan.Landlock) == 0 {
		t.Error("the control has no rules either")
	}
}

// TestAccountsFile: no account of the host but the run's own, and no field of
// it can make another line.
func TestAccountsFile(t *testing.T) {
	for _, c := range []struct {
		account Account
		want    string
	}{
		{Account{UID: 1000, GID: 1000, Name: "ada", Home: "/home/ada", Shell: "/bin/bash"}, "ada:x:1000:1000::/home/ada:/bin/bash\n"},
		{Account{UID: 1000, GID: 100, Name: "a:b\nroot2:x:0:0", Shell: "\n"}, "user:x:1000:100::/home/ada:/bin/sh\n"},
		{Account{UID: 65534, GID: 65534, Name: "nobody"}, "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
		{Account{UID: 0, GID: 0, Name: "root", Shell: "/bin/zsh"}, "root:x:0:0:root:/home/ada:/bin/zsh\n"},
	} {
		f := ada("git")
		f.Caller.UID, f.Caller.GID, f.Target = c.account.UID, c.account.GID, c.account
		plan := resolve(t, debian(), Policy{}, f)
		content := fileAt(plan, "/etc/passwd")
		if !strings.Contains("\n"+content, "\n"+c.want) || strings.Count(content, "\n") > 3 {
			t.Errorf("%+v: %q", c.account, content)
		}
	}
}

func fileAt(p Plan, path string) string {
	for _, f := range p.Files {
		if f.Path == path {
			return f.Content
		}
	}
	return ""
}

func TestHostsFile(t *testing.T) {
	for _, c := range []struct {
		name string
		ipv6 bool
		want string
	}{
		{"box.example", true, "127.0.0.1 localhost box.example\n::1 localhost box.example ip6-localhost ip6-loopback\n"},
		{"", false, "127.0.0.1 localhost\n"},
		{"evil\n1.2.3.4 x", false, "127.0.0.1 localhost\n"},
	} {
		f := ada("git")
		f.Hostname, f.IPv6 = c.name, c.ipv6
		if got := fileAt(resolve(t, debian(), Policy{}, f), "/etc/hosts"); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestStreams: what could carry the command out is refused before anything
// starts.
func TestStreams(t *testing.T) {
	secret := debian().fact("/home/ada/.ssh/id_ed25519")
	hidden := debian().fact("/home/ada/proj/.env")
	for _, c := range []struct {
		name   string
		stream Stream
		args   []string
		want   string // "" passes
	}{
		{"a terminal", Stream{Class: StreamTerminal}, nil, ""},
		{"a file", Stream{Class: StreamReopen, Path: "/home/ada/proj/main.go"}, nil, ""},
		{"a directory", Stream{Class: StreamRefused, What: "a directory"}, nil, "standard output (descriptor 1) is a directory"},
		{"a hidden file", Stream{Class: StreamFile, Path: "/home/ada/proj/.env"}, []string{"--hide", ".env"}, `hidden by --hide`},
		{"a hidden file by another name", Stream{Class: StreamReopen, Path: "/elsewhere", Inode: hidden.Inode, Major: hidden.Major, Minor: hidden.Minor}, []string{"--hide", ".env"}, `hidden by --hide`},
		{"a secret", Stream{Class: StreamReopen, Path: "/home/ada/.ssh/id_ed25519"}, nil, "secret places"},
		{"a secret file by another name", Stream{Class: StreamReopen, Path: "/x", Inode: debian().fact("/home/ada/.netrc").Inode, Major: 8, Minor: 1}, nil, "secret places"},
		{"a secret of the system", Stream{Class: StreamReopen, Path: "/etc/shadow"}, nil, "secret places"},
		{"a secret of the system under a wide grant", Stream{Class: StreamReopen, Path: "/etc/shadow"}, []string{"--read", "/etc"}, "secret places"},
		{"a secret that is granted", Stream{Class: StreamReopen, Path: "/home/ada/.ssh/id_ed25519", Inode: secret.Inode}, []string{"--read", "~/.ssh/id_ed25519"}, ""},
		{"a secret under a wide grant", Stream{Class: StreamReopen, Path: "/home/ada/.ssh/id_ed25519"}, []string{"--read", "~"}, "secret places"},
	} {
		p := parse(t, c.args...)
		f := ada("git")
		f.Streams[1] = c.stream
		_, err := Resolve(p, debian().facts(p, f))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
