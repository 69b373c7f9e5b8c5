package isolation

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// maxLinks bounds the links followed for one path, as the kernel does (path_resolution(7)).
const maxLinks = 40

// resolver finds out what paths are, and remembers directories that are no links.
// It only looks: what it says is compared again when the child opens the path.
type resolver struct {
	dirs map[string]unix.Stat_t // real directories already seen
}

// fact resolves one absolute path.
func (r *resolver) fact(path string) policy.PathFact {
	var f policy.PathFact
	real, st, err := r.walk(path, &f.Links)
	if err != nil {
		f.Errno, f.Missing = int(errnoOf(err)), real
		return f
	}
	f.Real, f.Inode, f.Mode = real, st.Ino, st.Mode
	f.Major, f.Minor = unix.Major(st.Dev), unix.Minor(st.Dev)
	f.UID, f.GID = int(st.Uid), int(st.Gid)
	return f
}

// errnoOf is the errno behind an error, EIO where there is none.
func errnoOf(err error) unix.Errno {
	var e unix.Errno
	if errors.As(err, &e) {
		return e
	}
	return unix.EIO
}

// walk follows a path component by component and notes every link. With an error
// it returns the component that it ended at.
func (r *resolver) walk(path string, links *[]policy.Link) (string, unix.Stat_t, error) {
	real, rest := "", path
	var st unix.Stat_t
	for {
		var name string
		name, rest = next(rest)
		if name == "" {
			break
		}
		if name == ".." {
			real, _, _ = cutLast(real)
			continue
		}
		target, err := r.step(real+"/"+name, rest != "", &st)
		if err != nil {
			return real + "/" + name, st, err
		}
		if target == "" {
			real += "/" + name
			continue
		}
		if len(*links) == maxLinks {
			return real + "/" + name, st, unix.ELOOP
		}
		*links = append(*links, policy.Link{Path: real + "/" + name, Target: target})
		if target[0] == '/' {
			real = ""
		}
		rest = target + "/" + rest
	}
	if real == "" {
		real = "/"
	}
	err := r.stat(real, &st)
	return real, st, err
}

// step looks at one component: the text of a link, or "" for anything else.
func (r *resolver) step(path string, more bool, st *unix.Stat_t) (string, error) {
	if err := r.stat(path, st); err != nil {
		return "", err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		var b [unix.PathMax]byte
		n, err := unix.Readlink(path, b[:])
		if err != nil {
			return "", err
		}
		return string(b[:n]), nil
	case unix.S_IFDIR:
		return "", nil
	}
	if more {
		return "", unix.ENOTDIR
	}
	return "", nil
}

// stat is lstat(2) with a memory for directories.
func (r *resolver) stat(path string, st *unix.Stat_t) error {
	if known, ok := r.dirs[path]; ok {
		*st = known
		return nil
	}
	if err := unix.Fstatat(unix.AT_FDCWD, path, st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		r.dirs[path] = *st
	}
	return nil
}

// next splits off the first component; "." and empty ones are skipped.
func next(path string) (name, rest string) {
	for {
		path = strings.TrimLeft(path, "/")
		name, rest, _ = strings.Cut(path, "/")
		rest = strings.TrimLeft(rest, "/")
		if name != "." {
			return name, rest
		}
		path = rest
	}
}

func cutLast(path string) (dir, name string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}
