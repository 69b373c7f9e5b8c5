package main

import "golang.org/x/sys/unix"

// int80 enters the kernel by the i386 gate; the result is sign-extended.
func int80(nr, a, b, c, d, e uintptr) uintptr

const map32 = unix.MAP_32BIT
