package probes

// Numbers that are the same on every architecture since 5.1
// (include/uapi/asm-generic/unistd.h).
const (
	sysPidfdGetfd     = 438
	sysIoUringSetup   = 425
	sysIoUringEnter   = 426
	sysOpenTree       = 428
	sysClone3         = 435
	sysCloseRange     = 436
	sysProcessMadvise = 440
	sysMountSetattr   = 442
	sysCachestat      = 451
	sysStatmount      = 457
)

// Constants of the kernel's interface, by the name of their symbol, the same on
// amd64 and arm64.
const (
	atFdcwd     = -100
	atEmptyPath = 0x1000 // AT_EMPTY_PATH

	oTmpfile = 0o20000000 // __O_TMPFILE, to be joined with O_DIRECTORY

	cloneNewns   = 0x00020000
	cloneNewuts  = 0x04000000
	cloneNewuser = 0x10000000

	msPrivate = 1 << 18

	prGetSecurebits         = 27
	prCapbsetRead           = 23
	prGetNoNewPrivs         = 39
	linuxCapabilityVersion3 = 0x20080522

	ipcPrivate = 0
	ipcCreat   = 0o1000
	ipcRmid    = 0
	shmRdonly  = 0o10000

	keyctlGetKeyringID    = 0
	personReadImpliesExec = 0x0400000
	uffdUserModeOnly      = 1

	rlimitFsize   = 1
	rlimitNproc   = 6
	rlimitNofile  = 7
	fDupfdCloexec = 1030 // F_DUPFD_CLOEXEC
	sigXFSZ       = 25

	tcGets      = 0x5401
	tiocSTI     = 0x5412
	tiocLinux   = 0x541c
	tiocSetD    = 0x5423
	tiocGPTPeer = 0x5441
	tiocSPTLck  = 0x40045431
	kdSKBEnt    = 0x4b47
	vtActivate  = 0x5606

	// high is a bit of the half of the register that the kernel drops when it
	// reads an unsigned int; a filter that compares the whole register misses
	// the command (CVE-2019-7303).
	high = 1 << 32
)

// Address families and what socket(2) takes.
const (
	afUnix    = 1
	afInet    = 2
	afInet6   = 10
	afNetlink = 16
	afVsock   = 40
	numFamily = 47 // one more than AF_MCTP, the last that Linux 6.18 knows

	sockStream   = 1
	sockDgram    = 2
	sockRaw      = 3
	sockNonblock = 0o4000
	sockCloexec  = 0o2000000

	// sockMax is the first number that is no socket type (SOCK_MAX). The kernel
	// looks at the type before it looks the family up (net/socket.c,
	// __sock_create), so EINVAL says that the call has arrived and no module is
	// loaded for a family that nobody uses.
	sockMax = 11
	// badFlag is no flag of a socket type: EINVAL before anything else
	// (__sys_socket), with family, type and protocol as a filter sees them.
	badFlag = 0x10

	protoICMP             = 1
	protoMPTCP            = 262
	netlinkKobject        = 15 // NETLINK_KOBJECT_UEVENT, in every kernel
	solSocket             = 1
	soLinger              = 13
	soSndtimeo            = 21
	msgDontwait           = 0x40
	pollIn                = 1 << 32 // POLLIN in struct pollfd, above the descriptor
	pollInErr      uint64 = 1 << 32 // POLLIN in struct pollfd, above the descriptor
)
