package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"

	"golang.org/x/sys/unix"
)

func itoa(n int) string { return strconv.Itoa(n) }

// foreignActs enter the kernel by the tables of other ABIs.
func foreignActs() map[string]act {
	return map[string]act{
		"int80":      viaInt80,
		"socketcall": socketcall,
		"x32":        viaX32,
	}
}

// int80Call is a call by the i386 table. A kernel without that gate answers with
// a fault, here EFAULT.
func int80Call(nr, a, b, c, d, e uintptr) (r uintptr, err error) {
	if runtime.GOARCH != "amd64" {
		return 0, errors.New("no int 0x80 on " + runtime.GOARCH)
	}
	debug.SetPanicOnFault(true)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("no gate: %w", unix.EFAULT)
		}
	}()
	if r = int80(nr, a, b, c, d, e); int(r) < 0 {
		return 0, unix.Errno(-int(r))
	}
	return r, nil
}

func viaInt80(a []string) (string, error) {
	var w [5]uintptr
	for i, text := range a[1:] {
		w[i] = uintptr(number(text))
	}
	r, err := int80Call(uintptr(number(a[0])), w[0], w[1], w[2], w[3], w[4])
	return "result " + itoa(int(r)), err
}

// socketcall is the multiplexer that the i386 table has for sockets: the filter
// would see call 102 and a pointer. The arguments must lie below 4 GiB.
func socketcall(a []string) (string, error) {
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|map32)
	if err != nil {
		return "", errors.New("no memory below 4 GiB: " + err.Error())
	}
	page[0], page[4] = unix.AF_INET, unix.SOCK_STREAM
	const sysSocketcall, sysSocket = 102, 1
	r, err := int80Call(sysSocketcall, sysSocket, addr(&page[0]), 0, 0, 0)
	return "result " + itoa(int(r)), err
}

// viaX32 sets bit 30 of the number, __X32_SYSCALL_BIT.
func viaX32(a []string) (string, error) {
	_, _, e := unix.Syscall(uintptr(number(a[0])|1<<30), 0, 0, 0)
	if e != 0 {
		return "", e
	}
	return "", nil
}
