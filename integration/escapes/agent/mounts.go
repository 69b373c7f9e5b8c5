package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func mountActs() map[string]act {
	return map[string]act{
		"open_tree":     openTree,
		"fsopen":        fsopen,
		"move_mount":    moveMount,
		"mount_tmpfs":   func(a []string) (string, error) { return mountOn(a[0], "tmpfs", "size=64k") },
		"mount_overlay": mountOverlay,
		"mount_fuse":    mountFuse,
		"bind_write":    bindWrite,
		"chroot_climb":  chrootClimb,
	}
}

// openTree makes a detached copy of what lies at the path, and reads through it.
func openTree(a []string) (string, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, a[0], unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return "", fmt.Errorf("open_tree: %w", err)
	}
	defer unix.Close(fd)
	return readAt(fd, a[1])
}

func fsopen(a []string) (string, error) {
	fd, err := detached()
	if err != nil {
		return "", err
	}
	return "", unix.Close(fd)
}

// detached is a new file system that is mounted nowhere.
func detached() (int, error) {
	fs, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("fsopen: %w", err)
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, fmt.Errorf("fsconfig: %w", err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("fsmount: %w", err)
	}
	return fd, nil
}

func moveMount(a []string) (string, error) {
	fd, err := detached()
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return onNewDirectory(a[0], func() error {
		return unix.MoveMount(fd, "", unix.AT_FDCWD, a[0], unix.MOVE_MOUNT_F_EMPTY_PATH)
	})
}

// onNewDirectory mounts on a directory made for it, and reports whether the mount
// can be seen in the caller's own mountinfo.
func onNewDirectory(dir string, mount func() error) (string, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", errors.New("no directory to mount on: " + err.Error())
	}
	defer os.Remove(dir)
	if err := mount(); err != nil {
		return "", fmt.Errorf("mount: %w", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err == nil && !strings.Contains(string(info), " "+dir+" ") {
		err = errors.New("the mount succeeded and is not in mountinfo")
	}
	return "", err
}

func mountOn(dir, kind, options string) (string, error) {
	return onNewDirectory(dir, func() error {
		return unix.Mount("none", dir, kind, unix.MS_NOSUID|unix.MS_NODEV, options)
	})
}

// mountOverlay lays one directory over another; the upper one holds what is written.
func mountOverlay(a []string) (string, error) {
	return mountOn(a[0], "overlay", "lowerdir="+a[1]+":"+a[2])
}

// mountFuse mounts a file system that a program of the caller's serves, without
// ever looking into it: nobody answers.
func mountFuse(a []string) (string, error) {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("open /dev/fuse: %w", err)
	}
	defer unix.Close(fd)
	return mountOn(a[0], "fuse", fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd))
}

// bindWrite mounts a read-only directory a second time and opens a file in it.
func bindWrite(a []string) (string, error) {
	if err := os.Mkdir(a[0], 0o700); err != nil {
		return "", errors.New("no directory to mount on: " + err.Error())
	}
	defer os.Remove(a[0])
	if err := unix.Mount(a[1], a[0], "", unix.MS_BIND, ""); err != nil {
		return "", fmt.Errorf("mount: %w", err)
	}
	defer unix.Unmount(a[0], unix.MNT_DETACH)
	return "", openClose(a[0]+"/"+a[2], unix.O_WRONLY)
}

// chrootClimb is the old way out of a chroot: with the working directory left
// outside of a second one, ".." has no end but the real root.
func chrootClimb(a []string) (string, error) {
	if err := os.Mkdir(a[0], 0o700); err != nil {
		return "", errors.New("no directory to change the root to: " + err.Error())
	}
	defer os.Remove(a[0])
	if err := unix.Chroot(a[0]); err != nil {
		return "", fmt.Errorf("chroot: %w", err)
	}
	for range 64 {
		if err := unix.Chdir(".."); err != nil {
			return "", fmt.Errorf("chdir: %w", err)
		}
	}
	if err := unix.Chroot("."); err != nil {
		return "", fmt.Errorf("second chroot: %w", err)
	}
	return readPath(a[1:])
}
