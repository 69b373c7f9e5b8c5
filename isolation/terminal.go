package isolation

import "golang.org/x/sys/unix"

// Foreground reports whether the calling process is in the foreground group of
// its controlling terminal: what is typed there then reaches it, and everything
// in its group, without anybody's help.
func Foreground() bool {
	fd, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
