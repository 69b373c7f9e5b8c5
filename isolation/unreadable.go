package isolation

import (
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// wholeTree bounds a search, in entries.
const wholeTree = 1 << 22

// unreadable lists what lies beneath a directory and is closed to other users.
// Links are passed over: what they lead to is judged where it lies. A directory
// that holds more than limit entries is listed as a whole; directories end in a
// slash.
func unreadable(dir string, limit int) []string {
	s := search{limit: limit}
	s.walk(dir)
	if s.seen > limit {
		return []string{dir + "/"} // not searched to its end: all of it is hidden
	}
	slices.Sort(s.found)
	return s.found
}

// search is one search. It reads directories itself: package os makes an object of
// every entry, hundreds of links among them, in a launcher that has few pages.
type search struct {
	limit, seen int
	found       []string
	buf         [4096]byte
}

func (s *search) walk(dir string) {
	var inner []string
	err := s.entries(dir, func(name string, kind byte) {
		path := dir + "/" + name
		isDir := kind == unix.DT_DIR
		if s.seen++; s.seen > s.limit {
			return
		}
		switch {
		case closed(path):
			s.found = append(s.found, marked(path, isDir))
		case isDir:
			inner = append(inner, path)
		}
	})
	if err != nil && err != unix.ENOENT {
		s.found = append(s.found, marked(dir, true)) // nobody knows what else is in it
	}
	for _, path := range inner {
		if s.seen > s.limit {
			return
		}
		s.walk(path)
	}
}

// entries calls f for what a directory holds but for links. A file system that does
// not tell kinds (getdents64(2), DT_UNKNOWN) is asked for each.
func (s *search) entries(dir string, f func(name string, kind byte)) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Getdents(fd, s.buf[:])
		if err != nil || n <= 0 {
			return err
		}
		for b := s.buf[:n]; len(b) > direntName; {
			size := int(binary.NativeEndian.Uint16(b[16:]))
			name, kind := unix.ByteSliceToString(b[direntName:size]), b[18]
			b = b[size:]
			if name == "." || name == ".." {
				continue
			}
			if kind == unix.DT_UNKNOWN {
				kind = kindOf(dir + "/" + name)
			}
			if kind != unix.DT_LNK {
				f(name, kind)
			}
		}
	}
}

// direntName is where the name begins in struct linux_dirent64, getdents64(2).
const direntName = 19

func kindOf(path string) byte {
	var st unix.Stat_t
	if unix.Fstatat(unix.AT_FDCWD, path, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return unix.DT_UNKNOWN
	}
	return byte(st.Mode & unix.S_IFMT >> 12) // IFTODT
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
