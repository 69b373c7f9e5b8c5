package isolation

import (
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// classify says what descriptors 0 to 2 are before anything else happens, since
// each of them can reach past every other plane.
func classify() (s [3]policy.Stream, offsets [3]int64) {
	for n := range s {
		s[n] = classifyOne(n)
		if s[n].Class == policy.StreamReopen || s[n].Class == policy.StreamFeed {
			offsets[n], _ = unix.Seek(n, 0, unix.SEEK_CUR)
		}
	}
	return s, offsets
}

func classifyOne(fd int) policy.Stream {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return policy.Stream{Class: policy.StreamClosed}
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return refused("a descriptor that tells nothing about itself")
	}
	s := policy.Stream{Flags: flags, Inode: st.Ino, Major: unix.Major(st.Dev), Minor: unix.Minor(st.Dev)}
	if flags&unix.O_PATH != 0 {
		return refused("a descriptor opened with O_PATH")
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		s.Class = policy.StreamPipe
	case unix.S_IFCHR:
		return character(fd, s, st.Rdev)
	case unix.S_IFSOCK:
		return socket(fd, s)
	case unix.S_IFREG:
		return regular(fd, s, uint64(st.Nlink))
	case unix.S_IFDIR:
		return refused("a directory")
	case unix.S_IFBLK:
		return refused("a block device")
	default:
		// anonymous inodes: pid, namespace, event, … descriptors
		return refused("neither a file nor a terminal, pipe or socket")
	}
	return s
}

func refused(what string) policy.Stream {
	return policy.Stream{Class: policy.StreamRefused, What: what}
}

// character lets in terminals and the memory devices that lead nowhere. Not the
// master of a terminal: what is written to it is typed into whatever runs there.
func character(fd int, s policy.Stream, rdev uint64) policy.Stream {
	if rdev == unix.Mkdev(5, 2) { // /dev/ptmx, devices.txt
		return refused("the other side of a terminal")
	}
	if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
		s.Class = policy.StreamTerminal
		return s
	}
	for _, d := range deviceNodes() {
		if d.major == 1 && rdev == unix.Mkdev(d.major, d.minor) {
			s.Class, s.Device = policy.StreamNull, d.name
			return s
		}
	}
	return refused("a device")
}

// socket lets in connected unix stream sockets. Every other kind sends or connects
// in the network namespace that it was made in: the host's.
func socket(fd int, s policy.Stream) policy.Stream {
	domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil || domain != unix.AF_UNIX {
		return refused("a network socket")
	}
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_STREAM {
		return refused("a datagram socket")
	}
	if on, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err != nil || on != 0 {
		return refused("a listening socket")
	}
	if _, err := unix.Getpeername(fd); err != nil {
		return refused("a socket that is not connected yet")
	}
	s.Class = policy.StreamSocket
	return s
}

// regular decides how a regular file is passed on. Namespaces are regular files as
// well (nsfs, ioctl_ns(2)), and so are process descriptors on some kernels; what
// tells them is that their names are no paths ("net:[4026531840]").
func regular(fd int, s policy.Stream, links uint64) policy.Stream {
	if s.Path = nameOf(fd); s.Path == "" || s.Path[0] != '/' {
		return refused("an object of the kernel's that has no path")
	}
	switch {
	case s.Flags&unix.O_ACCMODE == unix.O_RDONLY:
	case kernels(fd):
		return refused("a file of the kernel's, opened for writing")
	default:
		s.Class = policy.StreamFile
		return s
	}
	switch {
	case links == 0 || !leadsTo(s):
		s.Class = policy.StreamFeed
	default:
		s.Class = policy.StreamReopen
	}
	return s
}

// kernels reports whether a file is an interface of the kernel, where writing is
// acting: /proc/PID/mem, /proc/sysrq-trigger, cgroup.procs (statfs(2)).
func kernels(fd int) bool {
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil {
		return true
	}
	switch fs.Type {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC,
		unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.BPF_FS_MAGIC, unix.EFIVARFS_MAGIC, unix.SELINUX_MAGIC:
		return true
	}
	return false
}

// nameOf is the name that the kernel has for a descriptor, "" where it tells none.
func nameOf(fd int) string {
	var b [unix.PathMax]byte
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), b[:])
	if err != nil {
		return ""
	}
	return string(b[:n])
}

// leadsTo reports whether the name still leads to the file.
func leadsTo(s policy.Stream) bool {
	fd, err := openSame(s.Path, s.Major, s.Minor, s.Inode)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}
