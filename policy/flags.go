package policy

import (
	"strconv"
	"strings"
)

// Options is what the command line says besides the policy.
type Options struct {
	Config     []string // policy files, in order
	StatusFile string
	StatusFD   int // -1: none
	JSON       bool
	Verbose    bool
	Color      string // auto, always or never
	Help       bool
}

// command line while it is read.
type cmdline struct {
	Fragment
	Options
}

// flagSpec is one flag. Its set function returns the reason for which a value
// is refused.
type flagSpec struct {
	name  string
	value string // what it takes, for the usage; "" for a switch
	help  string
	set   func(c *cmdline, v string) string
	would string // not there yet: what it would do
}

// flags in the order of the usage. None is an abbreviation of another, and no
// value is ever split at commas.
var flags = [...]flagSpec{
	{name: "workspace", value: "DIR", help: "the one tree that the command may change (default: the working directory)", set: setWorkspace},
	{name: "read", value: "PATH", help: "let it read and list PATH", set: func(c *cmdline, v string) string { return c.file(v, Read) }},
	{name: "exec", value: "PATH", help: "let it read and execute PATH", set: func(c *cmdline, v string) string { return c.file(v, Exec) }},
	{name: "write", value: "PATH", help: "let it change PATH", set: func(c *cmdline, v string) string { return c.file(v, Write) }},
	{name: "hide", value: "PATH", help: "take PATH out of view; the most specific rule wins", set: func(c *cmdline, v string) string { return c.file(v, Hide) }},
	{name: "network", value: "MODE", help: "none (default) or host", set: func(c *cmdline, v string) string { return c.network(v) }},
	{name: "pass", value: "NAME", help: "let the variable NAME through", set: func(c *cmdline, v string) string { return c.passName(v, Origin{Source: "--pass"}) }},
	{name: "set", value: "NAME=VALUE", help: "set a variable", set: setFlag},
	{name: "syscalls", value: "PROFILE", help: "default, debug (ptrace within) or nested (namespaces within)", set: func(c *cmdline, v string) string { return c.syscalls(v) }},
	{name: "limit", value: "NAME=VALUE", help: "processes, open_files or file_size", set: limitFlag},
	{name: "require", value: "PLANE", help: "refuse to run unless PLANE is enforced, besides those required anyway", set: func(c *cmdline, v string) string { return c.require(v) }},
	{name: "allow-degraded", value: "PLANE", help: "run even if PLANE is not enforced", set: func(c *cmdline, v string) string { return c.degrade(v) }},
	{name: "profile", value: "NAME", help: "built-in profile to start from (default)", set: func(c *cmdline, v string) string { return c.extend(v) }},
	{name: "config", value: "FILE", help: "policy file; flags are added after it", set: setConfig},
	{name: "status-file", value: "FILE", help: "write the outcome to FILE as JSON", set: setStatusFile},
	{name: "status-fd", value: "N", help: "write the outcome to descriptor N as JSON", set: setStatusFD},
	{name: "verbose", help: "list every act as well (-v)", set: func(c *cmdline, _ string) string { c.Verbose = true; return "" }},
	{name: "json", help: "print JSON", set: func(c *cmdline, _ string) string { c.JSON = true; return "" }},
	{name: "color", value: "WHEN", help: "auto, always or never", set: setColor},
	{name: "help", help: "print this", set: func(c *cmdline, _ string) string { c.Help = true; return "" }},

	{name: "protect", value: "PATH", would: "keep files of the workspace from being changed"},
	{name: "device", value: "PATH", would: "let one device in"},
	{name: "cache", value: "NAME", would: "give a toolchain a private cache"},
	{name: "allow", value: "HOST", would: "open one host of the network"},
	{name: "host-port", value: "PORT", would: "open one port of the host's loopback"},
	{name: "upstream", value: "URL", would: "reach the network through a proxy"},
	{name: "watch", value: "PATH", would: "report changes of PATH outside of the workspace"},
	{name: "keep-fd", value: "N", would: "let one more descriptor in"},
	{name: "timeout", value: "TIME", would: "end the run after that time"},
	{name: "grace", value: "TIME", would: "wait between the polite and the final signal"},
}

func (c *cmdline) file(path string, a Access) string {
	return c.pathRule(path, a, Origin{Source: "--" + a.String()})
}

func setWorkspace(c *cmdline, v string) string {
	if v == "" || strings.ContainsRune(v, 0) {
		return "it needs the name of a directory"
	}
	c.Workspace = v
	return ""
}

func setFlag(c *cmdline, v string) string {
	name, value, ok := strings.Cut(v, "=")
	if !ok {
		return "write NAME=VALUE, or --pass NAME for the caller's own value"
	}
	return c.setVariable(name, value, Origin{Source: "--set"})
}

func limitFlag(c *cmdline, v string) string {
	name, value, ok := strings.Cut(v, "=")
	if !ok {
		return "write NAME=VALUE, as in processes=512"
	}
	return c.setLimit(name, value, Origin{Source: "--limit"})
}

func setConfig(c *cmdline, v string) string {
	if v == "" {
		return "it needs the name of a file"
	}
	c.Config = append(c.Config, v)
	return ""
}

func setStatusFile(c *cmdline, v string) string {
	if v == "" {
		return "it needs the name of a file"
	}
	c.StatusFile = v
	return ""
}

func setStatusFD(c *cmdline, v string) string {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return quote(v) + " is not a descriptor; write a number from 0"
	}
	c.StatusFD = n
	return ""
}

func setColor(c *cmdline, v string) string {
	if v != "auto" && v != "always" && v != "never" {
		return quote(v) + " is none of auto, always and never"
	}
	c.Color = v
	return ""
}

// ParseFlags reads the flags of one command. They end at the first word that
// is none, or after "--": what follows is the command to run, whose own flags
// are not looked at. An error is a *RefusedError.
func ParseFlags(args []string) (Fragment, []string, Options, error) {
	c := &cmdline{Options: Options{StatusFD: -1, Color: "auto"}}
	rest, err := c.parse(args)
	if err != nil {
		return Fragment{}, nil, c.Options, err
	}
	if len(c.Files)+len(c.Pass)+len(c.Set)+len(c.Limits) > 0 || c.Workspace != "" || c.Syscalls != "" || c.HasNetwork || c.Require|c.Degraded != 0 {
		c.Sources = []string{"flags"}
	}
	return c.Fragment, rest, c.Options, nil
}

func (c *cmdline) parse(args []string) ([]string, error) {
	for len(args) > 0 {
		arg := args[0]
		if arg == "--" {
			return args[1:], nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			return args, nil
		}
		used, err := c.one(arg, args[1:])
		if err != nil {
			return nil, err
		}
		args = args[1+used:]
	}
	return nil, nil
}

// one takes one flag and says how many of the following words it used.
func (c *cmdline) one(arg string, following []string) (int, error) {
	switch arg {
	case "-h":
		arg = "--help"
	case "-v":
		arg = "--verbose"
	}
	name, value, glued := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	spec := findFlag(name)
	if spec == nil || !strings.HasPrefix(arg, "--") {
		return 0, flagError("unknown flag "+quote(strings.SplitN(arg, "=", 2)[0])+suggestion("--"+strings.TrimLeft(name, "-"), flagNames()), "sovrun run --help lists them")
	}
	if spec.would != "" {
		return 0, flagError(later("--"+name, spec.would), "leave it out")
	}
	used := 0
	switch {
	case spec.value == "" && glued:
		return 0, flagError("--"+name+" takes no value", "leave out what follows the \"=\"")
	case spec.value != "" && !glued:
		if len(following) == 0 || strings.HasPrefix(following[0], "--") {
			return 0, flagError("--"+name+" needs a value", "write --"+name+"="+spec.value)
		}
		value, used = following[0], 1
	}
	if why := spec.set(c, value); why != "" {
		return 0, flagError("--"+name+": "+why, "sovrun run --help tells what it takes")
	}
	return used, nil
}

func flagError(message, hint string) error { return refuse(InvalidPolicy, message, hint) }

func findFlag(name string) *flagSpec {
	for i := range flags {
		if flags[i].name == name {
			return &flags[i]
		}
	}
	return nil
}

func flagNames() []string {
	out := make([]string, 0, len(flags))
	for i := range flags {
		if flags[i].would == "" {
			out = append(out, "--"+flags[i].name)
		}
	}
	return out
}

// Usage lists the flags, one a line, for the help of a command.
func Usage() string {
	const column = 28
	var b strings.Builder
	for i := range flags {
		f := &flags[i]
		if f.would != "" {
			continue
		}
		head := "  --" + f.name
		if f.value != "" {
			head += " " + f.value
		}
		b.WriteString(head)
		for range max(1, column-len(head)) {
			b.WriteByte(' ')
		}
		b.WriteString(f.help + "\n")
	}
	return b.String()
}
