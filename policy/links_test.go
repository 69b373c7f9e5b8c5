package policy

import (
	"slices"
	"strings"
	"testing"
)

// inside resolves a path in the final view: links of the plan and of the host
// where a bind shows them, files and directories made, mounts. It gives the
// place, "" where the view does not lead there.
func inside(h host, p Plan, path string) string {
	at, rest := "/", strings.Split(path, "/")
	for hops := 0; len(rest) > 0; {
		c := rest[0]
		rest = rest[1:]
		switch c {
		case "", ".":
			continue
		case "..":
			at = parentOf(at)
			continue
		}
		next := join(at, c)
		target, there := lookInside(h, p, next)
		if !there {
			return ""
		}
		if target == "" {
			at = next
			continue
		}
		if hops++; hops > 40 {
			return ""
		}
		if strings.HasPrefix(target, "/") {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at
}

// lookInside tells whether the view has something at a path, and the target if
// that is a link.
func lookInside(h host, p Plan, path string) (target string, there bool) {
	for _, l := range p.Links {
		if l.Path == path {
			return l.Target, true
		}
	}
	for _, m := range p.Mounts {
		if Within(path, m.Target) {
			return "", true // the mount point or a directory above it
		}
	}
	if slices.ContainsFunc(p.Dirs, func(d Dir) bool { return d.Path == path }) ||
		slices.ContainsFunc(p.Files, func(f File) bool { return f.Path == path }) {
		return "", true
	}
	if strings.HasPrefix(access(p, path), "bind") {
		n, ok := h[path]
		return n.link, ok
	}
	return "", false
}

func TestBothSpellings(t *testing.T) {
	h := debian()
	h.put(map[string]hostNode{
		"/data/real/x/f":                     own(fileNode(), 1000),
		"/home/ada/proj/link":                linkNode("/data/real"),
		"/short":                             linkNode("data/link"),
		"/data/link":                         linkNode("./real"),
		"/home/ada/dots/bashrc":              own(fileNode(), 1000),
		"/home/ada/.bashrc":                  linkNode("dots/bashrc"),
		"/etc/ssl/certs/ca-certificates.crt": linkNode("../../../opt/corp/ca.pem"),
		"/opt/corp/ca.pem":                   fileNode(),
	})
	for _, c := range []struct {
		args []string
		path string // as the user spells it
		want string
	}{
		{[]string{"--read", "/short/x"}, "/short/x/f", "/data/real/x/f"},
		{[]string{"--read", "/short/x"}, "/data/link/x/f", "/data/real/x/f"},
		{[]string{"--read", "/short/x"}, "/data/real/x/f", "/data/real/x/f"},
		{[]string{"--read", "/data/real/x"}, "/home/ada/proj/link/x/f", "/data/real/x/f"}, // the link lies in the workspace
		{[]string{"--read", "~/.bashrc"}, "/home/ada/.bashrc", "/home/ada/dots/bashrc"},
		{[]string{"--read", "/var/run/systemd/resolve"}, "/var/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/stub-resolv.conf"},
		{nil, "/bin/sh", "/usr/bin/dash"},
		{nil, "/lib64/ld.so", "/usr/lib64/ld.so"},
		{nil, "/usr/bin/cc", "/usr/bin/gcc-12"},
		{nil, "/etc/localtime", "/usr/share/zoneinfo/Etc/UTC"},
		{nil, "/etc/os-release", "/usr/lib/os-release"},
		{nil, "/etc/ssl/certs/ca-certificates.crt", "/opt/corp/ca.pem"},
		{nil, "/var/tmp", "/tmp"},
		{nil, "/home/ada/proj/link/x", ""}, // a link out of the workspace leads nowhere
		{nil, "/home/ada/.ssh", ""},
		{nil, "/opt/tool", ""},
	} {
		plan := resolve(t, h, parse(t, c.args...), ada("git"))
		if got := inside(h, plan, c.path); got != c.want {
			t.Errorf("%q: %s is %q, want %q; links %v", c.args, c.path, got, c.want, plan.Links)
		}
	}
}

// TestSymlinkedHomeAndWorkspace: HOME, PWD and the working directory stay as
// the caller spells them, and both names work.
func TestSymlinkedHomeAndWorkspace(t *testing.T) {
	h := debian()
	h.put(map[string]hostNode{"/srv/real": own(dirNode(), 1000), "/srv/real/w": own(dirNode(), 1000), "/tmp/h": linkNode("/srv/real")})
	f := ada("git")
	f.Caller.Cwd, f.Caller.Home = "/tmp/h/w", "/tmp/h"
	plan := resolve(t, h, Policy{}, f)
	if plan.Command.Cwd != "/tmp/h/w" || plan.Workspace != "/srv/real/w" {
		t.Errorf("directory %q, workspace %q", plan.Command.Cwd, plan.Workspace)
	}
	for _, kv := range []string{"HOME=/tmp/h", "PWD=/tmp/h/w"} {
		if !slices.Contains(plan.Env, kv) {
			t.Errorf("no %s in %q", kv, plan.Env)
		}
	}
	for _, path := range []string{"/tmp/h/w", "/srv/real/w"} {
		if got := inside(h, plan, path); got != "/srv/real/w" {
			t.Errorf("%s is %q", path, got)
		}
	}
}

// TestSplitUsr: without a merged /usr the short names are grants.
func TestSplitUsr(t *testing.T) {
	h := debian()
	for _, d := range []string{"/bin", "/sbin", "/lib", "/lib64"} {
		h[d] = dirNode()
	}
	h.put(map[string]hostNode{"/bin/busybox": progNode(), "/lib/libc.so": fileNode()})
	plan := resolve(t, h, Policy{}, ada("busybox"))
	for _, d := range []string{"/bin", "/lib"} {
		if got := access(plan, d); got != "bind exec" {
			t.Errorf("%s is %q", d, got)
		}
	}
	if plan.Command.Path != "/bin/busybox" {
		t.Errorf("command %+v", plan.Command)
	}
}

func TestResolvConf(t *testing.T) {
	for _, c := range []struct {
		name  string
		link  string // "" a plain file, "-" nothing
		host  bool
		bind  string // the file that is bound
		empty bool   // an empty or commented file stands in
	}{
		{"no network", "../run/systemd/resolve/stub-resolv.conf", false, "", true},
		{"no network, dangling", "/nonexistent", false, "", true},
		{"host, relative link", "../run/systemd/resolve/stub-resolv.conf", true, "/run/systemd/resolve/stub-resolv.conf", false},
		{"host, absolute link", "/run/systemd/resolve/stub-resolv.conf", true, "/run/systemd/resolve/stub-resolv.conf", false},
		{"host, dangling", "/nonexistent/x", true, "", true},
		{"host, circle", "resolv.conf", true, "", true},
		{"host, file", "", true, "/etc/resolv.conf", false},
		{"host, nothing", "-", true, "", true},
	} {
		h := debian()
		switch c.link {
		case "":
			h["/etc/resolv.conf"] = fileNode()
		case "-":
			delete(h, "/etc/resolv.conf")
		default:
			h["/etc/resolv.conf"] = linkNode(c.link)
		}
		p := Policy{}
		if c.host {
			p.Network = NetworkHost
		}
		plan := resolve(t, h, p, ada("git"))
		made := slices.IndexFunc(plan.Files, func(f File) bool { return f.Path == "/etc/resolv.conf" })
		if (made >= 0) != c.empty {
			t.Errorf("%s: file made: %v, want %v", c.name, made >= 0, c.empty)
		}
		if made >= 0 && strings.Contains(plan.Files[made].Content, "nameserver") {
			t.Errorf("%s: %q", c.name, plan.Files[made].Content)
		}
		if m, ok := mountAt(plan, c.bind); ok != (c.bind != "") || ok && m.Kind != MountBind {
			t.Errorf("%s: %q is not bound", c.name, c.bind)
		}
		if got := inside(h, plan, "/etc/resolv.conf"); c.bind != "" && got != c.bind {
			t.Errorf("%s: /etc/resolv.conf leads to %q", c.name, got)
		}
	}
}
