package probes

// Numbers of system calls that package syscall does not know on this
// architecture, or knows by another name (include/uapi/asm-generic/unistd.h).
const (
	sysNewfstatat     = 79
	sysNameToHandleAt = 264
	sysClockAdjtime   = 266
	sysSetns          = 268
	sysProcessVMReadv = 270
	sysKcmp           = 272
	sysMemfdCreate    = 279
	sysBpf            = 280
	sysExecveat       = 281
	sysUserfaultfd    = 282
)

// foreignEntries are ways into the kernel that nothing is tried of.
var foreignEntries = [...]string{"the entry of 32-bit programs on arm64"}

// foreignCalls is empty: 32-bit programs have an ABI here, but a 64-bit one has
// no gate into it.
var foreignCalls [0]call

// There is no 32-bit gate here.
const (
	int80Getpid = 0
	program32   = ""
)
