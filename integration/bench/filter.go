package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"syscall"
)

// refusedCalls are sixty calls that a sandbox of this kind refuses; bubblewrap
// gets a filter of that many rules, as tools that are built on it load one.
// Every one exists on amd64 and arm64 under this name.
var refusedCalls = [...]uint32{
	syscall.SYS_ACCT, syscall.SYS_ADD_KEY, syscall.SYS_ADJTIMEX, syscall.SYS_CHROOT, syscall.SYS_CLOCK_SETTIME,
	syscall.SYS_DELETE_MODULE, syscall.SYS_FANOTIFY_INIT, syscall.SYS_FANOTIFY_MARK, syscall.SYS_GET_MEMPOLICY,
	syscall.SYS_INIT_MODULE, syscall.SYS_IO_CANCEL, syscall.SYS_IO_DESTROY, syscall.SYS_IO_GETEVENTS,
	syscall.SYS_IO_SETUP, syscall.SYS_IO_SUBMIT, syscall.SYS_KEXEC_LOAD, syscall.SYS_KEYCTL,
	syscall.SYS_LOOKUP_DCOOKIE, syscall.SYS_MBIND, syscall.SYS_MIGRATE_PAGES, syscall.SYS_MOUNT,
	syscall.SYS_MOVE_PAGES, syscall.SYS_MQ_GETSETATTR, syscall.SYS_MQ_NOTIFY, syscall.SYS_MQ_OPEN,
	syscall.SYS_MQ_TIMEDRECEIVE, syscall.SYS_MQ_TIMEDSEND, syscall.SYS_MQ_UNLINK, syscall.SYS_NFSSERVCTL,
	syscall.SYS_PERF_EVENT_OPEN, syscall.SYS_PERSONALITY, syscall.SYS_PIVOT_ROOT, syscall.SYS_PTRACE,
	syscall.SYS_QUOTACTL, syscall.SYS_REBOOT, syscall.SYS_REMAP_FILE_PAGES, syscall.SYS_REQUEST_KEY,
	syscall.SYS_SEMCTL, syscall.SYS_SEMGET, syscall.SYS_SEMOP, syscall.SYS_SEMTIMEDOP, syscall.SYS_SETDOMAINNAME,
	syscall.SYS_SETHOSTNAME, syscall.SYS_SETTIMEOFDAY, syscall.SYS_SET_MEMPOLICY, syscall.SYS_SHMAT,
	syscall.SYS_SHMCTL, syscall.SYS_SHMDT, syscall.SYS_SHMGET, syscall.SYS_SWAPOFF, syscall.SYS_SWAPON,
	syscall.SYS_SYNC_FILE_RANGE, syscall.SYS_SYSLOG, syscall.SYS_TEE, syscall.SYS_UMOUNT2, syscall.SYS_UNSHARE,
	syscall.SYS_VHANGUP, syscall.SYS_VMSPLICE, syscall.SYS_MSGGET, syscall.SYS_MSGSND,
}

// From include/uapi/linux/seccomp.h and audit.h; offsets are of struct seccomp_data.
const (
	retAllow = 0x7fff0000 // SECCOMP_RET_ALLOW
	retErrno = 0x00050000 // SECCOMP_RET_ERRNO
	offNr    = 0          // seccomp_data.nr
	offArch  = 4          // seccomp_data.arch
	x32Bit   = 0x40000000 // __X32_SYSCALL_BIT
	opLoad   = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS
	opEqual  = syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K
	opAbove  = syscall.BPF_JMP | syscall.BPF_JGE | syscall.BPF_K
	opReturn = syscall.BPF_RET | syscall.BPF_K
)

// leafSize is how many numbers a leaf of the tree compares one after another.
const leafSize = 2

// auditArch returns AUDIT_ARCH_* of the running architecture.
func auditArch() (uint32, error) {
	table := map[string]uint32{"amd64": 0xc000003e, "arm64": 0xc00000b7}
	arch, ok := table[runtime.GOARCH]
	if !ok {
		return 0, fmt.Errorf("build the filter: no audit architecture known for %q", runtime.GOARCH)
	}
	return arch, nil
}

// buildFilter returns a filter that answers EPERM to refusedCalls and ENOSYS to
// other architectures, as a binary tree: the shape the kernel loads fastest
// (it runs the program once for each number to fill its cache of verdicts), so
// that bubblewrap is given its best case.
func buildFilter() ([]syscall.SockFilter, error) {
	arch, err := auditArch()
	if err != nil {
		return nil, err
	}
	numbers := slices.Clone(refusedCalls[:])
	slices.Sort(numbers)
	head := []syscall.SockFilter{
		{Code: opLoad, K: offArch},
		{Code: opEqual, Jt: 1, K: arch},
		{Code: opReturn, K: retErrno | uint32(syscall.ENOSYS)},
		{Code: opLoad, K: offNr},
		{Code: opAbove, Jf: 1, K: x32Bit},
		{Code: opReturn, K: retErrno | uint32(syscall.ENOSYS)},
	}
	return append(head, searchTree(numbers)...), nil
}

// searchTree returns instructions that end in a verdict for every number. A
// subtree of 30 numbers has fewer than 100 instructions, so a jump over it fits
// its eight bits.
func searchTree(numbers []uint32) []syscall.SockFilter {
	if len(numbers) <= leafSize {
		return leaf(numbers)
	}
	middle := len(numbers) / 2
	below, above := searchTree(numbers[:middle]), searchTree(numbers[middle:])
	branch := syscall.SockFilter{Code: opAbove, Jt: uint8(len(below)), K: numbers[middle]}
	return slices.Concat([]syscall.SockFilter{branch}, below, above)
}

func leaf(numbers []uint32) []syscall.SockFilter {
	var code []syscall.SockFilter
	for _, n := range numbers {
		code = append(code,
			syscall.SockFilter{Code: opEqual, Jf: 1, K: n},
			syscall.SockFilter{Code: opReturn, K: retErrno | uint32(syscall.EPERM)})
	}
	return append(code, syscall.SockFilter{Code: opReturn, K: retAllow})
}

// encodeFilter returns code as the array of struct sock_filter that bubblewrap's
// --seccomp reads.
func encodeFilter(code []syscall.SockFilter) ([]byte, error) {
	var b bytes.Buffer
	err := binary.Write(&b, binary.NativeEndian, code)
	return b.Bytes(), err
}
