package policy

import "strings"

// Marker is the variable by which a program knows that it runs inside. It is
// set last and nothing overrides it.
const Marker = "SOVRUN"

// envRule is one plane's list of the caller's variables that pass by name.
type envRule struct {
	plane Plane
	names []string
}

// envRules is what passes without being named by the policy. Everything else
// of the caller's stays out, above all what makes a loader, a shell, an
// interpreter or git run other code (LD_*, BASH_ENV, NODE_OPTIONS, PYTHON*,
// GIT_*): those pass only when the policy names them one by one.
var envRules = [...]envRule{
	{Environment, []string{"PATH", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL"}},
	{Filesystem, []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"}},
	{Network, []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"}},
	{Terminal, []string{"TERM", "COLORTERM"}},
}

// defaultPath is PATH where the caller has none.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// environ is the environment while it is made.
type environ struct {
	list    []string
	dropped []string
}

func (e *environ) set(name, value string) {
	for i, kv := range e.list {
		if n, _, _ := strings.Cut(kv, "="); n == name {
			e.list[i] = name + "=" + value
			return
		}
	}
	e.list = append(e.list, name+"="+value)
}

// names are the names in the list, in its order.
func (e *environ) names() []string {
	out := make([]string, len(e.list))
	for i, kv := range e.list {
		out[i], _, _ = strings.Cut(kv, "=")
	}
	return out
}

func (e *environ) get(name string) (string, bool) { return lookup(e.list, name) }

// lookup finds the first entry of a name, as getenv(3) does.
func lookup(list []string, name string) (string, bool) {
	for _, kv := range list {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:], true
		}
	}
	return "", false
}

// environment builds the list for execve from nothing.
func environment(p *Policy, f *Facts) *environ {
	e := &environ{list: make([]string, 0, 24)}
	e.passBase(p, f)
	e.set("PATH", searchPath(e.list))
	e.account(f)
	e.set("HOME", insideHome(f))
	e.set("TMPDIR", tmpPath)
	for _, s := range p.Set {
		e.set(s.Name, s.Value)
	}
	e.set(Marker, "1")
	e.leftOut(f.Caller.Env)
	return e
}

// passBase lets through what envRules and the policy's pass name.
func (e *environ) passBase(p *Policy, f *Facts) {
	for _, kv := range f.Caller.Env {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" || !passes(p, f, name, value) {
			continue
		}
		if _, twice := e.get(name); !twice {
			e.list = append(e.list, kv)
		}
	}
}

func passes(p *Policy, f *Facts, name, value string) bool {
	for _, n := range p.Pass {
		if n.Name == name {
			return true
		}
	}
	if strings.HasPrefix(name, "XDG_") && !homeRelative(f, value) {
		return false
	}
	if strings.HasPrefix(name, "LC_") {
		return true
	}
	for i := range envRules {
		r := &envRules[i]
		for _, n := range r.names {
			if n == name {
				return r.plane != Network || p.Network == NetworkNone
			}
		}
	}
	return false
}

// homeRelative reports whether an XDG directory lies beneath the provider's
// home; a relative one is to be ignored (XDG base directory specification),
// and any other place is not in view.
func homeRelative(f *Facts, value string) bool {
	home := f.Caller.Home
	return f.Target.UID == f.Caller.UID && home != "" && home != "/" && isTidy(value) &&
		!hasDotDot(value) && Within(home, value) && value != home
}

// account sets the names of another account than the caller's.
func (e *environ) account(f *Facts) {
	t := f.Target
	if t.UID == f.Caller.UID {
		return
	}
	name := t.Name
	if !plainField(name) {
		name = itoa(t.UID)
	}
	e.set("USER", name)
	e.set("LOGNAME", name)
	shell := t.Shell
	if !plainField(shell) {
		shell = "/bin/sh"
	}
	e.set("SHELL", shell)
}

// insideHome is HOME: the account's home, or /tmp where it has none that can
// be made.
func insideHome(f *Facts) string {
	if homePlace(f) == "" {
		return tmpPath
	}
	return f.Home()
}

// searchPath is PATH without its empty and relative components, which mean
// the working directory: there a program of the workspace would be run in
// place of the system's.
func searchPath(env []string) string {
	path, ok := lookup(env, "PATH")
	if !ok {
		return defaultPath
	}
	out := make([]byte, 0, len(path))
	for dir := range strings.SplitSeq(path, ":") {
		if !strings.HasPrefix(dir, "/") {
			continue
		}
		if len(out) > 0 {
			out = append(out, ':')
		}
		out = append(out, dir...)
	}
	if len(out) == 0 {
		return defaultPath
	}
	return string(out)
}

// leftOut lists the caller's names that did not pass, once each.
func (e *environ) leftOut(caller []string) {
	for _, kv := range caller {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		if _, in := e.get(name); !in && !contains(e.dropped, name) {
			e.dropped = append(e.dropped, name)
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
