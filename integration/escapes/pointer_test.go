package escapes

import "unsafe"

func pointer[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
