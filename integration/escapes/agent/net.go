package main

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

func netActs() map[string]act {
	return map[string]act{
		"tcp":      func(a []string) (string, error) { return connectTo(a[0], unix.SOCK_STREAM, 0) },
		"mptcp":    func(a []string) (string, error) { return connectTo(a[0], unix.SOCK_STREAM, unix.IPPROTO_MPTCP) },
		"fastopen": fastOpen,
		"udp":      udp,
		"abstract": func(a []string) (string, error) { return connectUnix("@" + a[0]) },
		"raw_icmp": rawICMP,
		"sockets":  sockets,
	}
}

// greeting is what a listener of the harness counts.
const greeting = "from the sandbox?"

// target makes a socket for an address and port, and the address as the kernel wants it.
func target(text string, kind, protocol int) (int, unix.Sockaddr, error) {
	ap, err := netip.ParseAddrPort(text)
	if err != nil {
		return -1, nil, err
	}
	family := unix.AF_INET
	if ap.Addr().Is6() {
		family = unix.AF_INET6
	}
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return -1, nil, fmt.Errorf("socket: %w", err)
	}
	timeout := unix.Timeval{Sec: int64(patience / time.Second)}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &timeout); err != nil {
		return -1, nil, err
	}
	if ap.Addr().Is6() {
		return fd, &unix.SockaddrInet6{Port: int(ap.Port()), Addr: ap.Addr().As16()}, nil
	}
	return fd, &unix.SockaddrInet4{Port: int(ap.Port()), Addr: ap.Addr().As4()}, nil
}

func connectTo(text string, kind, protocol int) (string, error) {
	fd, to, err := target(text, kind, protocol)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, to); err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	_, err = unix.Write(fd, []byte(greeting))
	return "", err
}

// fastOpen sends data with the first packet: there is no connect(2) for a rule to see.
func fastOpen(a []string) (string, error) {
	fd, to, err := target(a[0], unix.SOCK_STREAM, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return "", unix.Sendto(fd, []byte(greeting), unix.MSG_FASTOPEN|unix.MSG_NOSIGNAL, to)
}

// udp sends a datagram and waits for what comes back: an answer, or the error
// that a closed port causes.
func udp(a []string) (string, error) {
	fd, to, err := target(a[0], unix.SOCK_DGRAM, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, to); err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	if _, err := unix.Write(fd, []byte(greeting)); err != nil {
		return "", fmt.Errorf("send: %w", err)
	}
	timeout := unix.Timeval{Sec: int64(patience / time.Second)}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		return "", err
	}
	return readFD(fd)
}

// connectUnix connects to a unix socket and reads what it says.
func connectUnix(name string) (string, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("socket: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: name}); err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	return readFD(fd)
}

// rawICMP sends an echo request to the host's loopback and waits for any ICMP.
func rawICMP([]string) (string, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_ICMP)
	if err != nil {
		return "", fmt.Errorf("socket: %w", err)
	}
	defer unix.Close(fd)
	echo := []byte{8, 0, 0xf7, 0xff, 0, 0, 0, 0} // type, code, checksum, id, sequence
	if err := unix.Sendto(fd, echo, 0, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return "", fmt.Errorf("send: %w", err)
	}
	text, err := readFD(fd)
	return fmt.Sprintf("%d bytes", len(text)), err
}

// sockets makes one of each kind that a program in the sandbox needs.
func sockets([]string) (string, error) {
	for _, s := range [][3]int{
		{unix.AF_UNIX, unix.SOCK_STREAM}, {unix.AF_UNIX, unix.SOCK_DGRAM},
		{unix.AF_INET, unix.SOCK_STREAM}, {unix.AF_INET, unix.SOCK_DGRAM},
		{unix.AF_INET6, unix.SOCK_STREAM}, {unix.AF_INET6, unix.SOCK_DGRAM},
		{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE},
	} {
		fd, err := unix.Socket(s[0], s[1], s[2])
		if err != nil {
			return "", errors.Join(fmt.Errorf("family %d, type %d", s[0], s[1]), err)
		}
		unix.Close(fd)
	}
	return "", nil
}
