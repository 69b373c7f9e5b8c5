//go:build !cgo

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "sovrun-seccomp: built without cgo, so it cannot compile profiles; install libseccomp-dev and gcc and build it with CGO_ENABLED=1")
	os.Exit(125)
}
