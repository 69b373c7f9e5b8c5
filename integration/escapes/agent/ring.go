package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ringActs let the kernel's io_uring workers do what a filter refuses as a call.
func ringActs() map[string]act {
	return map[string]act{
		"ring_open":    ringOpen,
		"ring_socket":  ringSocket,
		"ring_connect": ringConnect,
	}
}

// ringParams is struct io_uring_params of linux/io_uring.h, word by word: ten of
// its own, ten with the offsets in the submission ring, ten in the completion ring.
type ringParams [30]uint32

// Words of ringParams.
const (
	wordTail        = 11 // sq_off.tail
	wordArray       = 16 // sq_off.array
	wordCompletions = 25 // cq_off.cqes
)

// submission is struct io_uring_sqe, as far as the attempts need it.
type submission struct {
	opcode, flags uint8
	ioprio        uint16
	fd            int32
	off, addr     uint64
	length, op    uint32
	user          uint64
	_             [24]byte
}

// Operations, enum io_uring_op: Linux 5.6, 5.5 and 5.19.
const (
	opOpenat  = 18
	opConnect = 16
	opSocket  = 45
)

// offsets for mmap(2) of the ring's descriptor, IORING_OFF_SQ_RING and so on.
const (
	offSubmissions = 0
	offCompletions = 0x8000000
	offEntries     = 0x10000000
)

// submit makes a ring, has it do one operation, and returns that one's result.
func submit(s submission) (int, error) {
	var p ringParams
	r, _, e := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, addr(&p), 0)
	if e != 0 {
		return 0, fmt.Errorf("io_uring_setup: %w", e)
	}
	fd := int(r)
	defer unix.Close(fd)
	sq, err1 := ringMap(fd, offSubmissions)
	cq, err2 := ringMap(fd, offCompletions)
	entries, err3 := ringMap(fd, offEntries)
	if err := errors.Join(err1, err2, err3); err != nil {
		return 0, errors.New("no ring in memory: " + err.Error())
	}
	*(*submission)(unsafe.Pointer(&entries[0])) = s
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&sq[p[wordArray]])), 0)
	atomic.AddUint32((*uint32)(unsafe.Pointer(&sq[p[wordTail]])), 1)
	const getEvents = 1 // IORING_ENTER_GETEVENTS
	if _, _, e := unix.Syscall6(unix.SYS_IO_URING_ENTER, r, 1, 1, getEvents, 0, 0); e != 0 {
		return 0, fmt.Errorf("io_uring_enter: %w", e)
	}
	// struct io_uring_cqe: user data, result, flags
	res := *(*int32)(unsafe.Pointer(&cq[p[wordCompletions]+8]))
	if res < 0 {
		return 0, fmt.Errorf("operation: %w", unix.Errno(-res))
	}
	return int(res), nil
}

// ringPage holds any ring of one entry, whatever the kernel's header.
const ringPage = 4096

func ringMap(fd int, off int64) ([]byte, error) {
	return unix.Mmap(fd, off, ringPage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
}

func ringOpen(a []string) (string, error) {
	path := append([]byte(a[0]), 0)
	fd, err := submit(submission{opcode: opOpenat, fd: unix.AT_FDCWD, addr: uint64(addr(&path[0]))})
	runtime.KeepAlive(path)
	if err != nil {
		return "", err
	}
	return readFD(fd)
}

func ringSocket([]string) (string, error) {
	_, err := submit(submission{opcode: opSocket, fd: unix.AF_INET, off: unix.SOCK_STREAM})
	return "", err
}

// ringConnect makes the socket by the ring too, where the kernel can.
func ringConnect(a []string) (string, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("socket: %w", err)
	}
	defer unix.Close(fd)
	port, err := strconv.ParseUint(a[0], 10, 16)
	if err != nil {
		return "", err
	}
	name := unix.RawSockaddrInet4{Family: unix.AF_INET, Port: uint16(port>>8 | port<<8), Addr: [4]byte{127, 0, 0, 1}}
	_, err = submit(submission{opcode: opConnect, fd: int32(fd), off: unix.SizeofSockaddrInet4, addr: uint64(addr(&name))})
	runtime.KeepAlive(&name)
	if err != nil {
		return "", err
	}
	return "as process " + itoa(os.Getpid()), nil
}
