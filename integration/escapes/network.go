package escapes

import "golang.org/x/sys/unix"

func network() []Technique {
	none := errnos(unix.ECONNREFUSED, unix.ENETUNREACH)
	eperm := errnos(unix.EPERM)
	einval := errnos(unix.EINVAL)
	protocol := errnos(unix.EPROTONOSUPPORT)
	kind := errnos(unix.ESOCKTNOSUPPORT)
	socket := nr(unix.SYS_SOCKET)
	return []Technique{
		{Row: "T01", Name: "loopback", Says: "connect to a service on the host's loopback", Plane: networking, Act: "tcp", Args: args("{tcp}"), Good: none},
		{Row: "T01", Name: "loopback6", Says: "the same by IPv6", Plane: networking, Act: "tcp", Args: args("{tcp6}"), Good: none},
		{Row: "T02", Name: "udp", Says: "send a datagram to a service on the host's loopback", Plane: networking, Act: "udp", Args: args("{udp}"), Good: none},
		{Row: "T02", Name: "raw", Says: "send ICMP by a raw socket", Plane: networking, Act: "raw_icmp", Good: eperm},
		{Row: "T02", Name: "raw-argument", Says: "reach raw sockets", Plane: networking, Act: "call", Args: args(socket, "2", "3", "1000"), Good: eperm, Root: einval, User: einval},
		{Row: "T02", Name: "ping", Says: "make a socket for ping", Plane: networking, Act: "call", Args: args(socket, "2", "2", "1"), Good: errnos(unix.EACCES)},
		// The flag that no kernel knows keeps it from loading modules.
		{Row: "T02", Name: "sctp", Says: "reach SCTP", Plane: networking, Act: "call", Args: args(socket, "2", "0x15", "132"), Good: kind, Root: einval, User: einval},
		{Row: "T02", Name: "dccp", Says: "reach DCCP", Plane: networking, Act: "call", Args: args(socket, "2", "0x16", "33"), Good: kind, Root: einval, User: einval},
		{Row: "T02", Name: "udplite", Says: "reach UDP-Lite", Plane: networking, Act: "call", Args: args(socket, "2", "0x12", "136"), Good: protocol, Root: einval, User: einval},
		{Row: "T03", Name: "mptcp", Says: "connect by multipath TCP", Plane: networking, Act: "mptcp", Args: args("{tcp}"), Good: protocol},
		{Row: "T03", Name: "argument", Says: "reach multipath TCP", Plane: networking, Act: "call", Args: args(socket, "2", "0x11", "262"), Good: protocol, Root: einval, User: einval},
		{Row: "T04", Name: "fastopen", Says: "send with the first packet instead of connecting", Plane: networking, Act: "fastopen", Args: args("{tcp}"), Good: none},
		{Row: "T06", Name: "listen", Says: "wait for the host to connect", Plane: networking, How: Fixture},
		{Row: "T07", Name: "abstract", Says: "connect to an abstract socket of the host", Plane: networking, Act: "abstract", Args: args("{abstract}"), Proof: true, Good: errnos(unix.ECONNREFUSED, unix.EPERM)},
		{Row: "T09", Name: "socket", Says: "write to an inherited connected socket", Plane: descriptors, Act: "descriptor_write", Args: args("5", "leak"), Good: errnos(unix.EBADF)},
		{Row: "T12", Name: "direct", Says: "connect past the proxy variables", Plane: networking, Act: "tcp", Args: args("{elsewhere}"), Good: none},
	}
}

func families() []Technique {
	none, einval := errnos(unix.EAFNOSUPPORT), errnos(unix.EINVAL)
	socket := nr(unix.SYS_SOCKET)
	// As above, a flag that no kernel knows.
	return []Technique{
		{Row: "T10", Name: "every", Says: "reach any other address family", Plane: networking, Act: "families", Args: args("0", "45", nr(unix.AF_UNIX), nr(unix.AF_INET), nr(unix.AF_INET6), nr(unix.AF_NETLINK)), Good: none},
		{Row: "T10", Name: "vsock", Says: "reach the hypervisor", Plane: networking, Act: "call", Args: args(socket, nr(unix.AF_VSOCK), "0x11", "0"), Good: none, Root: einval, User: einval},
		{Row: "T10", Name: "packet", Says: "make a socket for raw frames", Plane: networking, Act: "call", Args: args(socket, nr(unix.AF_PACKET), "3", "0"), Good: none, User: errnos(unix.EPERM)},
		{Row: "T10", Name: "uevent", Says: "listen to the kernel's device events", Plane: networking, Act: "call", Args: args(socket, nr(unix.AF_NETLINK), "3", nr(unix.NETLINK_KOBJECT_UEVENT)), Good: errnos(unix.EPROTONOSUPPORT)},
		{Row: "T10", Name: "alg", Says: "reach the kernel's ciphers", Plane: networking, Act: "call", Args: args(socket, nr(unix.AF_ALG), "0x15", "0"), Good: none, Root: einval, User: einval},
		{Row: "T10", Name: "bluetooth", Says: "reach Bluetooth", Plane: networking, Act: "call", Args: args(socket, nr(unix.AF_BLUETOOTH), "0x13", "0"), Good: none, Root: einval, User: einval},
		{Row: "T10", Name: "tipc", Says: "reach TIPC", Plane: networking, Act: "call", Args: args(socket, nr(unix.AF_TIPC), "0x15", "0"), Good: none, Root: einval, User: einval},
		{Row: "T10", Name: "allowed", Says: "make the sockets that programs need", Plane: networking, Act: "sockets", Works: true},
	}
}
