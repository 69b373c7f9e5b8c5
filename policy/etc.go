package policy

// synthesise makes the files of /etc that must not be the host's own. What the
// user granted there, be it /etc as a whole, is left as it is.
func (v *view) synthesise(p *Policy) {
	v.mkdirs("/", etcPath, 0o755)
	v.etcFile("passwd", v.passwd())
	v.etcFile("group", v.group())
	v.etcFile("nsswitch.conf", nsswitch)
	v.etcFile("hosts", v.hosts())
	v.resolvConf(p)
}

// etcFile adds one file unless a grant put something there.
func (v *view) etcFile(name, content string) {
	path := etcPath + "/" + name
	if v.over(path) != nil || v.hasLink(path) {
		return
	}
	v.files = append(v.files, File{Path: path, Mode: 0o444, Content: content})
}

// nsswitch knows of files and DNS alone: the services that other modules ask
// listen on sockets of the host.
const nsswitch = "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\nprotocols: files\nservices: files\n"

// passwd lists root, the account of the run and nobody, and no other account
// of the host.
func (v *view) passwd() string {
	s := "root:x:0:0:root:/root:/bin/sh\n"
	t := v.facts.Target
	if t.UID != 0 && t.UID != nobody {
		s += v.accountName() + ":x:" + itoa(t.UID) + ":" + itoa(t.GID) + "::" + v.homeInside() + ":" + v.shell() + "\n"
	}
	if t.UID == 0 {
		s = "root:x:0:" + itoa(t.GID) + ":root:" + v.homeInside() + ":" + v.shell() + "\n"
	}
	return s + "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
}

// nobody is the uid that the kernel shows for owners who are not mapped,
// /proc/sys/kernel/overflowuid.
const nobody = 65534

func (v *view) group() string {
	s := "root:x:0:\n"
	if g := v.facts.Target.GID; g != 0 && g != nobody {
		s += v.accountName() + ":x:" + itoa(g) + ":\n"
	}
	return s + "nogroup:x:65534:\n"
}

// accountName is the account's name if it may stand in passwd(5).
func (v *view) accountName() string {
	if n := v.facts.Target.Name; plainField(n) && n != "root" && n != "nobody" {
		return n
	}
	return "user"
}

func (v *view) shell() string {
	if s := v.facts.Target.Shell; plainField(s) {
		return s
	}
	return "/bin/sh"
}

// homeInside is HOME of the provider.
func (v *view) homeInside() string {
	if h := insideHome(v.facts); plainField(h) {
		return h
	}
	return tmpPath
}

// plainField reports whether s can be a field of passwd(5).
func plainField(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == ':' || s[i] == 0x7f {
			return false
		}
	}
	return s != ""
}

func (v *view) hosts() string {
	names := "localhost"
	if h := v.facts.Hostname; plainHost(h) && h != "localhost" {
		names += " " + h
	}
	s := "127.0.0.1 " + names + "\n"
	if v.facts.IPv6 {
		s += "::1 " + names + " ip6-localhost ip6-loopback\n"
	}
	return s
}

func plainHost(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return s != ""
}

// resolvPath is a link to a file of /run on many hosts.
const resolvPath = "/etc/resolv.conf"

// resolvConf: with the host's network its file is granted, see addResolvConf,
// and an empty one stands in where that leads nowhere; a mount on a dangling
// link fails, and with it the launch.
func (v *view) resolvConf(p *Policy) {
	if p.Network == NetworkHost {
		v.etcFile("resolv.conf", "")
		return
	}
	v.etcFile("resolv.conf", "# no name server: this run has no network\n")
}

// addResolvConf grants the file that /etc/resolv.conf leads to, and its links
// with it.
func (v *view) addResolvConf(p *Policy) {
	if p.Network == NetworkHost {
		v.optional(resolvPath, Read)
	}
}
