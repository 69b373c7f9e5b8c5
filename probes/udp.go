package probes

import (
	"encoding/binary"
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
)

// patience is how long the act waits for the error that answers a datagram. On
// a loopback it is there before the send returns; a loaded machine may defer it.
const patience = 200_000_000 // nanoseconds

// udp sends a datagram to a socket of the launcher's. Inside, the loopback has
// no such socket, and the answer is an error on ours. Outside, there is none and
// nothing to read, EAGAIN. An error that is late must not look like a datagram
// that went through, so the act waits, and if nothing comes it decides nothing;
// udp_port says whether the launcher's socket is in view without any waiting.
func (m *maker) udp() {
	s := &spec{
		meaning: meaning{name: "udp_send", object: "127.0.0.1", what: "send a datagram to a UDP socket of the host", differs: "without waiting for an error"},
		planes:  network,
		refused: [3]refusal{{eCONNREFUSED, NetworkNamespace}},
		allowed: [3]int16{eAGAIN},
	}
	addr, wait, buf := m.address4(m.targets.UDP), m.Words(0, patience), m.Alloc(8, 8)
	poll := m.Words(pollIn)
	send := func(b *child.Builder) {
		fd := child.Slot(child.ActSlot(0))
		o := b.Try(syscall.SYS_SOCKET, child.Imm(afInet), child.Imm(sockDgram|sockCloexec), child.Imm(0))
		o.Save, o.Store = child.ActSlot(0), poll
		b.Try(syscall.SYS_CONNECT, fd, child.Ptr(addr), child.Imm(16))
		b.Try(syscall.SYS_SENDTO, fd, child.Ptr(buf), child.Imm(1), child.Imm(0), child.Imm(0), child.Imm(0))
	}
	receive := func(b *child.Builder) {
		b.Decide(syscall.SYS_RECVFROM, child.Slot(child.ActSlot(0)), child.Ptr(buf), child.Imm(1), child.Imm(msgDontwait), child.Imm(0), child.Imm(0))
		closing(b, 0)
	}
	m.add(s, func(b *child.Builder) {
		send(b)
		b.Try(syscall.SYS_PPOLL, child.Ptr(poll), child.Imm(1), child.Ptr(wait), child.Imm(0), child.Imm(8)).Want = 1
		receive(b)
	}, func(b *child.Builder) {
		send(b)
		receive(b)
	})
	m.udpPort(addr)
}

// udpPort takes the very port that the launcher's socket has. In a network of
// its own it is free; EADDRINUSE says that the host's is in view.
func (m *maker) udpPort(addr uint32) {
	m.twinSocket("udp_port", "take a port that a socket of the host has", afInet, sockDgram, addr, 16, [3]int16{eADDRINUSE})
}

// loopback must work: a TCP connection to oneself, and the v6 address where the
// kernel has one.
func (m *maker) loopback() {
	m.loopback4()
	var a [28]byte // struct sockaddr_in6 for ::1
	binary.NativeEndian.PutUint16(a[:], afInet6)
	a[23] = 1
	m.twinSocket("loopback6_bind", "bind to ::1", afInet6, sockStream, m.Bytes(string(a[:]), 8), len(a), [3]int16{})
}

// twinSocket makes a socket and binds it.
func (m *maker) twinSocket(name, what string, family, typ int, addr uint32, size int, allowed [3]int16) {
	s := &spec{meaning: meaning{name: name, what: what}, planes: network, kind: child.Working, allowed: allowed}
	m.add(s, func(b *child.Builder) {
		b.Try(syscall.SYS_SOCKET, child.Imm(family), child.Imm(typ|sockCloexec), child.Imm(0)).Save = child.ActSlot(0)
		b.Decide(syscall.SYS_BIND, child.Slot(child.ActSlot(0)), child.Ptr(addr), child.Imm(size))
		closing(b, 0)
	}, nil)
}

// loopback4 listens on a port that the kernel chooses and connects to it.
func (m *maker) loopback4() {
	s := &spec{meaning: meaning{name: "loopback4_connect", what: "connect to one's own listener on 127.0.0.1"}, planes: network, kind: child.Working}
	free, addr, size := m.address4(0), m.Alloc(16, 8), m.Words(16)
	wait, linger := m.Words(1, 0), m.Words(1)
	m.add(s, func(b *child.Builder) {
		server, client := child.Slot(child.ActSlot(0)), child.Slot(child.ActSlot(1))
		b.Try(syscall.SYS_SOCKET, child.Imm(afInet), child.Imm(sockStream|sockCloexec), child.Imm(0)).Save = child.ActSlot(0)
		b.Try(syscall.SYS_BIND, server, child.Ptr(free), child.Imm(16))
		b.Try(syscall.SYS_LISTEN, server, child.Imm(1))
		b.Try(syscall.SYS_GETSOCKNAME, server, child.Ptr(addr), child.Ptr(size))
		b.Try(syscall.SYS_SOCKET, child.Imm(afInet), child.Imm(sockStream|sockCloexec), child.Imm(0)).Save = child.ActSlot(1)
		b.Try(syscall.SYS_SETSOCKOPT, client, child.Imm(solSocket), child.Imm(soSndtimeo), child.Ptr(wait), child.Imm(16))
		b.Try(syscall.SYS_SETSOCKOPT, client, child.Imm(solSocket), child.Imm(soLinger), child.Ptr(linger), child.Imm(8))
		b.Decide(syscall.SYS_CONNECT, client, child.Ptr(addr), child.Imm(16))
		closing(b, 1)
		closing(b, 0)
	}, nil)
}
