//go:build cgo

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/opencontainers/runtime-spec/specs-go"
	"github.com/sovrun/sovrun/cmd/sovrun-seccomp/profiles"
)

// exitFailed is the status of every failure, as in the rest of sovrun.
const exitFailed = 125

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "sovrun-seccomp: error:", err)
		os.Exit(exitFailed)
	}
}

type options struct {
	arch, out, profile, generate, file string
}

func run(args []string, stdin io.Reader, stdout io.Writer) error {
	opts, err := parse(args, stdout)
	if err != nil {
		return err
	}
	if opts.generate != "" {
		return generate(opts.generate)
	}
	spec, err := load(opts, stdin)
	if err != nil {
		return err
	}
	prog, err := compile(spec, opts.arch)
	if err != nil {
		return err
	}
	if opts.out == "-" {
		_, err = stdout.Write(prog)
		return err
	}
	return replaceFile(opts.out, prog)
}

// parse reads the flags; help goes to stdout.
func parse(args []string, stdout io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("sovrun-seccomp", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.arch, "arch", runtime.GOARCH, "architecture of the program: amd64 or arm64")
	fs.StringVar(&o.out, "o", "", `write the program to this file, "-" is standard output`)
	fs.StringVar(&o.profile, "profile", "", "compile this built-in profile instead of a file")
	fs.StringVar(&o.generate, "generate", "", "write all built-in profiles below this directory")
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fs.SetOutput(stdout)
		fmt.Fprintln(stdout, "usage: sovrun-seccomp [-arch ARCH] -o FILE [PROFILE.json | -profile NAME]\n       sovrun-seccomp -generate DIR")
		fs.PrintDefaults()
	}
	if err != nil {
		return o, err
	}
	o.file = fs.Arg(0)
	return o, o.check(fs.NArg())
}

func (o options) check(operands int) error {
	switch {
	case operands > 1:
		return fmt.Errorf("arguments: %d profiles given; give one", operands)
	case o.generate != "" && (o.out != "" || o.profile != "" || operands > 0):
		return errors.New("arguments: -generate takes no other argument")
	case o.generate == "" && o.out == "":
		return errors.New(`arguments: no output; add -o FILE, or -o - for standard output`)
	case o.profile != "" && operands > 0:
		return errors.New("arguments: both -profile and a file given; give one")
	}
	return nil
}

// load reads the profile from where the options say.
func load(o options, stdin io.Reader) (*specs.LinuxSeccomp, error) {
	if o.profile != "" {
		return profiles.Spec(o.profile)
	}
	if o.file == "" || o.file == "-" {
		return readSpec("standard input", stdin)
	}
	f, err := os.Open(o.file)
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	defer f.Close()
	return readSpec(o.file, f)
}
