package isolation

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Bounds of a search, in entries: of a small directory that is searched at every
// launch, and of a tree that is searched only where id-mapping it is impossible.
const (
	smallDirectory = 4096
	wholeTree      = 1 << 22
)

// unreadable lists what lies beneath a directory and is closed to other users.
// Links are passed over: what they lead to is judged where it lies. A directory
// that holds more than limit entries is listed as a whole; directories end in a
// slash.
func unreadable(dir string, limit int) []string {
	var found []string
	seen := 0
	var walk func(string)
	walk = func(dir string) {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, unix.ENOENT) {
			found = append(found, marked(dir, true)) // nobody knows what else is in it
			return
		}
		for _, e := range entries {
			if e.Type()&os.ModeSymlink != 0 {
				continue
			}
			if seen++; seen > limit {
				return
			}
			path := dir + "/" + e.Name()
			if closed(path) {
				found = append(found, marked(path, e.IsDir()))
			} else if e.IsDir() {
				walk(path)
			}
		}
	}
	walk(dir)
	if seen > limit {
		return []string{dir + "/"} // not searched to its end: all of it is hidden
	}
	return found
}

// marked tells a directory by a slash behind it.
func marked(path string, dir bool) string {
	if dir {
		return path + "/"
	}
	return path
}

// closed reports whether others may not read a file, or not search a directory.
// What cannot be looked at counts as closed; what has vanished needs no mask.
func closed(path string) bool {
	var st unix.Stat_t
	if err := unix.Fstatat(unix.AT_FDCWD, path, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err != unix.ENOENT
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return st.Mode&0o005 != 0o005
	}
	return st.Mode&0o004 == 0
}
