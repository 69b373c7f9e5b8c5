package policy

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseFlags(t *testing.T) {
	at := func(flag string) Origin { return Origin{Source: flag} }
	for _, c := range []struct {
		args []string
		want Fragment
		opts Options
		rest []string
	}{
		{args: nil},
		{args: []string{"git", "--read", "x"}, rest: []string{"git", "--read", "x"}},
		{args: []string{"--", "--read", "x"}, rest: []string{"--read", "x"}},
		{args: []string{"-"}, rest: []string{"-"}},
		{args: []string{"--read", "/a", "--read=/b,c", "--", "x"}, rest: []string{"x"}, want: Fragment{Policy: Policy{
			Files: []Rule{{Path: "/a", Access: Read, Origin: at("--read")}, {Path: "/b,c", Access: Read, Origin: at("--read")}}}}},
		{args: []string{"--exec", "a", "--write=b", "--hide", "c"}, want: Fragment{Policy: Policy{
			Files: []Rule{{Path: "a", Access: Exec, Origin: at("--exec")}, {Path: "b", Access: Write, Origin: at("--write")}, {Path: "c", Access: Hide, Origin: at("--hide")}}}}},
		{args: []string{"--network=host", "--syscalls", "debug", "--workspace", "w"}, want: Fragment{HasNetwork: true,
			Policy: Policy{Network: NetworkHost, Syscalls: "debug", Workspace: "w"}}},
		{args: []string{"--require", "network", "--require=ipc", "--allow-degraded", "syscalls"}, want: Fragment{Policy: Policy{
			Require: PlanesOf(Network, IPC), Degraded: PlanesOf(Syscalls)}}},
		{args: []string{"--pass", "A", "--set", "B=c=d"}, want: Fragment{Policy: Policy{
			Pass: []Name{{"A", at("--pass")}}, Set: []Setting{{"B", "c=d", at("--set")}}}}},
		{args: []string{"--limit", "processes=512", "--limit=file_size=1GiB", "--limit", "processes=64"}, want: Fragment{Policy: Policy{
			Limits: []Limit{{MaxProcesses, 64, at("--limit")}, {FileSize, 1 << 30, at("--limit")}}}}},
		{args: []string{"--profile", "default"}, want: Fragment{HasExtends: true}},
		{args: []string{"--config", "a", "--config=b", "--status-file", "f", "--status-fd", "3", "--json", "--color=never", "-h"},
			opts: Options{Config: []string{"a", "b"}, StatusFile: "f", StatusFD: 3, JSON: true, Color: "never", Help: true}},
	} {
		got, rest, opts, err := ParseFlags(c.args)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		got.Sources = nil
		if c.opts.Color == "" {
			c.opts.Color = "auto"
		}
		if c.opts.StatusFD == 0 {
			c.opts.StatusFD = -1
		}
		if !reflect.DeepEqual(got, c.want) || !slices.Equal(rest, c.rest) || !reflect.DeepEqual(opts, c.opts) {
			t.Errorf("%q:\ngot  %+v %+v %q\nwant %+v %+v %q", c.args, got, opts, rest, c.want, c.opts, c.rest)
		}
	}
}

func TestRefusedFlags(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"--raed=/x", `unknown flag "--raed"; did you mean --read?`},
		{"--allow-degrade=x", "did you mean --allow-degraded?"},
		{"-x", `unknown flag "-x"`},
		{"-read", `unknown flag "-read"; did you mean --read?`},
		{"--zzzzzzzzzzzz=1", `unknown flag "--zzzzzzzzzzzz"; sovrun run --help lists them`},
		{"--read", "--read needs a value; write --read=PATH"},
		{"--read=", "a path cannot be empty"},
		{"--read=~bob/x", "home of another account"},
		{"--json=1", "--json takes no value"},
		{"--hide=**/.env", "a pattern cannot be hidden"},
		{"--hide=a?", "a pattern cannot be hidden"},
		{"--hide=a[b]", "a pattern cannot be hidden"},
		{"--network=allow", `the network mode "allow" is not supported by this version; it would`},
		{"--network=full", "there are none and host"},
		{"--syscalls=./x.json", "is not supported by this version; it would be compiled"},
		{"--syscalls=strict", "there are default, debug and nested"},
		{"--require=net", `unknown plane "net"; the planes are filesystem`},
		{"--allow-degraded=", "unknown plane"},
		{"--pass=A=B", "not the name of a variable"},
		{"--pass=AWS_*", "one by one"},
		{"--pass=SOVRUN", "the marker"},
		{"--set=A", "write NAME=VALUE"},
		{"--set=SOVRUN=0", "the marker"},
		{"--set==x", "needs a name"},
		{"--set=A B=x", "not the name of a variable"},
		{"--limit=processes", "write NAME=VALUE"},
		{"--limit=processes=many", `"many" is not a number`},
		{"--limit=processes=1GiB", "is not a number"},
		{"--limit=processes=0", "at least 1"},
		{"--limit=open_files=3", "at least 16"},
		{"--limit=file_size=1Gib", "is not a size"},
		{"--limit=file_size=9999999999TiB", "too large"},
		{"--limit=file_size=-1", "is not a size"},
		{"--limit=memory=4GiB", "is not supported by this version; it would bound the memory"},
		{"--limit=wall_time=2h", "is not supported by this version; it would end the run"},
		{"--limit=proceses=1", "did you mean processes?"},
		{"--profile=claude", `no built-in profile "claude"; there is default`},
		{"--profile=./x.toml", "is not supported by this version"},
		{"--config=", "name of a file"},
		{"--workspace=", "name of a directory"},
		{"--status-fd=-1", "not a descriptor"},
		{"--status-fd=x", "not a descriptor"},
		{"--color=maybe", "none of auto, always and never"},
		{"--protect=Makefile", "--protect is not supported by this version; it would keep"},
		{"--device=/dev/kvm", "is not supported by this version"},
		{"--cache=go", "is not supported by this version"},
		{"--allow=example.com", "is not supported by this version"},
		{"--host-port=80", "is not supported by this version"},
		{"--upstream=x", "is not supported by this version"},
		{"--watch=x", "is not supported by this version"},
		{"--keep-fd=3", "is not supported by this version"},
		{"--timeout=1s", "is not supported by this version"},
		{"--grace=1s", "is not supported by this version"},
	} {
		_, _, _, err := ParseFlags([]string{c.arg})
		var re *RefusedError
		if !errors.As(err, &re) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.arg, err, c.want)
		}
	}
	if _, _, _, err := ParseFlags([]string{"--read", "--write", "x"}); err == nil {
		t.Error("a flag was taken for a value")
	}
}

func TestUsageNamesEveryFlag(t *testing.T) {
	usage := Usage()
	for _, f := range flags {
		if got := strings.Contains(usage, "--"+f.name+" ") || strings.Contains(usage, "--"+f.name+"\n"); got != (f.would == "") {
			t.Errorf("--%s: in the usage: %v", f.name, got)
		}
		if (f.set == nil) == (f.would == "") {
			t.Errorf("--%s both works and does not", f.name)
		}
	}
}

func TestMerge(t *testing.T) {
	p := parse(t)
	if p.Require != defaultRequire() || p.Syscalls != "default" || p.Network != NetworkNone || p.Bare {
		t.Errorf("without flags: %+v", p)
	}
	p = parse(t, "--require", "network", "--allow-degraded", "syscalls", "--syscalls", "nested")
	if p.Require != defaultRequire()|PlanesOf(Network) || p.Syscalls != "nested" {
		t.Errorf("%+v", p)
	}
	plan := resolve(t, debian(), p, ada("git"))
	if plan.Require.Has(Syscalls) || !plan.Require.Has(Network) || !plan.Degraded.Has(Syscalls) {
		t.Errorf("plan requires %v, degraded %v", plan.Require, plan.Degraded)
	}
}

func FuzzFlags(f *testing.F) {
	for _, s := range []string{"--read\n/x\n--\ngit", "--set=A=b\n-h", "--limit\nfile_size=1GiB\nx", "--raed=1", "--\n--", "-", "--=", "--hide\n[", "--pass\n\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, "\n")
		fr, rest, o, err := ParseFlags(args)
		if err != nil {
			var re *RefusedError
			if !errors.As(err, &re) || re.Message == "" {
				t.Fatalf("%q: %v is no refusal", args, err)
			}
			return
		}
		if len(rest) > 0 && !slices.Equal(rest, args[len(args)-len(rest):]) {
			t.Fatalf("%q: the command %q is not the tail", args, rest)
		}
		o.Config = nil
		p, err := Compose(fr, o)
		if err != nil {
			t.Fatal(err)
		}
		judge(t, p)
	})
}

// judge resolves a policy and checks what must hold of every plan.
func judge(t *testing.T, p Policy) {
	t.Helper()
	f := debian().facts(p, ada("git"))
	plan, err := Resolve(p, f)
	if err != nil {
		var re *RefusedError
		if !errors.As(err, &re) || re.Category == InternalError {
			t.Fatalf("%+v: %v", p, err)
		}
		return
	}
	checkEnv(t, "fuzz", plan, f)
	checkParents(t, plan)
	for _, r := range plan.Landlock {
		if r.Path == "/" || Within(r.Path, WitnessPath) {
			t.Fatalf("a Landlock rule on %q covers the witness", r.Path)
		}
	}
	for _, m := range plan.Mounts {
		if Within(m.Target, WitnessPath) {
			t.Fatalf("mount %q covers the witness", m.Target)
		}
	}
}
