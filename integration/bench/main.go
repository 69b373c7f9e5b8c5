// Bench measures what a launch by sovrun costs, next to bubblewrap and to a C
// launcher of the same steps, and writes docs/benchmarks.md.
//
//	go run ./integration/bench -quick -sovrun bin/sovrun
//	go run ./integration/bench -full -sovrun bin/sovrun -out docs/benchmarks.md
//
// Started as root it measures as root and again as a user id that nobody has.
// It needs bubblewrap and gcc (musl-gcc where there is one).
//
// Exit status 1 means that something could not be measured or compared; a value
// over its budget is printed as OVER and is no failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const buildLimit = 5 * time.Minute

type config struct {
	sovrun string
	out    string
	effort effort
}

func main() {
	c, err := parseFlags(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		// An interrupted bench still takes back what it made: its directory,
		// and above all event tracing, which would go on for everybody.
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = bench(ctx, c)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseFlags(args []string) (config, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	full := flags.Bool("full", false, "measure everything, three times")
	quick := flags.Bool("quick", false, "measure launches, memory and system calls, once")
	sovrun := flags.String("sovrun", "bin/sovrun", "the `binary` to measure")
	out := flags.String("out", "", "write a Markdown page to `file` (with -full)")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	switch {
	case *full == *quick:
		return config{}, errors.New("choose one of -full and -quick")
	case *quick && *out != "":
		return config{}, errors.New("-out needs -full: a page of hasty numbers would mislead")
	}
	c := config{sovrun: *sovrun, out: *out, effort: quickEffort}
	if *full {
		c.effort = fullEffort
	}
	return c, nil
}

// bench measures, then reports.
func bench(ctx context.Context, c config) error {
	r, err := inDirectory(func(base string) (*report, error) { return measure(ctx, c, base) })
	if err != nil {
		return err
	}
	if err := r.text(os.Stdout); err != nil {
		return err
	}
	if c.out != "" {
		if err := os.WriteFile(c.out, []byte(r.markdown()), 0o644); err != nil {
			return err
		}
	}
	if failed := r.failed(); len(failed) > 0 {
		return fmt.Errorf("not measured: %s", strings.Join(failed, "; "))
	}
	return nil
}

// inDirectory gives measure a directory that is gone when it returns: before
// anything is printed, since a reader that closes the pipe ends the process.
func inDirectory(measure func(base string) (*report, error)) (r *report, err error) {
	// /var/tmp: a user must reach it (no /root), and a sandbox covers /tmp.
	base, err := os.MkdirTemp("/var/tmp", "sovrun-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(base)) }()
	if err := os.Chmod(base, 0o755); err != nil {
		return nil, err
	}
	return measure(base)
}

func measure(ctx context.Context, c config, base string) (*report, error) {
	t, err := buildTools(base, c.sovrun)
	if err != nil {
		return nil, err
	}
	labs, err := newLabs(ctx, base, t)
	if err != nil {
		return nil, err
	}
	r := &report{facts: machineFacts(t, labs[0].bwrap), hide: hide(labs)}
	for _, l := range labs {
		r.launches(l, c.effort)
		r.syscallCost(l, c.effort)
	}
	last := labs[len(labs)-1] // the ordinary user
	if c.effort.everything {
		r.stages(last)
		r.importCost(last, base, c.effort)
	}
	for _, l := range labs {
		r.tables = append(r.tables, mountTable(l))
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stop: %w", err)
	}
	return r, nil
}

// hide replaces the directories of this run by what they stand for.
func hide(labs []*lab) *strings.Replacer {
	var pairs []string
	for _, l := range labs {
		pairs = append(pairs, l.workspace, "$WORKSPACE", l.home, "$HOME", filepath.Dir(l.workspace), "$BENCH", l.dir, "$BENCH/bin")
	}
	return strings.NewReplacer(pairs...)
}
