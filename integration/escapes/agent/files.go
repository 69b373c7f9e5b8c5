package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func fileActs() map[string]act {
	return map[string]act{
		"read":             readPath,
		"open":             func(a []string) (string, error) { return "", openClose(a[0], unix.O_RDONLY) },
		"open_write":       func(a []string) (string, error) { return "", openClose(a[0], unix.O_WRONLY) },
		"open_both":        func(a []string) (string, error) { return "", openClose(a[0], unix.O_RDWR) },
		"open_any_write":   openAnyWrite,
		"create":           create,
		"list":             list,
		"listed":           listed,
		"working_dir":      workingDir,
		"statx":            statx,
		"lstat":            lstat,
		"readlink":         readlink,
		"access":           func(a []string) (string, error) { return "", unix.Faccessat(unix.AT_FDCWD, a[0], unix.F_OK, 0) },
		"handle":           handle,
		"open_handle":      openHandle,
		"descriptor":       readDescriptor,
		"descriptor_at":    readDescriptorAt,
		"descriptor_write": writeDescriptor,
		"descriptor_link":  func(a []string) (string, error) { return readlink([]string{procFD(number(a[0]))}) },
		"inotify":          inotify,
		"fanotify":         fanotify,
		"mknod":            mknod,
	}
}

// enough of a file to find a canary in it.
const enough = 256

// readPath reads the beginning of a file. O_NONBLOCK: some devices wait.
func readPath(a []string) (string, error) { return readAt(unix.AT_FDCWD, a[0]) }

func readAt(dir int, path string) (string, error) {
	fd, err := unix.Openat(dir, path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("open %q: %w", path, err)
	}
	defer unix.Close(fd)
	return readFD(fd)
}

func readFD(fd int) (string, error) {
	b := make([]byte, enough)
	n, err := unix.Read(fd, b)
	if err != nil {
		return "", fmt.Errorf("read: %w", err)
	}
	return string(b[:n]), nil
}

// openClose opens and never writes.
func openClose(path string, how int) error {
	fd, err := unix.Open(path, how|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %q: %w", path, err)
	}
	return unix.Close(fd)
}

// openAnyWrite opens every file of a tree for writing, none of which it writes,
// and stops at the first that opens. An empty tree is ENOENT; a read-only mount
// says more than a file's mode.
func openAnyWrite(a []string) (string, error) {
	tried, last, opened := 0, error(unix.ENOENT), ""
	err := filepath.WalkDir(a[0], func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what cannot be listed cannot be tried
		}
		tried++
		if err := openClose(path, unix.O_WRONLY); err != nil {
			if !errors.Is(last, unix.EROFS) {
				last = err
			}
			return nil
		}
		opened = path
		return fs.SkipAll
	})
	if err == nil && opened == "" {
		err = last
	}
	return fmt.Sprintf("%d tried, opened %q", tried, opened), err
}

func create(a []string) (string, error) {
	fd, err := unix.Open(a[0], unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return "", fmt.Errorf("create %q: %w", a[0], err)
	}
	unix.Close(fd)
	return "", os.Remove(a[0])
}

func list(a []string) (string, error) {
	entries, err := os.ReadDir(a[0])
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " "), err
}

// listed looks for a name in a directory.
func listed(a []string) (string, error) {
	names, err := list(a)
	if err == nil && !slices.Contains(strings.Fields(names), a[1]) {
		err = unix.ENOENT
	}
	return "", err
}

// workingDir reads a name relative to the directory that the process was started in.
func workingDir(a []string) (string, error) {
	text, err := readPath(a)
	dir, _ := unix.Getwd()
	return dir + ": " + text, err
}

func statx(a []string) (string, error) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, a[0], unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS, &st)
	return fmt.Sprintf("size %d, changed %d", st.Size, st.Mtime.Sec), err
}

func lstat(a []string) (string, error) {
	var st unix.Stat_t
	err := unix.Fstatat(unix.AT_FDCWD, a[0], &st, unix.AT_SYMLINK_NOFOLLOW)
	return fmt.Sprintf("size %d, inode %d", st.Size, st.Ino), err
}

func readlink(a []string) (string, error) {
	b := make([]byte, enough)
	n, err := unix.Readlink(a[0], b)
	return string(b[:max(n, 0)]), err
}

func handle(a []string) (string, error) {
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a[0], 0)
	if err != nil {
		return "", fmt.Errorf("name_to_handle_at: %w", err)
	}
	return fmt.Sprintf("type %d, %d bytes", h.Type(), h.Size()), nil
}

// openHandle opens a file by the handle that the host knows, through any
// directory of the same file system.
func openHandle(a []string) (string, error) {
	kind, err := strconv.Atoi(a[1])
	if err != nil {
		return "", errors.New("handle type")
	}
	raw, err := hex.DecodeString(a[2])
	if err != nil {
		return "", errors.New("handle bytes")
	}
	dir, err := unix.Open(a[0], unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("no directory to start from: %v", err)
	}
	fd, err := unix.OpenByHandleAt(dir, unix.NewFileHandle(int32(kind), raw), unix.O_RDONLY|unix.O_CLOEXEC)
	if err != nil {
		return "", fmt.Errorf("open_by_handle_at: %w", err)
	}
	return readFD(fd)
}

// readDescriptor reads a file that was left open. The offset is shared with
// whoever else has it, so it is pread(2).
func readDescriptor(a []string) (string, error) {
	b := make([]byte, enough)
	n, err := unix.Pread(number(a[0]), b, 0)
	return string(b[:max(n, 0)]), err
}

func readDescriptorAt(a []string) (string, error) { return readAt(number(a[0]), a[1]) }

func writeDescriptor(a []string) (string, error) {
	_, err := unix.Write(number(a[0]), []byte(a[1]))
	return "", err
}

// number is for arguments that the catalogue or the harness wrote.
func number(s string) int {
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		panic(err)
	}
	return int(n)
}

func inotify(a []string) (string, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return "", fmt.Errorf("inotify_init1: %w", err)
	}
	defer unix.Close(fd)
	_, err = unix.InotifyAddWatch(fd, a[0], unix.IN_ALL_EVENTS)
	return "", err
}

// fanotify: without FAN_REPORT_FID it takes CAP_SYS_ADMIN, with it nobody's leave
// (Linux 5.13, fanotify_init(2)).
func fanotify(a []string) (string, error) {
	fd, err := unix.FanotifyInit(unix.FAN_CLOEXEC|unix.FAN_NONBLOCK|unix.FAN_REPORT_FID, unix.O_RDONLY)
	if err != nil {
		return "", fmt.Errorf("fanotify_init: %w", err)
	}
	defer unix.Close(fd)
	return "", unix.FanotifyMark(fd, unix.FAN_MARK_ADD, unix.FAN_OPEN|unix.FAN_EVENT_ON_CHILD, unix.AT_FDCWD, a[0])
}

// mknod makes a device node, reads from it where the fourth argument says so, and
// removes it.
func mknod(a []string) (string, error) {
	mode := map[string]uint32{"c": unix.S_IFCHR, "b": unix.S_IFBLK}[a[1]]
	if err := unix.Mknod(a[0], mode|0o600, number(a[2])); err != nil {
		return "", fmt.Errorf("mknod: %w", err)
	}
	defer os.Remove(a[0])
	if a[3] == "open" {
		return "", openClose(a[0], unix.O_RDONLY)
	}
	return "", nil
}
