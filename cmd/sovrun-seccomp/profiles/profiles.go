// Package profiles holds sovrun's built-in system call profiles as tables and
// turns one into the runtime-spec value that sovrun-seccomp compiles.
//
// A name is in one of three places: allowed (table allowed), refused with an
// errno of its own (table refused), or nowhere, and then the filter's default,
// ENOSYS, answers: to the caller the call does not exist. EPERM as a default
// breaks every libc that tries a new call and falls back when the kernel lacks
// it (opencontainers/runc#2151, runc#2737).
//
// Argument rules (table ruled) override the verdict of the same name's rule
// without arguments; doc.go of cmd/sovrun-seccomp says how that is compiled.
// No rule looks at an argument of a call made often (open, read, write, stat
// and the like): the kernel answers a number that the filter decides alone from
// a bitmap (since Linux 5.11), and an argument costs the whole filter.
package profiles

import (
	"fmt"
	"slices"
	"syscall"

	"github.com/opencontainers/runtime-spec/specs-go"
)

// The built-in profiles. The launcher's package isolation/filters uses the same
// words.
const (
	Default = "default"
	Debug   = "debug"
	Nested  = "nested"
)

// Names returns the built-in profiles in the order they are generated.
func Names() []string { return []string{Default, Debug, Nested} }

// Spec returns the profile of that name, or an error that lists the names.
func Spec(name string) (*specs.LinuxSeccomp, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("profile %q: not built in; use one of %q", name, Names())
	}
	nosys := uint(syscall.ENOSYS)
	spec := &specs.LinuxSeccomp{
		DefaultAction:   specs.ActErrno,
		DefaultErrnoRet: &nosys,
		Architectures:   []specs.Arch{specs.ArchX86_64, specs.ArchAARCH64},
	}
	spec.Syscalls = append(spec.Syscalls, allow(allowedIn(name)))
	spec.Syscalls = append(spec.Syscalls, refusals(name)...)
	return spec, nil
}

// allowedIn lists every name that needs no look at its arguments: the common
// ones and the classes that this profile opens.
func allowedIn(profile string) []string {
	var names []string
	for _, g := range allowed {
		names = append(names, g.names...)
	}
	for _, c := range refused {
		if slices.Contains(c.openIn, profile) {
			names = append(names, c.names...)
		}
	}
	slices.Sort(names)
	return names
}

// refusals lists the classes this profile refuses, then the argument rules.
func refusals(profile string) []specs.LinuxSyscall {
	var rules []specs.LinuxSyscall
	for _, c := range refused {
		if !slices.Contains(c.openIn, profile) {
			rules = append(rules, refuse(c.names, c.errno))
		}
	}
	for _, r := range ruled {
		if !slices.Contains(r.notIn, profile) && (r.onlyIn == "" || r.onlyIn == profile) {
			rules = append(rules, r.rule)
		}
	}
	return rules
}

func allow(names []string, args ...specs.LinuxSeccompArg) specs.LinuxSyscall {
	return specs.LinuxSyscall{Names: names, Action: specs.ActAllow, Args: args}
}

func refuse(names []string, errno syscall.Errno, args ...specs.LinuxSeccompArg) specs.LinuxSyscall {
	ret := uint(errno)
	return specs.LinuxSyscall{Names: names, Action: specs.ActErrno, ErrnoRet: &ret, Args: args}
}
