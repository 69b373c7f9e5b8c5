// Command probe tries what sandboxes are compared by, each in a process of its own,
// and prints a line for each: what was tried, a tab, OK or the errno.
//
//	probe CANARY        tries everything; CANARY is a file outside
//	probe CANARY NAME   tries one thing
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: probe CANARY [NAME]")
		os.Exit(2)
	}
	if len(os.Args) == 2 {
		all(os.Args[1])
		return
	}
	runtime.LockOSThread() // what a try changes about its thread goes with it
	for _, r := range rows(os.Args[1]) {
		if r.name == os.Args[2] {
			fmt.Println(verdict(r.try()))
			return
		}
	}
	fmt.Fprintln(os.Stderr, "probe: nothing is called", os.Args[2])
	os.Exit(2)
}

// all starts one process for each try, so that none spoils the next. Their parent,
// this process, stands for what runs inside besides.
func all(canary string) {
	fmt.Printf("descriptors above 2\t%d\n", inherited())
	for _, r := range rows(canary) {
		c := exec.Command("/proc/self/exe", canary, r.name)
		c.Env, c.Stdin = append(os.Environ(), outerVar+"="+outer()), os.Stdin
		out, err := c.Output()
		if err != nil {
			out = []byte("ended: " + err.Error() + "\n")
		}
		fmt.Printf("%s\t%s", r.name, out)
	}
}

// outerVar tells the tries the pid that stands for a process outside: that of whoever
// started the sandbox, which has no number inside a pid namespace.
const outerVar = "PROBE_OUTER"

func outer() string { return strconv.Itoa(os.Getppid()) }

// inherited counts the descriptors above 2 that this process was started with.
func inherited() int {
	n := 0
	for fd := 3; fd < 64; fd++ {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 { // the runtime's own close on exec
			n++
		}
	}
	return n
}

func verdict(err error) string {
	if err == nil {
		return "OK"
	}
	if e, ok := err.(unix.Errno); ok {
		return unix.ErrnoName(e)
	}
	return err.Error()
}
