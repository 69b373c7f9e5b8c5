package main

import (
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// rest are entries that only this architecture has.
func rest() []row {
	debug.SetGCPercent(-1)
	return []row{
		{"getpid through int 0x80", func() error { return int80(20, 0, 0, 0) }},
		{"socket through int 0x80", func() error { return int80(359, unix.AF_INET, unix.SOCK_STREAM, 0) }},
		{"getpid of x32", raw(0x40000000 | unix.SYS_GETPID)},
	}
}

func gate(nr, a, b, c uintptr) uintptr

func int80(nr, a, b, c uintptr) error {
	if r := int32(gate(nr, a, b, c)); r < 0 {
		return unix.Errno(-r)
	}
	return nil
}
