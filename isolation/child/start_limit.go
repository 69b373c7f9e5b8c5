package child

import "syscall"

// openFilesAtStart is RLIMIT_NOFILE before package os raises it to its hard limit
// for this process (os/rlimit.go). This package depends on less than os does and
// comes before it in the order of initialisation, so it sees the caller's value.
var openFilesAtStart = readOpenFiles()

func readOpenFiles() (r syscall.Rlimit) {
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r)
	return r
}

// OpenFilesAtStart is RLIMIT_NOFILE as this process was started with.
func OpenFilesAtStart() (soft, hard uint64) { return openFilesAtStart.Cur, openFilesAtStart.Max }
