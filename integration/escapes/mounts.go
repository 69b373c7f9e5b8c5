package escapes

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// nr is a system call's number as an argument.
func nr(n int) string { return fmt.Sprint(n) }

func mounting() []Technique {
	eperm := errnos(unix.EPERM)
	// The first argument of a pointer that nobody mapped.
	const nowhere = "1"
	return []Technique{
		{Row: "F12", Name: "open_tree", Says: "read through a detached copy of a mount", Plane: syscalls, Act: "open_tree", Args: args("{secret}", "canary"), Proof: true, Good: eperm},
		{Row: "F12", Name: "fsopen", Says: "make a file system with the new calls", Plane: syscalls, Act: "fsopen", Good: eperm},
		{Row: "F12", Name: "move_mount", Says: "mount it", Plane: syscalls, Act: "move_mount", Args: args("{ws}/mnt"), Good: eperm},
		{Row: "F12", Name: "open_tree-argument", Says: "reach open_tree", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_OPEN_TREE), "-1", "0", "-1"), Good: eperm, Root: errnos(unix.EINVAL), User: errnos(unix.EINVAL)},
		{Row: "F12", Name: "move_mount-argument", Says: "reach move_mount", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_MOVE_MOUNT), "-1", "0", "-1", "0", "-1"), Good: eperm, Root: errnos(unix.EINVAL)},
		{Row: "F12", Name: "fsconfig-argument", Says: "reach fsconfig", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_FSCONFIG), "-1", "-1"), Good: eperm, Root: errnos(unix.EINVAL), User: errnos(unix.EINVAL)},
		{Row: "F12", Name: "fsmount-argument", Says: "reach fsmount", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_FSMOUNT), "-1", "-1"), Good: eperm, Root: errnos(unix.EINVAL)},
		{Row: "F12", Name: "fspick-argument", Says: "reach fspick", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_FSPICK), "-1", nowhere, "-1"), Good: eperm, Root: errnos(unix.EINVAL)},
		{Row: "F12", Name: "mount_setattr-argument", Says: "reach mount_setattr", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_MOUNT_SETATTR), "-1", nowhere, "-1"), Good: eperm, Root: errnos(unix.EINVAL), User: errnos(unix.EINVAL)},
		{Row: "F12", Name: "bind", Says: "mount a read-only directory again and write there", Plane: syscalls, Act: "bind_write", Args: args("{ws}/mnt", "{grant}", "file"), Good: eperm},
		{Row: "F12", Name: "own-namespace", Says: "the same as root of a user namespace", Plane: privileged, Act: "user_namespace", Args: args("open_tree", "{secret}", "canary"), Proof: true, Good: eperm},
		{Row: "F16", Name: "own-namespace", Says: "climb as root of a user namespace", Plane: privileged, Act: "user_namespace", Args: args("chroot_climb", "{ws}/jail", "{secret}/canary"), Proof: true, Good: eperm},
		{Row: "F16", Name: "climb", Says: "climb out of a root within the root", Plane: syscalls, Act: "chroot_climb", Args: args("{ws}/jail", "{secret}/canary"), Proof: true, Good: eperm},
		{Row: "F16", Name: "argument", Says: "reach chroot", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_CHROOT), nowhere), Good: eperm, Root: errnos(unix.EFAULT), User: errnos(unix.EFAULT)},
		{Row: "F17", Name: "pivot_root", Says: "reach pivot_root", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_PIVOT_ROOT), nowhere, nowhere), Good: eperm, Root: errnos(unix.EFAULT)},
		{Row: "F17", Name: "unshare-fs", Says: "unshare the working directory", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_UNSHARE), fmt.Sprint(unix.CLONE_FS)), Good: eperm},
		{Row: "F19", Name: "memory-device", Says: "make a device node and open it", Plane: syscalls, Act: "mknod", Args: args("{ws}/node", "c", device(1, 5), "open"), Good: eperm},
		{Row: "F19", Name: "disk", Says: "make a node of the disk", Plane: syscalls, Act: "mknod", Args: args("{ws}/node", "b", "{disk_device}", ""), Good: eperm},
		{Row: "F19", Name: "argument", Says: "reach mknodat for a device", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_MKNODAT), "-1", nowhere, fmt.Sprint(unix.S_IFCHR)), Good: eperm, Root: errnos(unix.EFAULT), User: errnos(unix.EFAULT)},
		{Row: "F19", Name: "planted", Says: "open a device node that lies in the workspace", Plane: filesystem, Act: "read", Args: args("{ws}/zero"), Planted: true},
		{Row: "F28", Name: "fuse-device", Says: "open /dev/fuse", Plane: filesystem, Act: "open_both", Args: args("/dev/fuse"), User: errnos(unix.EACCES)},
		{Row: "F28", Name: "fuse", Says: "mount a file system of its own making", Plane: filesystem, Act: "mount_fuse", Args: args("{ws}/mnt"), User: errnos(unix.EACCES, unix.EPERM)},
		{Row: "F28", Name: "overlay", Says: "lay an overlay over the workspace", Plane: syscalls, Act: "mount_overlay", Args: args("{ws}/mnt", "{ws}", "{grant}"), Good: eperm},
		{Row: "F28", Name: "own-namespace", Says: "lay one as root of a user namespace", Plane: privileged, Act: "user_namespace", Args: args("mount_overlay", "{ws}/mnt", "{ws}", "{grant}"), Good: eperm},
		{Row: "F28", Name: "whiteout", Says: "make an overlay's whiteout", Plane: syscalls, Act: "mknod", Args: args("{ws}/gone", "c", device(0, 0), ""), Good: eperm},
		{Row: "N11", Name: "mount", Says: "mount something that the host sees", Plane: syscalls, Act: "mount_tmpfs", Args: args("{ws}/mnt"), Good: eperm},
		{Row: "N11", Name: "own-namespace", Says: "mount as root of a user namespace", Plane: privileged, Act: "user_namespace", Args: args("mount_tmpfs", "{ws}/mnt"), Good: eperm},
		{Row: "N11", Name: "mount-argument", Says: "reach mount", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_MOUNT), nowhere, nowhere, nowhere), Good: eperm, Root: errnos(unix.EFAULT), User: errnos(unix.EFAULT)},
		{Row: "N11", Name: "umount-argument", Says: "reach umount2", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_UMOUNT2), nowhere, "-1"), Good: eperm, Root: errnos(unix.EINVAL), User: errnos(unix.EINVAL)},
	}
}

// device is a device number as mknod(2) takes it.
func device(major, minor uint32) string { return fmt.Sprint(unix.Mkdev(major, minor)) }
