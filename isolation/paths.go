package isolation

import (
	"cmp"
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// maxLinks bounds the links followed for one path, as the kernel does (path_resolution(7)).
const maxLinks = 40

// resolver finds out what paths are, and remembers directories that are no links or
// are not there. It only looks: what it says is compared again when the child opens
// the path.
type resolver struct {
	dirs  map[string]entry // already seen; the zero entry: nothing is there
	named []string         // paths whose absence is told
	guard bool             // while a path is walked: find out whether others can exchange it
	loose string           // the first component that they can, "" none so far
	buf   unix.Stat_t
	text  []byte
}

func newResolver() *resolver { return &resolver{dirs: make(map[string]entry, 32)} }

// entry is what is kept of a stat.
type entry struct {
	dev, ino       uint64
	mode, uid, gid uint32
}

func (e entry) kind() uint32 { return e.mode & unix.S_IFMT }

// fact resolves one absolute path.
func (r *resolver) fact(path string) policy.PathFact {
	var f policy.PathFact
	real, st, err := r.walk(path, &f.Links)
	if err != nil {
		f.Errno, f.Missing = int(errnoOf(err)), real
		return f
	}
	f.Real, f.Inode, f.Mode = real, st.ino, st.mode
	f.Major, f.Minor = unix.Major(st.dev), unix.Minor(st.dev)
	f.UID, f.GID = int(st.uid), int(st.gid)
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
func (r *resolver) walk(path string, links *[]policy.Link) (real string, st entry, err error) {
	rest := path
	for {
		var name string
		if name, rest = next(rest); name == "" {
			break
		}
		if name == ".." {
			real, _, _ = cutLast(real)
			st = entry{} // looked at again in the end
			continue
		}
		at := join(path, real, name)
		if st, err = r.step(at, rest != ""); err != nil {
			return at, st, err
		}
		if r.guard && r.loose == "" && r.exchangeable(real, st) {
			r.loose = at
		}
		if st.kind() != unix.S_IFLNK {
			real = at
			continue
		}
		target, err := r.readlink(at)
		if err != nil || len(*links) == maxLinks {
			return at, st, cmp.Or(err, error(unix.ELOOP))
		}
		*links = append(*links, policy.Link{Path: at, Target: target})
		if target[0] == '/' {
			real = ""
		}
		st = entry{}
		rest = target + "/" + rest
	}
	if real == "" {
		real = "/"
	}
	if st.mode == 0 {
		st, err = r.stat(real)
	}
	return real, st, err
}

// exposed is the first component of a path, links and what they lead through included,
// that somebody else than root can exchange for another; "" where nobody can.
func (r *resolver) exposed(path string) string {
	var links []policy.Link
	r.guard, r.loose = true, ""
	_, _, err := r.walk(path, &links)
	r.guard = false
	if err != nil && r.loose == "" {
		return path // nothing is known of the rest
	}
	return r.loose
}

// exchangeable reports whether somebody else than root may rename an entry of a
// directory: its owner, or whoever may write to it, unless that is restricted to
// owners (inode(7), S_ISVTX).
func (r *resolver) exchangeable(dir string, e entry) bool {
	dir = cmp.Or(dir, "/")
	d, err := r.stat(dir)
	if err != nil || !roots(d.uid) {
		return true
	}
	writable := d.mode&0o002 != 0 || d.mode&0o020 != 0 && (d.gid != 0 || listed(dir))
	return writable && (d.mode&unix.S_ISVTX == 0 || !roots(e.uid))
}

// listed reports whether a directory has an access control list. The mode's bits of the
// group are then the most that the list gives to anybody named in it (acl(5)).
func listed(dir string) bool {
	n, err := unix.Lgetxattr(dir, "system.posix_acl_access", nil)
	return err == nil && n > 0
}

// roots reports whether a file's owner is root, here or in the namespace around a
// container, whose users have no id here and are shown as nobody.
func roots(uid uint32) bool {
	return uid == 0 || uid == overflowID && !mapped(overflowID)
}

// step looks at one component; whatever more follows on must be a directory.
func (r *resolver) step(path string, more bool) (entry, error) {
	st, err := r.stat(path)
	switch {
	case more && err == unix.ENOENT:
		r.dirs[path] = entry{} // others are looked for beneath it
	case err == nil && more && st.kind() != unix.S_IFDIR && st.kind() != unix.S_IFLNK:
		err = unix.ENOTDIR
	}
	return st, err
}

// join is dir/name, without a new string where path begins with just that.
func join(path, dir, name string) string {
	n := len(dir) + 1 + len(name)
	if n <= len(path) && path[:len(dir)] == dir && path[len(dir)] == '/' && path[len(dir)+1:n] == name {
		return path[:n]
	}
	return dir + "/" + name
}

// readlink reads the text of a link.
func (r *resolver) readlink(path string) (string, error) {
	if r.text == nil {
		r.text = make([]byte, unix.PathMax)
	}
	n, err := unix.Readlink(path, r.text)
	switch {
	case err == nil && n == 0:
		err = unix.ENOENT
	case err == unix.EINVAL: // a link a moment ago
		err = unix.ESTALE
	}
	return string(r.text[:max(n, 0)]), err
}

// stat is lstat(2) with a memory for directories.
func (r *resolver) stat(path string) (entry, error) {
	if known, ok := r.dirs[path]; ok {
		if known == (entry{}) {
			return known, unix.ENOENT
		}
		return known, nil
	}
	if err := unix.Fstatat(unix.AT_FDCWD, path, &r.buf, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return entry{}, err
	}
	e := entry{dev: r.buf.Dev, ino: r.buf.Ino, mode: r.buf.Mode, uid: r.buf.Uid, gid: r.buf.Gid}
	if e.kind() == unix.S_IFDIR {
		r.dirs[path] = e
	}
	return e, nil
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
