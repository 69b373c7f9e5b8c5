package isolation

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// shifted prepares the trees of which a provider that keeps uid 0 shall not be
// the owner: id-mapped read-only clones on which root's files belong to another
// id, so that it may open only what everybody may (mount_setattr(2), Linux 5.12).
// Nothing is ever mapped onto uid 0 of the disk, and nothing can be written
// through them.
//
// Where a file system cannot be id-mapped (an overlay, NFS), or there is no id to map
// to (root of a user namespace that has one id, as in a rootless container), what only
// root may read is searched for and hidden instead.
func (l *Launch) shifted(*Host) error {
	ns := -1
	defer func() { closeAll([]int{ns}) }()
	for i := range l.plan.Mounts {
		m := &l.plan.Mounts[i]
		if !m.Shift {
			continue
		}
		if ns < 0 {
			var err error
			if ns, err = nobodyNamespace(); err != nil && !errors.Is(err, unix.EPERM) {
				return fmt.Errorf("sources: a user namespace for id-mapped mounts: %w", err)
			}
		}
		tree, err := l.shiftOne(m, ns)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
			m.Shift = false
			l.hideUnreadable(*m)
			continue
		}
		if err != nil {
			return err
		}
		if l.in.Shifted == nil {
			l.in.Shifted = make(map[string]int, 2)
		}
		l.in.Shifted[m.Target] = tree
		l.ours = append(l.ours, tree)
	}
	return nil
}

func (l *Launch) shiftOne(m *policy.Mount, ns int) (int, error) {
	if ns < 0 {
		return -1, unix.EPERM
	}
	src, err := openSame(m.Source, m.Major, m.Minor, m.Inode)
	if err != nil {
		return -1, fmt.Errorf("sources: opening %q: %w", m.Source, err)
	}
	defer unix.Close(src)
	tree, err := shiftedTree(src, ns, attributes(*m))
	if err != nil {
		return -1, fmt.Errorf("sources: id-mapping %q: %w", m.Source, err)
	}
	return tree, nil
}

// hideUnreadable masks what other users cannot read beneath a mount, in the plan
// itself, so that the acts try those masks too.
func (l *Launch) hideUnreadable(m policy.Mount) {
	for _, path := range unreadable(m.Source, wholeTree) {
		path, dir := strings.CutSuffix(path, "/")
		if l.granted(m.Target+path[len(m.Source):], m.Target) {
			continue
		}
		l.plan.Mounts = append(l.plan.Mounts, policy.Mount{
			Kind: policy.MountMask, Target: m.Target + path[len(m.Source):], Dir: dir, Within: true, Origin: m.Origin,
		})
	}
}

// granted reports whether a path in a tree is one that the user named besides, or lies
// beneath one.
func (l *Launch) granted(path, tree string) bool {
	for i := range l.plan.Mounts {
		if g := &l.plan.Mounts[i]; g.Kind == policy.MountBind && !g.Optional && g.Target != tree && policy.Within(g.Target, path) {
			return true
		}
	}
	return false
}

func shiftedTree(src, ns int, attrs uint64) (int, error) {
	tree, err := unix.OpenTree(src, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return -1, err
	}
	attr := unix.MountAttr{Attr_set: attrs | unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(ns)}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		unix.Close(tree)
		return -1, err
	}
	return tree, nil
}

// overflowID is the id of nobody; no file of consequence belongs to it
// (user_namespaces(7), /proc/sys/kernel/overflowuid).
const overflowID = 65534

// nobodyNamespace makes a user namespace that maps 0 to nobody, and holds nothing
// but its descriptor: the process in it is gone when this returns.
func nobodyNamespace() (int, error) {
	h, err := child.HoldNamespace(unix.CLONE_NEWUSER)
	if err != nil {
		return -1, err
	}
	defer h.Release()
	dir := "/proc/" + strconv.Itoa(h.PID)
	line := []byte("0 " + strconv.Itoa(overflowID) + " 1")
	for _, f := range []string{"/uid_map", "/gid_map"} {
		if err := os.WriteFile(dir+f, line, 0); err != nil {
			return -1, err
		}
	}
	return unix.Open(dir+"/ns/user", unix.O_RDONLY|unix.O_CLOEXEC, 0)
}
