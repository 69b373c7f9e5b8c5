package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// beside runs sovrun-NAME from the directory that this binary lies in, and from
// nowhere else: a workspace or a PATH may hold anything under that name.
func beside(name string, args []string) int {
	if strings.ContainsRune(name, '/') || strings.HasPrefix(name, "-") {
		problem("unknown verb "+quoted(name), "sovrun help lists them; to run a command write sovrun run -- COMMAND")
		return exitRefused
	}
	self, err := os.Executable()
	if err != nil {
		problem("finding sovrun's own directory: "+err.Error(), "sovrun needs /proc; mount it")
		return exitRefused
	}
	path := filepath.Join(filepath.Dir(self), "sovrun-"+name)
	if _, err := os.Stat(path); err != nil {
		problem("unknown verb "+quoted(name), "sovrun help lists them; to run a command write sovrun run -- COMMAND")
		return exitRefused
	}
	err = syscall.Exec(path, append([]string{path}, args...), os.Environ())
	problem("starting "+quoted(path)+": "+err.Error(), "install sovrun again; all its programs belong together")
	return exitRefused
}

func quoted(s string) string { return strconv.Quote(s) }
