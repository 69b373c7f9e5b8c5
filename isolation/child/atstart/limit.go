// Package atstart knows what the Go runtime changes before any other package can
// look.
package atstart

// openFiles is RLIMIT_NOFILE; see getrlimit(2), prlimit(2).
func openFiles() (soft, hard uint64)

// Package syscall raises the soft limit to the hard one, less 1, when it is
// initialised (syscall/rlimit.go). Packages are initialised in the order of their
// import paths as soon as all that they import are (The Go Programming Language
// Specification, Program initialization): this one imports nothing, and its path
// comes before "syscall".
var soft, hard = openFiles()

// OpenFiles is RLIMIT_NOFILE as this process was started with.
func OpenFiles() (uint64, uint64) { return soft, hard }
