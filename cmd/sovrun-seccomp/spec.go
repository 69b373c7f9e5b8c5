//go:build cgo

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/opencontainers/runtime-spec/specs-go"
)

const (
	// maxProfile bounds what is read; the largest profile seen (all of Docker's,
	// 32-bit names included) has 20 KiB.
	maxProfile = 1 << 20
	// maxErrno is the largest errno that libseccomp takes, one below the kernel's
	// MAX_ERRNO (include/linux/err.h).
	maxErrno = 4094
	// maxArg is the last index of seccomp_data.args.
	maxArg = 5
)

// ociArch is the runtime-spec's name of each architecture compiled for.
var ociArch = map[string]specs.Arch{"amd64": specs.ArchX86_64, "arm64": specs.ArchAARCH64}

// readSpec reads one JSON value of type LinuxSeccomp and nothing else.
func readSpec(name string, r io.Reader) (*specs.LinuxSeccomp, error) {
	limited := &io.LimitedReader{R: r, N: maxProfile + 1}
	dec := json.NewDecoder(limited)
	dec.DisallowUnknownFields()
	var spec specs.LinuxSeccomp
	err := dec.Decode(&spec)
	if limited.N == 0 {
		return nil, fmt.Errorf("read profile %q: larger than %d bytes", name, maxProfile)
	}
	if err != nil {
		return nil, fmt.Errorf("read profile %q: %w", name, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("read profile %q: something follows the profile; give one JSON object", name)
	}
	return &spec, nil
}

// checkSpec refuses what a program alone cannot carry out.
func checkSpec(spec *specs.LinuxSeccomp, arch string) error {
	oci, known := ociArch[arch]
	switch {
	case !known:
		return fmt.Errorf("architecture %q: not supported; use amd64 or arm64", arch)
	case len(spec.Architectures) > 0 && !slices.Contains(spec.Architectures, oci):
		return fmt.Errorf("architectures: %q is not among them; add it or leave the list out", oci)
	case len(spec.Flags) > 0:
		return fmt.Errorf("flags: %q belongs to the loader and cannot be compiled; remove it", spec.Flags[0])
	case spec.ListenerPath != "" || spec.ListenerMetadata != "":
		return errors.New("listenerPath: sovrun has no notification listener; remove it")
	}
	for i, s := range spec.Syscalls {
		if err := checkRule(s); err != nil {
			return fmt.Errorf("syscalls[%d] %q: %w", i, s.Names, err)
		}
	}
	return nil
}

func checkRule(s specs.LinuxSyscall) error {
	if len(s.Names) == 0 {
		return errors.New("no names; a rule needs at least one")
	}
	var seen [maxArg + 1]bool
	for _, a := range s.Args {
		if err := checkArg(a); err != nil {
			return err
		}
		if seen[a.Index] {
			return fmt.Errorf("two conditions on argument %d; write two rules", a.Index)
		}
		seen[a.Index] = true
	}
	return nil
}

func checkArg(a specs.LinuxSeccompArg) error {
	switch {
	case a.Index > maxArg:
		return fmt.Errorf("argument %d: a system call has arguments 0 to %d", a.Index, maxArg)
	case a.Op != specs.OpMaskedEqual && a.ValueTwo != 0:
		return fmt.Errorf("argument %d: valueTwo means nothing to %s; remove it", a.Index, a.Op)
	case a.Op == specs.OpMaskedEqual && a.ValueTwo&^a.Value != 0:
		return fmt.Errorf("argument %d: valueTwo %#x has bits outside the mask %#x, so nothing would match", a.Index, a.ValueTwo, a.Value)
	}
	return nil
}
