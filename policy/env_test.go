package policy

import (
	"slices"
	"strings"
	"testing"
)

// value of a variable in a plan; "-" where it is not set.
func value(p Plan, name string) string {
	v, ok := lookup(p.Env, name)
	if !ok {
		return "-"
	}
	return v
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string // on top of ada's
		args []string
		want map[string]string
	}{
		{"base names", []string{"LC_TIME=de", "LANGUAGE=de", "TZ=UTC", "LOGNAME=ada", "SHELL=/bin/zsh", "COLORTERM=24bit"}, nil, map[string]string{
			"LC_TIME": "de", "LANGUAGE": "de", "TZ": "UTC", "LOGNAME": "ada", "SHELL": "/bin/zsh", "COLORTERM": "24bit", "TERM": "xterm",
			"USER": "ada", "LANG": "C.UTF-8", "HOME": "/home/ada", "TMPDIR": "/tmp", "SOVRUN": "1", "PWD": "/home/ada/proj",
		}},
		{"everything else stays out", []string{"AWS_SECRET_ACCESS_KEY=canary", "GITHUB_TOKEN=canary", "DOCKER_HOST=x", "FOO=canary", "OLDPWD=/x", "CUSTOM_ENV_X=1", "lc_time=x", "XDG_RUNTIME_DIR=/run/user/1000"}, nil,
			map[string]string{"AWS_SECRET_ACCESS_KEY": "-", "GITHUB_TOKEN": "-", "DOCKER_HOST": "-", "FOO": "-", "OLDPWD": "-", "SECRET_TOKEN": "-",
				"SSH_AUTH_SOCK": "-", "CUSTOM_ENV_X": "-", "lc_time": "-", "XDG_RUNTIME_DIR": "-"}},
		{"loader and interpreter variables", []string{"LD_PRELOAD=/x", "LD_LIBRARY_PATH=/x", "BASH_ENV=/x", "ENV=/x", "NODE_OPTIONS=-r x", "NODE_PATH=/x", "PYTHONPATH=/x", "PYTHONSTARTUP=/x", "PERL5LIB=/x", "PERL5OPT=x", "GIT_EXTERNAL_DIFF=/x", "GIT_SSH_COMMAND=x", "BASH_FUNC_ls%%=() { x; }"}, nil,
			map[string]string{"LD_PRELOAD": "-", "LD_LIBRARY_PATH": "-", "BASH_ENV": "-", "ENV": "-", "NODE_OPTIONS": "-", "NODE_PATH": "-", "PYTHONPATH": "-", "PYTHONSTARTUP": "-", "PERL5LIB": "-", "PERL5OPT": "-", "GIT_EXTERNAL_DIFF": "-", "GIT_SSH_COMMAND": "-", "BASH_FUNC_ls%%": "-"}},
		{"named explicitly", []string{"LD_PRELOAD=/x", "KEY=v=w"}, []string{"--pass", "LD_PRELOAD", "--pass", "KEY", "--pass", "ABSENT"},
			map[string]string{"LD_PRELOAD": "/x", "KEY": "v=w", "ABSENT": "-"}},
		{"set", []string{"CI=false"}, []string{"--pass", "CI", "--set", "CI=true", "--set", "EMPTY=", "--set", "A=b=c", "--set", "TMPDIR=/home/ada/t"},
			map[string]string{"CI": "true", "EMPTY": "", "A": "b=c", "TMPDIR": "/home/ada/t"}},
		{"the last setting holds", nil, []string{"--set", "A=1", "--set", "A=2"}, map[string]string{"A": "2"}},
		{"the marker is ours", []string{"SOVRUN=0"}, nil, map[string]string{"SOVRUN": "1"}},
		{"XDG beneath the home", []string{"XDG_CONFIG_HOME=/home/ada/.c", "XDG_DATA_HOME=/srv/data", "XDG_STATE_HOME=rel", "XDG_CACHE_HOME=/home/ada/../bob"}, nil,
			map[string]string{"XDG_CONFIG_HOME": "/home/ada/.c", "XDG_DATA_HOME": "-", "XDG_STATE_HOME": "-", "XDG_CACHE_HOME": "-"}},
		{"XDG of a sibling", []string{"XDG_CONFIG_HOME=/home/ada2/.c", "XDG_DATA_HOME=/home/ada"}, nil, map[string]string{"XDG_CONFIG_HOME": "-", "XDG_DATA_HOME": "-"}},
		{"certificates without a network of the host", []string{"SSL_CERT_FILE=/x", "NODE_EXTRA_CA_CERTS=/y", "HTTPS_PROXY=http://x", "https_proxy=http://x"}, nil,
			map[string]string{"SSL_CERT_FILE": "/x", "NODE_EXTRA_CA_CERTS": "/y", "HTTPS_PROXY": "-", "https_proxy": "-"}},
		{"a plane not in force adds nothing", []string{"SSL_CERT_FILE=/x", "http_proxy=x"}, []string{"--network", "host"}, map[string]string{"SSL_CERT_FILE": "-", "http_proxy": "-"}},
		{"malformed and duplicate entries", []string{"=x", "NOVALUE", "", "LANG=second", "=C:=y"}, nil, map[string]string{"LANG": "C.UTF-8", "NOVALUE": "-", "": "-"}},
	} {
		f := ada("git")
		f.Caller.Env = append(f.Caller.Env, c.env...)
		plan := resolve(t, debian(), parse(t, c.args...), f)
		for name, want := range c.want {
			if got := value(plan, name); got != want {
				t.Errorf("%s: %s is %q, want %q", c.name, name, got, want)
			}
		}
		checkEnv(t, c.name, plan, f)
	}
}

// checkEnv holds what is true of every environment: well-formed entries, each
// name once, the marker, and every name of the caller's either in or listed as
// left out.
func checkEnv(t *testing.T, name string, p Plan, f Facts) {
	t.Helper()
	seen := map[string]bool{}
	for _, kv := range p.Env {
		n, _, ok := strings.Cut(kv, "=")
		if !ok || n == "" || seen[n] || strings.ContainsRune(kv, 0) {
			t.Errorf("%s: entry %q", name, kv)
		}
		seen[n] = true
	}
	for _, n := range p.Dropped {
		if seen[n] {
			t.Errorf("%s: %q is both in and left out", name, n)
		}
	}
	for _, kv := range f.Caller.Env {
		if n, _, ok := strings.Cut(kv, "="); ok && n != "" && !seen[n] && !slices.Contains(p.Dropped, n) {
			t.Errorf("%s: %q is neither in nor left out", name, n)
		}
	}
	if !slices.Contains(p.Env, "SOVRUN=1") {
		t.Errorf("%s: no marker", name)
	}
}

func TestSearchPath(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"/usr/bin:/bin", "/usr/bin:/bin"},
		{":/usr/bin::/bin:", "/usr/bin:/bin"},
		{".:bin:/usr/bin:./x:../y", "/usr/bin"},
		{"", defaultPath},
		{".", defaultPath},
	} {
		f := ada("git")
		f.Caller.Env = []string{"PATH=" + c.path}
		if got := value(resolve(t, debian(), Policy{}, f), "PATH"); got != c.want {
			t.Errorf("PATH=%q becomes %q, want %q", c.path, got, c.want)
		}
	}
	f := ada("git")
	f.Caller.Env = nil
	if got := value(resolve(t, debian(), Policy{}, f), "PATH"); got != defaultPath {
		t.Errorf("no PATH becomes %q", got)
	}
}

// TestAnotherAccount: root hands over; nothing of root's own is left.
func TestAnotherAccount(t *testing.T) {
	f := ada("git")
	f.Caller.UID, f.Caller.GID, f.Caller.Home, f.Caller.Groups = 0, 0, "/root", []int{0, 4}
	f.Caller.Env = []string{"PATH=/usr/bin", "HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/bin/zsh", "XDG_CONFIG_HOME=/root/.config"}
	plan := resolve(t, debian(), Policy{}, f)
	for name, want := range map[string]string{"HOME": "/home/ada", "USER": "ada", "LOGNAME": "ada", "SHELL": "/bin/bash", "XDG_CONFIG_HOME": "-"} {
		if got := value(plan, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if id := plan.Identity; !id.Changed || id.KeepsRoot || id.UID != 1000 || id.Home != "/home/ada" {
		t.Errorf("identity %+v", id)
	}
	if access(plan, "/root/.ssh/id_ed25519") != "" || access(plan, "/home/ada/x") != "tmpfs write" {
		t.Error("the home in view is not ada's fresh one")
	}
}
