package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"
)

// linkActs reach a file by another name or through something opened before.
func linkActs() map[string]act {
	return map[string]act{
		"symlink":         symlink,
		"hardlink":        hardlink,
		"hardlink_fd":     hardlinkFD,
		"rename_write":    renameWrite,
		"exchange_write":  exchangeWrite,
		"path_reopen":     pathReopen,
		"path_fchdir":     pathFchdir,
		"path_linkat":     pathLinkat,
		"path_execveat":   pathExecveat,
		"copy_file_range": copyWith(copyRange),
		"sendfile":        copyWith(sendfile),
		"splice":          copyWith(splice),
		"mmap":            mapFile,
		"copy_onto":       copyOnto,
	}
}

// symlink makes a link to the first argument at the second, and reads it.
func symlink(a []string) (string, error) {
	if err := os.Symlink(a[0], a[1]); err != nil {
		return "", errors.New("no link could be made: " + err.Error())
	}
	defer os.Remove(a[1])
	return readPath(a[1:])
}

// hardlink gives a file a second name where it could be written.
func hardlink(a []string) (string, error) {
	if err := unix.Linkat(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1], 0); err != nil {
		return "", fmt.Errorf("linkat: %w", err)
	}
	defer os.Remove(a[1])
	return "", openClose(a[1], unix.O_WRONLY|unix.O_APPEND)
}

// hardlinkFD does the same by way of an open descriptor, open(2) under O_TMPFILE.
func hardlinkFD(a []string) (string, error) {
	fd, err := unix.Open(a[0], unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("open: %w", err)
	}
	defer unix.Close(fd)
	return hardlinkFrom(procFD(fd), a[1], unix.AT_SYMLINK_FOLLOW)
}

func hardlinkFrom(from, to string, flags int) (string, error) {
	if err := unix.Linkat(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags); err != nil {
		return "", fmt.Errorf("linkat: %w", err)
	}
	defer os.Remove(to)
	return "", openClose(to, unix.O_WRONLY|unix.O_APPEND)
}

func procFD(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// renameWrite moves a directory away from the name that a rule speaks of, opens
// a file in it for writing, and moves it back.
func renameWrite(a []string) (string, error) {
	if err := unix.Rename(a[0], a[1]); err != nil {
		return "", fmt.Errorf("rename: %w", err)
	}
	defer unix.Rename(a[1], a[0])
	return "", openClose(a[1]+"/"+a[2], unix.O_WRONLY)
}

// exchangeWrite swaps the directory with one of its own.
func exchangeWrite(a []string) (string, error) {
	if err := os.Mkdir(a[1], 0o755); err != nil {
		return "", errors.New("no directory could be made: " + err.Error())
	}
	defer os.Remove(a[1])
	swap := func() error {
		return unix.Renameat2(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1], unix.RENAME_EXCHANGE)
	}
	if err := swap(); err != nil {
		return "", fmt.Errorf("renameat2: %w", err)
	}
	defer swap()
	return "", openClose(a[1]+"/"+a[2], unix.O_WRONLY)
}

func openPath(path string) (int, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open %q with O_PATH: %w", path, err)
	}
	return fd, nil
}

// pathReopen turns a descriptor that cannot be read into one that can.
func pathReopen(a []string) (string, error) {
	fd, err := openPath(a[0])
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return readPath([]string{procFD(fd)})
}

func pathFchdir(a []string) (string, error) {
	fd, err := openPath(a[0])
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	if err := unix.Fchdir(fd); err != nil {
		return "", fmt.Errorf("fchdir: %w", err)
	}
	return readPath(a[1:])
}

func pathLinkat(a []string) (string, error) {
	fd, err := openPath(a[0])
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return hardlinkFrom(procFD(fd), a[1], unix.AT_SYMLINK_FOLLOW)
}

// pathExecveat executes a program outside of the view.
func pathExecveat(a []string) (string, error) {
	fd, err := openPath(a[0])
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return "", exec.Command(procFD(fd), "true").Run()
}

// copyWith copies the first file to the second, which it makes, and says what arrived.
func copyWith(how func(from, to int) error) act {
	return func(a []string) (string, error) {
		from, err := unix.Open(a[0], unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return "", fmt.Errorf("open: %w", err)
		}
		defer unix.Close(from)
		to, err := unix.Open(a[1], unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return "", errors.New("no file to copy to: " + err.Error())
		}
		defer os.Remove(a[1])
		defer unix.Close(to)
		if err := how(from, to); err != nil {
			return "", err
		}
		return readDescriptor([]string{strconv.Itoa(to)})
	}
}

func copyRange(from, to int) error {
	_, err := unix.CopyFileRange(from, nil, to, nil, enough, 0)
	return err
}

func sendfile(from, to int) error {
	_, err := unix.Sendfile(to, from, nil, enough)
	return err
}

func splice(from, to int) error {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return errors.New("no pipe")
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	if _, err := unix.Splice(from, nil, p[1], nil, enough, unix.SPLICE_F_NONBLOCK); err != nil {
		return err
	}
	_, err := unix.Splice(p[0], nil, to, nil, enough, unix.SPLICE_F_NONBLOCK)
	return err
}

func mapFile(a []string) (string, error) {
	fd, err := unix.Open(a[0], unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("open: %w", err)
	}
	defer unix.Close(fd)
	b, err := unix.Mmap(fd, 0, 4096, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return "", fmt.Errorf("mmap: %w", err)
	}
	defer unix.Munmap(b)
	return string(b[:64]), nil
}

// copyOnto opens a file that may only be read as the target of a copy, of nothing.
func copyOnto(a []string) (string, error) {
	from, err := unix.Open(a[0], unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", errors.New("nothing to copy from: " + err.Error())
	}
	defer unix.Close(from)
	to, err := unix.Open(a[1], unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("open: %w", err)
	}
	defer unix.Close(to)
	_, err = unix.CopyFileRange(from, nil, to, nil, 0, 0)
	return "", err
}
