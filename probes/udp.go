package probes

import (
	"encoding/binary"
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
)

// Times that acts wait for what a loopback delivers. It is there before the send
// returns; a loaded machine may defer it.
const (
	refusalTime  = 200_000_000 // nanoseconds
	deliveryTime = 2           // seconds
)

// udp sends a datagram to a socket of the launcher's. Inside, the loopback has
// no such socket, and the answer is an error on ours. Outside, there is none and
// nothing to read, EAGAIN. An error that is late must not look like a datagram
// that went through, so the act waits, and if nothing comes it decides nothing;
// loopback_talk says without any waiting whether the launcher's socket is in view.
func (m *maker) udp() {
	s := &spec{
		meaning: meaning{name: "udp_send", object: "127.0.0.1", what: "send a datagram to a UDP socket of the host", differs: "without waiting for an error"},
		planes:  network,
		refused: [3]refusal{{eCONNREFUSED, NetworkNamespace}},
		allowed: [3]int16{eAGAIN},
	}
	d := m.datagram(0, refusalTime)
	// A port that the kernel chose could be the very one that is sent to, one time in
	// 28,000: the datagram would come back, and look as if it had gone through. Outside
	// that port is the launcher's.
	beside := m.address4(m.targets.UDP ^ 1)
	m.add(s, func(b *child.Builder) {
		d.open(b)
		b.Try(syscall.SYS_BIND, d.fd(), child.Ptr(beside), child.Imm(16))
		d.say(b)
		d.wait(b)
		d.receive(b)
	}, func(b *child.Builder) {
		d.send(b)
		d.receive(b)
	})
}

// loopbackTalk takes the very port that the launcher's socket has and sends a
// datagram to itself. Outside that port is taken, and so it is wherever the
// host's network is in view.
func (m *maker) loopbackTalk() {
	s := &spec{
		meaning: meaning{name: "loopback_talk", object: "127.0.0.1", what: "talk to oneself on a port that a socket of the host has", differs: "only taking the port"},
		planes:  network, kind: child.Working,
		allowed: [3]int16{eADDRINUSE},
	}
	d := m.datagram(deliveryTime, 0)
	m.add(s, func(b *child.Builder) {
		d.open(b)
		b.Try(syscall.SYS_BIND, d.fd(), child.Ptr(d.addr), child.Imm(16))
		d.say(b)
		d.wait(b)
		d.receive(b)
	}, func(b *child.Builder) {
		d.open(b)
		b.Decide(syscall.SYS_BIND, d.fd(), child.Ptr(d.addr), child.Imm(16))
		closing(b, 0)
	})
}

// datagram is what the calls of one UDP socket need in memory.
type datagram struct{ addr, poll, time, buf uint32 }

func (m *maker) datagram(sec, nsec uint64) datagram {
	return datagram{m.address4(m.targets.UDP), m.Words(pollIn), m.Words(sec, nsec), m.Alloc(8, 8)}
}

func (d datagram) fd() child.Arg { return child.Slot(child.ActSlot(0)) }

func (d datagram) open(b *child.Builder) {
	o := b.Try(syscall.SYS_SOCKET, child.Imm(afInet), child.Imm(sockDgram|sockCloexec), child.Imm(0))
	o.Save, o.Store = child.ActSlot(0), d.poll
}

func (d datagram) say(b *child.Builder) {
	b.Try(syscall.SYS_CONNECT, d.fd(), child.Ptr(d.addr), child.Imm(16))
	b.Try(syscall.SYS_SENDTO, d.fd(), child.Ptr(d.buf), child.Imm(1), child.Imm(0), child.Imm(0), child.Imm(0))
}

func (d datagram) send(b *child.Builder) {
	d.open(b)
	d.say(b)
}

func (d datagram) wait(b *child.Builder) {
	b.Try(syscall.SYS_PPOLL, child.Ptr(d.poll), child.Imm(1), child.Ptr(d.time), child.Imm(0), child.Imm(8)).Want = 1
}

func (d datagram) receive(b *child.Builder) {
	b.Decide(syscall.SYS_RECVFROM, d.fd(), child.Ptr(d.buf), child.Imm(1), child.Imm(msgDontwait), child.Imm(0), child.Imm(0))
	closing(b, 0)
}

// loopback must work: packets to oneself, a TCP server, and the v6 address where
// the kernel has one.
func (m *maker) loopback() {
	m.loopbackTalk()
	m.listening("loopback_listen", "127.0.0.1", afInet, m.address4(0), 16)
	var a [28]byte // struct sockaddr_in6 for ::1
	binary.NativeEndian.PutUint16(a[:], afInet6)
	a[23] = 1
	m.listening("loopback_listen", "::1", afInet6, m.Bytes(string(a[:]), 8), len(a))
}

// listening makes a TCP server on a port that the kernel chooses.
func (m *maker) listening(name, object string, family int, addr uint32, size int) {
	s := &spec{meaning: meaning{name: name, object: object, what: "listen on one's own loopback"}, planes: network, kind: child.Working}
	m.add(s, func(b *child.Builder) {
		fd := child.Slot(child.ActSlot(0))
		b.Try(syscall.SYS_SOCKET, child.Imm(family), child.Imm(sockStream|sockCloexec), child.Imm(0)).Save = child.ActSlot(0)
		b.Try(syscall.SYS_BIND, fd, child.Ptr(addr), child.Imm(size))
		b.Decide(syscall.SYS_LISTEN, fd, child.Imm(1))
		closing(b, 0)
	}, nil)
}
