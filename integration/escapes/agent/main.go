// Command agent tries what a program in a sandbox might try to get out. It runs
// the same way outside, as the control, and inside, from the workspace; it is
// static, needs no library and no file but itself, and judges nothing: it says
// what the kernel answered, and what it could read.
//
//	agent one JOB      one attempt, its result as a line of JSON
//	agent batch FILE   every job of a file, each in a process of its own
//	agent hold JOB     one attempt, then wait for a line on standard input
//
// The other modes are bystanders and children of attempts; modes lists them.
//
// Nothing it does on the host outlives it or changes anything: what it opens for
// writing it never writes, what it makes it removes, and a setting is only ever
// set to what it is.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// Credentials, namespaces, tracing and filters belong to the thread.
func init() { runtime.LockOSThread() }

func main() { os.Exit(run(os.Args[1:])) }

// modes is what the first argument selects.
func modes() map[string]func(args []string) error {
	return map[string]func(args []string) error{
		"one":     one,
		"batch":   batch,
		"hold":    hold,
		"acts":    listActs,
		"sleep":   sleep,
		"true":    func([]string) error { return nil },
		"ids":     printIDs,
		"abort":   abort,
		"daemon":  daemon,
		"linger":  linger,
		"listen":  listen,
		"streams": printStreams,
		"forks":   forks,
		"exit":    exitWith,
		"filter":  killedByFilter,
		"signal":  signalSelf,
		"witness": printConfinement,
	}
}

func run(args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "agent: no mode")
		return 2
	}
	mode := modes()[args[0]]
	if mode == nil {
		fmt.Fprintf(os.Stderr, "agent: no mode %q\n", args[0])
		return 2
	}
	err := mode(args[1:])
	var status exitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "agent: %s: %v\n", args[0], err)
		return 1
	}
	return 0
}
