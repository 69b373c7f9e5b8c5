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
	sysExecveat       = 322
	sysUserfaultfd    = 323
)

// x32 is the bit that selects the x32 ABI (__X32_SYSCALL_BIT).
const x32 = 0x40000000

// foreignEntries are ways into the kernel that nothing is tried of.
var foreignEntries [0]string

// foreignCalls enter the kernel by another ABI, or make segments for one. x32 is
// compiled into few
// kernels, so its control mostly fails and the act is inconclusive.
var foreignCalls = [...]call{
	{name: "x32_getpid", nr: x32 + 39, refused: eNOSYS},
	{name: "modify_ldt", nr: 154, refused: ePERM},
}

// int80Getpid is getpid(2) in the 32-bit table.
const int80Getpid = 20

// program32 is a 32-bit ELF executable (elf(5)) that calls exit(0) through int
// 0x80: a header, one loaded segment, and five instructions.
const program32 = "\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00" + // 32-bit, little-endian
	"\x02\x00\x03\x00\x01\x00\x00\x00" + // ET_EXEC, EM_386, version
	"\x54\x80\x04\x08\x34\x00\x00\x00\x00\x00\x00\x00" + // entry, program headers, no sections
	"\x00\x00\x00\x00\x34\x00\x20\x00\x01\x00\x28\x00\x00\x00\x00\x00" + // flags, sizes, counts
	"\x01\x00\x00\x00\x00\x00\x00\x00\x00\x80\x04\x08\x00\x80\x04\x08" + // PT_LOAD, offset, addresses
	"\x5c\x00\x00\x00\x5c\x00\x00\x00\x05\x00\x00\x00\x00\x10\x00\x00" + // sizes, R+X, alignment
	"\x31\xc0\x40\x31\xdb\xcd\x80" + // xor eax,eax; inc eax; xor ebx,ebx; int 0x80
	"\xf4" // hlt, a fault, if that returns
