package isolation

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// tree makes a directory with links of every kind, for the resolver.
func (s *scene) tree(t *testing.T) string {
	t.Helper()
	top := filepath.Join(s.dir, "tree")
	for _, d := range []string{"", "real", "real/sub", "closed", "closed/in"} {
		check(t, os.Mkdir(filepath.Join(top, d), 0o755))
	}
	check(t, os.WriteFile(filepath.Join(top, "real/file"), []byte("x"), 0o640))
	for link, target := range map[string]string{
		"abs":        top + "/real",
		"rel":        "real/sub",
		"up":         "real/sub/../file",
		"to-link":    "abs/sub",
		"dangling":   "real/absent/further",
		"self":       "self",
		"ring-a":     "ring-b",
		"ring-b":     "ring-a/x",
		"slash":      "/",
		"dots":       "./real/.//./sub",
		"to-file":    "real/file",
		"real/out":   "../rel",
		"real/above": "..",
	} {
		check(t, os.Symlink(target, filepath.Join(top, link)))
	}
	check(t, os.Chmod(filepath.Join(top, "closed"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(top, "closed"), 0o755) })
	return top
}

// TestResolver: what a path is, by which links, and at which component it ends.
// The kernel's own answer is the control.
func TestResolver(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		top := s.tree(t)
		for _, row := range []struct {
			path  string
			real  string // below the tree; "/" the root
			links string // their names, in order
			errno unix.Errno
			at    string // where it ended
		}{
			{"real/file", "real/file", "", 0, ""},
			{"real//./sub/../file", "real/file", "", 0, ""},
			{"abs/file", "real/file", "abs", 0, ""},
			{"rel", "real/sub", "rel", 0, ""},
			{"rel/..", "real", "rel", 0, ""},
			{"up", "real/file", "up", 0, ""},
			{"to-link", "real/sub", "to-link abs", 0, ""},
			{"abs/out", "real/sub", "abs real/out rel", 0, ""},
			{"real/above/real/above/rel", "real/sub", "real/above real/above rel", 0, ""},
			{"dots", "real/sub", "dots", 0, ""},
			{"to-file", "real/file", "to-file", 0, ""},
			{"slash", "/", "slash", 0, ""},
			{"slash/../..", "/", "slash", 0, ""},
			{"absent", "", "", unix.ENOENT, "absent"},
			{"abs/absent/x", "", "abs", unix.ENOENT, "real/absent"},
			{"dangling", "", "dangling", unix.ENOENT, "real/absent"},
			{"real/file/x", "", "", unix.ENOTDIR, "real/file"},
			{"real/file/..", "", "", unix.ENOTDIR, "real/file"},
			{"to-file/x", "", "to-file", unix.ENOTDIR, "real/file"},
			{"self", "", strings.Repeat("self ", maxLinks), unix.ELOOP, "self"},
			{"ring-a", "", strings.Repeat("ring-a ring-b ", maxLinks/2), unix.ELOOP, "ring-a"},
		} {
			t.Run(row.path, func(t *testing.T) {
				f := newResolver().fact(top + "/" + row.path)
				var links []string
				for _, l := range f.Links {
					links = append(links, strings.TrimPrefix(l.Path, top+"/"))
				}
				if !slices.Equal(links, strings.Fields(row.links)) {
					t.Errorf("links %q, wanted %q", links, row.links)
				}
				if unix.Errno(f.Errno) != row.errno || row.errno != 0 && f.Missing != top+"/"+row.at {
					t.Errorf("errno %d at %q, wanted %d at %q", f.Errno, f.Missing, row.errno, row.at)
				}
				agrees(t, top+"/"+row.path, f)
				want := top + "/" + row.real
				if row.errno != 0 {
					want = ""
				} else if row.real == "/" {
					want = "/"
				}
				if f.Real != want {
					t.Errorf("it is %q, wanted %q", f.Real, want)
				}
			})
		}
	})
}

// agrees compares a fact with what the kernel finds at the path.
func agrees(t *testing.T, path string, f policy.PathFact) {
	t.Helper()
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	// A walk that the kernel begins anew goes on counting links: on a busy machine it
	// may refuse what it takes the next time.
	for range 100 {
		if err != unix.ELOOP || f.Errno != 0 {
			break
		}
		err = unix.Stat(path, &st)
	}
	if errnoOrNone(err) != unix.Errno(f.Errno) {
		t.Fatalf("errno %d, the kernel says %v", f.Errno, err)
	} else if err != nil {
		return
	}
	if f.Inode != st.Ino || f.Major != unix.Major(st.Dev) || f.Minor != unix.Minor(st.Dev) || f.Mode != st.Mode || f.UID != int(st.Uid) || f.GID != int(st.Gid) {
		t.Errorf("%+v, the kernel says %+v", f, st)
	}
}

func errnoOrNone(err error) unix.Errno {
	if err == nil {
		return 0
	}
	return errnoOf(err)
}

// TestResolverCountsLinks: 40 are followed, as the kernel does, and not one more.
func TestResolverCountsLinks(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(dir+"/0", nil, 0o644))
	for i := 1; i <= maxLinks+1; i++ {
		check(t, os.Symlink(fmt.Sprint(i-1), fmt.Sprintf("%s/%d", dir, i)))
	}
	for n, want := range map[int]unix.Errno{maxLinks: 0, maxLinks + 1: unix.ELOOP} {
		path := fmt.Sprintf("%s/%d", dir, n)
		f := newResolver().fact(path)
		if unix.Errno(f.Errno) != want || len(f.Links) != maxLinks && want == 0 {
			t.Errorf("%d links: errno %d after %d of them, wanted %d", n, f.Errno, len(f.Links), want)
		}
		agrees(t, path, f)
	}
}

// TestResolverIsRefused: a directory that may not be searched ends the way for a
// user; root may.
func TestResolverIsRefused(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		path := s.tree(t) + "/closed/in"
		f := newResolver().fact(path)
		agrees(t, path, f)
		want := unix.EACCES
		if s.uid == 0 {
			want = 0
		}
		if unix.Errno(f.Errno) != want || want != 0 && f.Missing != path {
			t.Errorf("errno %d at %q, wanted %d", f.Errno, f.Missing, want)
		}
	})
}

// TestResolverRemembers: one resolver asks about a directory once, and still sees
// what else is in it.
func TestResolverRemembers(t *testing.T) {
	dir := t.TempDir()
	check(t, os.MkdirAll(dir+"/a/b", 0o755))
	r := newResolver()
	if f := r.fact(dir + "/a/b"); f.Errno != 0 {
		t.Fatalf("errno %d", f.Errno)
	}
	check(t, os.WriteFile(dir+"/a/c", nil, 0o644))
	if f := r.fact(dir + "/a/c"); f.Errno != 0 || f.Mode&unix.S_IFMT != unix.S_IFREG {
		t.Errorf("%+v", f)
	}
	if _, ok := r.dirs[dir+"/a/c"]; ok || len(r.dirs) == 0 {
		t.Errorf("it remembers %d directories, the file among them: %v", len(r.dirs), ok)
	}
}

// TestExposed: what somebody else than root can exchange on the way to a path.
func TestExposed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give directories away; the same test as root")
	}
	top, err := os.MkdirTemp("/var/tmp", "sovrun-test-")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(top) })
	dir := func(name string, uid int, mode uint32) {
		check(t, os.MkdirAll(top+"/"+name, 0o755))
		check(t, os.Chown(top+"/"+name, uid, 0))
		check(t, unix.Chmod(top+"/"+name, mode))
	}
	dir("own/inner", 0, 0o755)
	dir("user/inner", 0, 0o755)
	dir("user", 1234, 0o755)
	dir("open/inner", 0, 0o755)
	dir("open", 0, 0o777)
	dir("sticky/inner", 0, 0o755)
	dir("sticky/given", 1234, 0o755)
	dir("sticky", 0, 0o1777)
	dir("listed/inner", 0, 0o755)
	check(t, unix.Setxattr(top+"/listed", "system.posix_acl_access", userMayWrite(1234), 0))
	dir("group/inner", 0, 0o755)
	dir("group", 0, 0o775)
	check(t, os.Symlink("../own/inner", top+"/user/link"))
	check(t, os.Symlink("user/link", top+"/way"))
	check(t, os.Symlink("own/inner", top+"/fine"))
	for path, want := range map[string]string{
		"own/inner": "", "fine": "", "sticky/inner": "", "group/inner": "", "listed/inner": "listed/inner",
		"user/inner": "user/inner", "open/inner": "open/inner", "sticky/given": "sticky/given",
		"user/link": "user/link", "way": "user/link", "own/none": "own/none",
	} {
		got := strings.TrimPrefix(newResolver().exposed(top+"/"+path), top+"/")
		if got != want {
			t.Errorf("%s: others can exchange %q, wanted %q", path, got, want)
		}
	}
}

// userMayWrite is an access control list by which one more user may write, as acl(5)
// has it and linux/posix_acl_xattr.h lays it out: tag, permissions, id.
func userMayWrite(uid uint32) []byte {
	const none = ^uint32(0)
	list := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, may uint16
		id       uint32
	}{{0x01, 7, none}, {0x02, 7, uid}, {0x04, 5, none}, {0x10, 7, none}, {0x20, 5, none}} {
		list = binary.LittleEndian.AppendUint16(list, e.tag)
		list = binary.LittleEndian.AppendUint16(list, e.may)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	return list
}

// TestExchangedDirectory: the working directory is the one that this process is in,
// whatever its name leads to by now.
func TestExchangedDirectory(t *testing.T) {
	top := t.TempDir()
	check(t, os.Mkdir(top+"/a", 0o755))
	check(t, os.Mkdir(top+"/b", 0o755))
	t.Chdir(top + "/a")
	t.Setenv("PWD", top+"/a")
	caller := CallerFacts(nil)
	if f := Detect(policy.Policy{}, caller).Facts.Paths[caller.Cwd]; f.Errno != 0 {
		t.Errorf("%+v", f)
	}
	check(t, unix.Renameat2(unix.AT_FDCWD, top+"/a", unix.AT_FDCWD, top+"/b", unix.RENAME_EXCHANGE))
	if f := Detect(policy.Policy{}, caller).Facts.Paths[caller.Cwd]; f.Errno != int(unix.ESTALE) {
		t.Errorf("%+v, wanted ESTALE", f)
	}
}
