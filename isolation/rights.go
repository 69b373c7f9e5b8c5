package isolation

import (
	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// Landlock's file rights by the ABI that brought them (landlock(7)): execute to
// make_sym in ABI 1 (Linux 5.13), refer in 2 (5.19), truncate in 3 (6.2),
// ioctl_dev in 5 (6.10).
const (
	readFile = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readDir  = unix.LANDLOCK_ACCESS_FS_READ_DIR
	execute  = unix.LANDLOCK_ACCESS_FS_EXECUTE
	change   = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	ioctlDev = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	// entries are the rights over what a directory holds. Devices are not made:
	// a node of the root disk is the disk (and every mount is nodev besides).
	entries = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER

	// onFiles are the rights that make sense on a file; the others on one are
	// EINVAL (landlock_add_rule(2)).
	onFiles = execute | readFile | change | ioctlDev
)

// supported are the rights that an ABI knows.
func supported(abi int) uint64 {
	all := uint64(1<<13 - 1) // ABI 1: execute to make_sym
	for _, a := range []struct {
		abi   int
		right uint64
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, ioctlDev},
	} {
		if abi >= a.abi {
			all |= a.right
		}
	}
	return all
}

// rights of a rule of the plan.
func rights(r policy.FileRule, abi int) uint64 {
	a := map[policy.Access]uint64{
		policy.Read:  readFile | readDir,
		policy.Exec:  readFile | readDir | execute,
		policy.Write: readFile | readDir | execute | change | entries,
	}[r.Access]
	if r.Device {
		a = readFile | readDir | change | ioctlDev
	}
	if !r.Dir {
		a &= onFiles
	}
	return a & supported(abi)
}
