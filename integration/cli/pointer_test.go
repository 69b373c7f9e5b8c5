package cli

import "unsafe"

func pointerTo(b *[16]byte) uintptr { return uintptr(unsafe.Pointer(b)) }
