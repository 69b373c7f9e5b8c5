//go:build cgo

package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"

	"github.com/opencontainers/runtime-spec/specs-go"
	seccomp "github.com/seccomp/libseccomp-golang"
)

// libArch is the library's name of each architecture compiled for.
var libArch = map[string]seccomp.ScmpArch{"amd64": seccomp.ArchAMD64, "arm64": seccomp.ArchARM64}

// binaryTree is SCMP_FLTATR_CTL_OPTIMIZE 2: the numbers are searched, not
// walked. The kernel runs the filter once for each number when it is loaded, so
// the tree is also what makes loading fast.
const binaryTree = 2

// foreignABI answers calls of another ABI, the x32 bit included. An errno, since
// a kill writes a line to the kernel log at every launch that tries one.
var foreignABI = seccomp.ActErrno.SetReturnCode(int16(syscall.ENOSYS))

// compile turns a profile into the bytes of a filter program for arch.
func compile(spec *specs.LinuxSeccomp, arch string) ([]byte, error) {
	if err := checkSpec(spec, arch); err != nil {
		return nil, err
	}
	fallback, err := action(spec.DefaultAction, spec.DefaultErrnoRet)
	if err != nil {
		return nil, fmt.Errorf("defaultAction: %w", err)
	}
	rs, err := rules(spec, arch)
	if err != nil {
		return nil, err
	}
	numbers, parts := split(rs, fallback)
	first, err := build(numbers, arch, fallback)
	if err != nil {
		return nil, err
	}
	var programs [][]byte
	for _, p := range parts {
		prog, err := build(p.rules, arch, p.fallback)
		if err != nil {
			return nil, err
		}
		programs = append(programs, prog)
	}
	return join(first, programs)
}

// build lets the library make one filter of rules.
func build(rules []rule, arch string, fallback seccomp.ScmpAction) ([]byte, error) {
	filter, err := newFilter(arch, fallback)
	if err != nil {
		return nil, fmt.Errorf("libseccomp: new filter for %s: %w", arch, err)
	}
	defer filter.Release()
	for _, r := range rules {
		if err := r.addTo(filter, fallback); err != nil {
			return nil, fmt.Errorf("libseccomp: rule for %q: %w", r.name, err)
		}
	}
	return export(filter)
}

// newFilter makes an empty filter of one architecture.
func newFilter(arch string, fallback seccomp.ScmpAction) (*seccomp.ScmpFilter, error) {
	filter, err := seccomp.NewFilter(fallback)
	if err != nil {
		return nil, err
	}
	steps := []func() error{
		func() error { return onlyArch(filter, libArch[arch]) },
		func() error { return filter.SetOptimize(binaryTree) },
		func() error { return filter.SetBadArchAction(foreignABI) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			filter.Release()
			return nil, err
		}
	}
	return filter, nil
}

func onlyArch(filter *seccomp.ScmpFilter, arch seccomp.ScmpArch) error {
	native, err := seccomp.GetNativeArch()
	if err != nil || native == arch {
		return err
	}
	if err := filter.AddArch(arch); err != nil {
		return err
	}
	return filter.RemoveArch(native)
}

// export reads the program back through a pipe: libseccomp 2.5 writes only to a
// descriptor.
func export(filter *seccomp.ScmpFilter) ([]byte, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("export program: %w", err)
	}
	defer r.Close()
	failed := make(chan error, 1)
	go func() {
		defer w.Close()
		failed <- filter.ExportBPF(w)
	}()
	prog, err := io.ReadAll(r)
	if err == nil {
		err = <-failed
	}
	if err != nil {
		return nil, fmt.Errorf("export program: %w", err)
	}
	return prog, nil
}

// resolve returns the number by which the library takes a call, and whether
// arch has that call. The library wants the host's number even for another
// architecture and translates it by name.
func resolve(name, arch string) (call seccomp.ScmpSyscall, present bool, err error) {
	there, err := seccomp.GetSyscallFromNameByArch(name, libArch[arch])
	if err == nil && there < 0 {
		return 0, false, nil
	}
	if err == nil {
		call, err = seccomp.GetSyscallFromName(name)
		return call, true, err
	}
	late, listed := lateNumbers[name]
	if !listed {
		return 0, false, fmt.Errorf("unknown system call %q; check the spelling", name)
	}
	n, present := late[arch]
	if present && arch != runtime.GOARCH {
		return 0, false, fmt.Errorf("system call %q is newer than this libseccomp, which cannot compile it for another architecture; compile on %s", name, arch)
	}
	return seccomp.ScmpSyscall(n), present, nil
}
