package probes

import (
	"encoding/binary"
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

const network = policy.PlaneSet(1 << policy.Network)

func (m *maker) network() {
	m.abstractSocket()
	if m.plan.Network != policy.NetworkNone {
		m.absentPlane(policy.Network, absence{NotRequested, "the network of the host was asked for", "leave out --network host"})
		return
	}
	m.families()
	m.protocols()
	m.tcp()
	m.udp()
	m.loopback()
}

// abstractSocket connects to a unix socket of the launcher's that has a name and
// no file. It is not waited for: a full queue (EAGAIN) has been reached too.
func (m *maker) abstractSocket() {
	s := &spec{
		meaning: meaning{name: "abstract_connect", what: "connect to an abstract unix socket of the host"},
		planes:  network | ipc,
		refused: [3]refusal{{eCONNREFUSED, NetworkNamespace}, {ePERM, Landlock}},
		allowed: [3]int16{eAGAIN},
	}
	if m.plan.Network != policy.NetworkNone {
		s.planes = ipc
	}
	addr := m.Bytes("\x01\x00"+m.targets.Abstract, 8)
	size := 2 + len(m.targets.Abstract)
	m.add(s, func(b *child.Builder) {
		b.Try(syscall.SYS_SOCKET, child.Imm(afUnix), child.Imm(sockStream|sockNonblock|sockCloexec), child.Imm(0)).Save = child.ActSlot(0)
		b.Decide(syscall.SYS_CONNECT, child.Slot(child.ActSlot(0)), child.Ptr(addr), child.Imm(size))
		closing(b, 0)
	}, nil)
}

// families asks for a socket of every family that is not allowed, with a type
// that does not exist. One number above the last known family is among them.
func (m *maker) families() {
	for f := range numFamily {
		if f == afUnix || f == afInet || f == afInet6 || f == afNetlink {
			continue
		}
		s := &spec{
			meaning: meaning{name: "family", object: familyName(f), what: "make a socket of this family"},
			planes:  network,
			refused: [3]refusal{{eAFNOSUPPORT, SyscallFilter}},
			allowed: [3]int16{eINVAL},
		}
		m.add(s, func(b *child.Builder) {
			b.Decide(syscall.SYS_SOCKET, child.Imm(f), child.Imm(sockMax), child.Imm(0))
		}, nil)
	}
}

// protocols are those of the allowed families that lead past the plane. A flag
// that is none keeps the kernel from loading modules, or from making the socket
// at all.
func (m *maker) protocols() {
	for _, p := range []struct {
		name           string
		family, typ, n int
		errno          int16
	}{
		{"inet_mptcp", afInet, sockStream, protoMPTCP, ePROTONOSUPPORT},
		{"inet6_mptcp", afInet6, sockStream, protoMPTCP, ePROTONOSUPPORT},
		{"inet_raw", afInet, sockRaw, protoICMP, ePERM},
		{"netlink_uevent", afNetlink, sockRaw, netlinkKobject, ePROTONOSUPPORT},
	} {
		s := &spec{
			meaning: meaning{name: "protocol", object: p.name, what: "make a socket of this protocol"},
			planes:  network,
			refused: [3]refusal{{p.errno, SyscallFilter}},
			allowed: [3]int16{eINVAL},
		}
		m.add(s, func(b *child.Builder) {
			b.Decide(syscall.SYS_SOCKET, child.Imm(p.family), child.Imm(p.typ|badFlag), child.Imm(p.n))
		}, nil)
	}
}

// tcp connects to a listener of the launcher's. Outside, SO_SNDTIMEO bounds the
// wait where a packet filter drops what goes over the loopback, and SO_LINGER of
// 0 makes the end a reset, so that no TIME_WAIT of ours outlives the launch.
func (m *maker) tcp() {
	s := &spec{
		meaning: meaning{name: "tcp_connect", object: "127.0.0.1", what: "connect to a TCP listener of the host"},
		planes:  network,
		refused: [3]refusal{{eCONNREFUSED, NetworkNamespace}, {eNETUNREACH, NetworkNamespace}, {eACCES, Landlock}},
	}
	addr, wait, linger := m.address4(m.targets.TCP), m.Words(1, 0), m.Words(1)
	fd := child.Slot(child.ActSlot(0))
	open := func(b *child.Builder) {
		b.Try(syscall.SYS_SOCKET, child.Imm(afInet), child.Imm(sockStream|sockCloexec), child.Imm(0)).Save = child.ActSlot(0)
	}
	connect := func(b *child.Builder) {
		b.Decide(syscall.SYS_CONNECT, fd, child.Ptr(addr), child.Imm(16))
		closing(b, 0)
	}
	m.add(s, func(b *child.Builder) {
		open(b)
		connect(b)
	}, func(b *child.Builder) {
		open(b)
		b.Try(syscall.SYS_SETSOCKOPT, fd, child.Imm(solSocket), child.Imm(soSndtimeo), child.Ptr(wait), child.Imm(16))
		b.Try(syscall.SYS_SETSOCKOPT, fd, child.Imm(solSocket), child.Imm(soLinger), child.Ptr(linger), child.Imm(8))
		connect(b)
	})
}

// address4 is a struct sockaddr_in for 127.0.0.1.
func (m *maker) address4(port uint16) uint32 {
	var a [16]byte
	binary.NativeEndian.PutUint16(a[:], afInet)
	binary.BigEndian.PutUint16(a[2:], port)
	a[4], a[7] = 127, 1
	return m.Bytes(string(a[:]), 8)
}
