// The runtime need not look for a cgroup's CPU limit, which it reads from several
// files at every start: sovrun computes nothing in parallel.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command sovrun runs a command in a sandbox whose every plane was proven in
// place, explains what holds, and prints what would be done.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/sovrun/sovrun/isolation/child"
)

// version is set by the linker; see Makefile.
var version string

// The sandbox dies with the thread that started it (prctl(2), PR_SET_PDEATHSIG). The
// runtime ends a thread only with a goroutine that is locked to it, and here none is:
// to lock this one would cost another thread (runtime.LockOSThread starts a template).
func init() { child.GrowStack() }

func main() { os.Exit(run(os.Args[1:])) }

// run is main without the exit. A panic becomes a sentence: a trace tells the
// person at the terminal nothing.
func run(args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			problem(fmt.Sprintf("internal error: %v", p), "please report it with the command line that led to it")
			code = exitRefused
		}
	}()
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return exitRefused
	}
	for _, v := range verbs() {
		if v.is(args[0]) {
			return v.run(args[1:])
		}
	}
	return beside(args[0], args[1:])
}

// verb is one of sovrun's own.
type verb struct {
	names []string
	run   func(args []string) int
}

func verbs() []verb {
	return []verb{
		{[]string{"run"}, runCommand},
		{[]string{"explain"}, explainCommand},
		{[]string{"plan"}, planCommand},
		{[]string{"version", "--version"}, versionCommand},
		{[]string{"help", "-h", "--help"}, helpCommand},
	}
}

func (v verb) is(name string) bool {
	for _, n := range v.names {
		if n == name {
			return true
		}
	}
	return false
}

func versionCommand([]string) int {
	return answer([]byte("sovrun "+versionText()+"\n"), 0)
}

// versionText is what the linker was told, else what the module system knows.
func versionText() string {
	if version != "" {
		return version
	}
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(unknown)"
}

func helpCommand([]string) int {
	return answer([]byte(usage), 0)
}
