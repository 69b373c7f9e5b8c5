package policy

import (
	"strconv"
	"strings"
)

// This file holds what a value may look like, for flags and files alike. The
// functions return the reason for which a value is refused, without naming the
// flag or key: the caller knows where it stands.

const (
	syscallsDefault = "default"
	syscallsDebug   = "debug"
	syscallsNested  = "nested"
)

// later is how a message refuses what the policy language has and this version
// does not.
func later(what, would string) string {
	return what + " is not supported by this version; it would " + would
}

// pathRule makes a file rule.
func (f *Fragment) pathRule(path string, a Access, o Origin) string {
	switch {
	case path == "":
		return "a path cannot be empty"
	case strings.ContainsRune(path, 0):
		return "a path cannot hold a NUL byte"
	case path[0] == '~' && path != "~" && path[1] != '/':
		return "the home of another account cannot be named by \"~\"; write the path in full"
	case a == Hide && strings.ContainsAny(path, "*?["):
		return "a pattern cannot be hidden by this version: files that appear later would be in view; name the path or a directory above it"
	}
	f.Files = append(f.Files, Rule{Path: path, Access: a, Origin: o})
	return ""
}

// passName lets a variable through.
func (f *Fragment) passName(name string, o Origin) string {
	if why := variableName(name); why != "" {
		return why
	}
	f.Pass = append(f.Pass, Name{Name: name, Origin: o})
	return ""
}

// setVariable sets a variable.
func (f *Fragment) setVariable(name, value string, o Origin) string {
	if why := variableName(name); why != "" {
		return why
	}
	if strings.ContainsRune(value, 0) {
		return "a value cannot hold a NUL byte"
	}
	f.Set = append(f.Set, Setting{Name: name, Value: value, Origin: o})
	return ""
}

func variableName(name string) string {
	switch {
	case name == "":
		return "a variable needs a name"
	case name == Marker:
		return Marker + " is the marker that sovrun itself sets"
	case strings.ContainsAny(name, "*?"):
		return "variables are named one by one; " + quote(name) + " is a pattern"
	}
	for i := range len(name) {
		if name[i] <= ' ' || name[i] == '=' || name[i] == 0x7f {
			return quote(name) + " is not the name of a variable"
		}
	}
	return ""
}

func (f *Fragment) network(mode string) string {
	switch mode {
	case NetworkNone.String():
		f.Network, f.HasNetwork = NetworkNone, true
	case NetworkHost.String():
		f.Network, f.HasNetwork = NetworkHost, true
	case "allow":
		return later("the network mode \"allow\"", "open the hosts that are listed")
	default:
		return quote(mode) + " is not a network mode; there are none and host"
	}
	return ""
}

func (f *Fragment) syscalls(profile string) string {
	switch {
	case profile == syscallsDefault || profile == syscallsDebug || profile == syscallsNested:
		f.Syscalls = profile
	case strings.ContainsAny(profile, "/."):
		return later("a file as the profile of system calls", "be compiled to a filter")
	default:
		return quote(profile) + " is not a profile of system calls; there are default, debug and nested"
	}
	return ""
}

// extend takes the name of a profile.
func (f *Fragment) extend(name string) string {
	f.HasExtends = true
	switch {
	case name == "default":
		f.Bare = false
		return ""
	case strings.ContainsAny(name, "/."):
		return later("extending the file "+quote(name), "add what it grants")
	}
	return "there is no built-in profile " + quote(name) + "; there is default"
}

func (f *Fragment) require(name string) string {
	p, err := ParsePlane(name)
	if err != nil {
		return err.Error()
	}
	f.Require |= PlanesOf(p)
	return ""
}

func (f *Fragment) degrade(name string) string {
	p, err := ParsePlane(name)
	if err != nil {
		return err.Error()
	}
	f.Degraded |= PlanesOf(p)
	return ""
}

// limitSpec is one key of [resources].
type limitSpec struct {
	name  string
	res   Resource
	bytes bool   // takes a size, else a plain number
	least uint64 // below it nothing could start
	would string // not there yet
}

// limitSpecs: the least values leave the launcher's own set-up room, three
// descriptors and a handful of threads.
func limitSpecs() []limitSpec {
	return []limitSpec{
		{name: "processes", res: MaxProcesses, least: 1},
		{name: "open_files", res: OpenFiles, least: 16},
		{name: "file_size", res: FileSize, bytes: true},
		{name: "memory", would: "bound the memory of the whole run"},
		{name: "wall_time", would: "end the run after that time"},
	}
}

// setLimit takes a limit by its key.
func (f *Fragment) setLimit(key, value string, o Origin) string {
	for _, s := range limitSpecs() {
		if s.name != key {
			continue
		}
		if s.would != "" {
			return later("the limit "+quote(key), s.would)
		}
		n, why := amount(value, s.bytes)
		if why == "" && n < s.least {
			why = "at least " + strconv.FormatUint(s.least, 10) + " is needed"
		}
		if why != "" {
			return key + ": " + why
		}
		f.limit(Limit{Resource: s.res, Value: n, Origin: o})
		return ""
	}
	return "there is no limit " + quote(key) + suggestion(key, limitNames())
}

func limitNames() []string {
	var out []string
	for _, s := range limitSpecs() {
		out = append(out, s.name)
	}
	return out
}

// unit is a suffix of a size. Those without an "i" are powers of ten.
type unit struct {
	suffix string
	factor uint64
}

func units() []unit {
	return []unit{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
	}
}

// amount reads a decimal number, of bytes with a unit where sizes says so. The
// largest value is what RLIM_INFINITY leaves, getrlimit(2).
func amount(s string, sizes bool) (uint64, string) {
	digits, factor := s, uint64(1)
	if sizes {
		for _, u := range units() {
			if rest, ok := strings.CutSuffix(s, u.suffix); ok {
				digits, factor = strings.TrimRight(rest, " "), u.factor
				break
			}
		}
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		if sizes {
			return 0, quote(s) + " is not a size; write a number and a unit, as in 1GiB"
		}
		return 0, quote(s) + " is not a number"
	}
	if n > (1<<63-1)/factor {
		return 0, quote(s) + " is too large"
	}
	return n * factor, ""
}
