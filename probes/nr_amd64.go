package probes

// Numbers of system calls that package syscall does not know on this
// architecture (arch/x86/entry/syscalls/syscall_64.tbl).
const (
	sysNewfstatat     = 262
	sysNameToHandleAt = 303
	sysClockAdjtime   = 305
	sysSetns          = 308
	sysProcessVMReadv = 310
	sysKcmp           = 312
	sysMemfdCreate    = 319
	sysBpf            = 321
	sysUserfaultfd    = 323
)

// x32 is the bit that selects the x32 ABI (__X32_SYSCALL_BIT).
const x32 = 0x40000000

// foreignCalls enter the kernel by another ABI. x32 is compiled into few
// kernels, so its control mostly fails and the act is inconclusive.
func foreignCalls() []call {
	return []call{
		{name: "x32_getpid", nr: x32 + 39, refused: eNOSYS},
		{name: "modify_ldt", nr: 154, refused: ePERM},
	}
}

// int80Getpid is getpid(2) in the 32-bit table.
const int80Getpid = 20
