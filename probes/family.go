package probes

import "strconv"

// familyNames are the address families of include/linux/socket.h, without AF_.
var familyNames = [...]string{
	"UNSPEC", "UNIX", "INET", "AX25", "IPX", "APPLETALK", "NETROM", "BRIDGE", "ATMPVC", "X25",
	"INET6", "ROSE", "DECnet", "NETBEUI", "SECURITY", "KEY", "NETLINK", "PACKET", "ASH", "ECONET",
	"ATMSVC", "RDS", "SNA", "IRDA", "PPPOX", "WANPIPE", "LLC", "IB", "MPLS", "CAN",
	"TIPC", "BLUETOOTH", "IUCV", "RXRPC", "ISDN", "PHONET", "IEEE802154", "CAIF", "ALG", "NFC",
	"VSOCK", "KCM", "QIPCRTR", "SMC", "XDP", "MCTP",
}

func familyName(f int) string {
	if f < len(familyNames) {
		return "AF_" + familyNames[f]
	}
	return "family " + strconv.Itoa(f)
}
