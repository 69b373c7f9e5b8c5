package policy

import (
	"strings"
	"testing"
)

// host is a synthetic file system: what a path is, by its real location. It
// stands in for isolation.Detect, which asks the kernel.
type host map[string]hostNode

type hostNode struct {
	link     string // target of a symbolic link
	mode     uint32
	uid, gid int
	inode    uint64 // 0: derived from the place
}

func dirNode() hostNode           { return hostNode{mode: modeDir | 0o755} }
func fileNode() hostNode          { return hostNode{mode: modeRegular | 0o644} }
func progNode() hostNode          { return hostNode{mode: modeRegular | 0o755} }
func linkNode(to string) hostNode { return hostNode{link: to} }
func own(n hostNode, id int) hostNode {
	n.uid, n.gid = id, id
	return n
}

// put adds nodes and the directories above them.
func (h host) put(nodes map[string]hostNode) host {
	for p, n := range nodes {
		h[p] = n
		for d := parentOf(p); ; d = parentOf(d) {
			if _, ok := h[d]; !ok {
				h[d] = dirNode()
			}
			if d == "/" {
				break
			}
		}
	}
	return h
}

// fact resolves a path as path_resolution(7) describes it.
func (h host) fact(path string) PathFact {
	var f PathFact
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
		n := h[at]
		next := join(at, c)
		if n.mode&modeType != modeDir {
			return PathFact{Errno: errnoNotDir, Missing: at, Links: f.Links}
		}
		n, ok := h[next]
		if !ok {
			return PathFact{Errno: errnoNoEntry, Missing: next, Links: f.Links}
		}
		if n.link == "" {
			at = next
			continue
		}
		if hops++; hops > 40 {
			return PathFact{Errno: errnoLoop, Missing: next, Links: f.Links}
		}
		f.Links = append(f.Links, Link{Path: next, Target: n.link})
		if strings.HasPrefix(n.link, "/") {
			at = "/"
		}
		rest = append(strings.Split(n.link, "/"), rest...)
	}
	n := h[at]
	f.Real, f.Mode, f.UID, f.GID, f.Major, f.Minor = at, n.mode, n.uid, n.gid, 8, 1
	f.Inode = n.inode
	if f.Inode == 0 {
		f.Inode = inodeOf(at)
	}
	return f
}

func inodeOf(path string) uint64 {
	x := uint64(14695981039346656037) // FNV-1a, 64 bit
	for i := range len(path) {
		x = (x ^ uint64(path[i])) * 1099511628211
	}
	return x & 0xffffffff
}

// facts gathers what a policy wants of the host.
func (h host) facts(p Policy, f Facts) Facts {
	c := f.Caller
	c.Home, c.AccountHome, c.StartHome = f.Home(), f.Target.Home, c.Home
	f.Paths = map[string]PathFact{}
	for _, w := range Wanted(p, c) {
		f.Paths[w] = h.fact(w)
	}
	return f
}

// debian is a host with a merged /usr, a user's home with secrets in it, and a
// project.
func debian() host {
	h := host{}
	h.put(map[string]hostNode{
		"/usr/bin/env": progNode(), "/usr/bin/git": progNode(), "/usr/bin/sh": linkNode("dash"), "/usr/bin/dash": progNode(),
		"/usr/bin/cc": linkNode("/etc/alternatives/cc"), "/etc/alternatives/cc": linkNode("/usr/bin/gcc"),
		"/usr/bin/gcc": linkNode("gcc-12"), "/usr/bin/gcc-12": progNode(), "/usr/bin/notes": fileNode(),
		"/usr/local/bin/tool": progNode(), "/usr/lib/os-release": fileNode(), "/usr/lib64/ld.so": progNode(),
		"/usr/sbin/x": progNode(), "/usr/share/zoneinfo/Etc/UTC": fileNode(),
		"/bin": linkNode("usr/bin"), "/sbin": linkNode("usr/sbin"), "/lib": linkNode("usr/lib"), "/lib64": linkNode("usr/lib64"),
		"/etc/ld.so.cache": fileNode(), "/etc/ld.so.conf": fileNode(), "/etc/ld.so.conf.d/x.conf": fileNode(),
		"/etc/ssl/certs/ca-certificates.crt": fileNode(), "/etc/ssl/openssl.cnf": fileNode(),
		"/etc/ssl/private": {mode: modeDir | 0o710}, "/etc/shadow": {mode: modeRegular | 0o640},
		"/etc/localtime": linkNode("/usr/share/zoneinfo/Etc/UTC"), "/etc/os-release": linkNode("../usr/lib/os-release"),
		"/etc/profile": fileNode(), "/etc/profile.d/x.sh": fileNode(), "/etc/bash.bashrc": fileNode(),
		"/etc/gitconfig": fileNode(), "/etc/services": fileNode(), "/etc/protocols": fileNode(),
		"/etc/resolv.conf":                      linkNode("../run/systemd/resolve/stub-resolv.conf"),
		"/run/systemd/resolve/stub-resolv.conf": fileNode(), "/run/docker.sock": fileNode(), "/run/user/1000/bus": fileNode(),
		"/var/run": linkNode("/run"), "/var/lib/x": fileNode(),
		"/sys/devices/system/cpu/online": fileNode(), "/proc/1": dirNode(), "/dev/null": fileNode(), "/boot/x": fileNode(),
		"/tmp":                    {mode: modeDir | 0o1777},
		"/root":                   {mode: modeDir | 0o700},
		"/root/.ssh/id_ed25519":   {mode: modeRegular | 0o600},
		"/opt/tool/bin/agent":     progNode(),
		"/srv/data/file":          fileNode(),
		"/srv/data/sub/deep/file": fileNode(),
		"/srv/database/file":      fileNode(),
	})
	home := map[string]hostNode{}
	for _, p := range []string{"/home/ada", "/home/ada/proj", "/home/ada/proj/src", "/home/ada/proj/vault", "/home/ada/.ssh",
		"/home/ada/.config", "/home/ada/.config/gh", "/home/ada/.local", "/home/ada/.local/bin", "/home/ada/dots"} {
		home[p] = own(dirNode(), 1000)
	}
	for _, p := range []string{"/home/ada/.ssh/id_ed25519", "/home/ada/.ssh/known_hosts", "/home/ada/.netrc", "/home/ada/.gitconfig",
		"/home/ada/.bash_history", "/home/ada/.config/gh/hosts.yml", "/home/ada/proj/main.go", "/home/ada/proj/.env"} {
		home[p] = own(fileNode(), 1000)
	}
	home["/home/ada/.python_history"] = linkNode("/dev/null")
	home["/home/ada/.local/bin/agent"] = linkNode("/opt/tool/bin/agent")
	home["/home/ada/.local/bin/mine"] = own(progNode(), 1000)
	return h.put(home)
}

// ada calls from her project.
func ada(argv ...string) Facts {
	return Facts{
		Caller: Caller{
			UID: 1000, GID: 1000, Groups: []int{1000}, Cwd: "/home/ada/proj", Home: "/home/ada", Umask: 0o022, Argv: argv,
			Env: []string{"PATH=/home/ada/.local/bin:/usr/local/bin:/usr/bin:/bin", "HOME=/home/ada", "USER=ada", "TERM=xterm",
				"LANG=C.UTF-8", "SECRET_TOKEN=canary", "TMPDIR=/nonexistent", "SSH_AUTH_SOCK=/run/user/1000/agent"},
		},
		Target: Account{UID: 1000, GID: 1000, Name: "ada", Home: "/home/ada", Shell: "/bin/bash"},
		IPv6:   true, Kernel: "6.18.0", Landlock: 7, Errata: 7, SysCPU: true,
	}
}

// root keeps uid 0 in a workspace of root's own.
func root(argv ...string) Facts {
	f := ada(argv...)
	f.Caller.UID, f.Caller.GID, f.Caller.Groups, f.Caller.Cwd, f.Caller.Home = 0, 0, []int{0}, "/srv/data", "/root"
	f.Target = Account{Name: "root", Home: "/root", Shell: "/bin/bash"}
	f.KeepsRoot = true
	return f
}

// resolve plans for a host, failing the test on an error.
func resolve(t *testing.T, h host, p Policy, f Facts) Plan {
	t.Helper()
	plan, err := Resolve(p, h.facts(p, f))
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
