package isolation

import (
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// proc mounts a fresh procfs and takes out of it what the OCI runtime
// specification's defaults take out (maskedPaths, readonlyPaths).
func (l *layout) proc(m policy.Mount) {
	l.b.At(child.StageProc, m.Target)
	l.dir(m.Target, 0o755)
	if child.Off("pid-namespace") {
		// The kernel gives a procfs only to who owns the pid namespace.
		l.attach(l.cloned(cwd(), l.path("/proc"), unix.AT_RECURSIVE), m.Target, false)
	} else {
		t := l.word("proc")
		l.b.Setup(unix.SYS_MOUNT, t, l.path(relative(m.Target)), t, child.Imm(unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC), child.Imm(0))
	}
	for _, k := range m.Masks {
		if !strings.HasPrefix(k.Path, m.Target+"/") {
			continue
		}
		l.b.At(child.StageProc, k.Path)
		if k.ReadOnly {
			l.readOnly(k.Path)
		} else {
			l.mask(k.Path, k.Dir, false)
		}
	}
}

// readOnly binds a path over itself, without writing.
func (l *layout) readOnly(path string) {
	if child.Off("read-only-mounts") {
		return
	}
	t := l.cloned(cwd(), l.path(relative(path)), unix.AT_RECURSIVE)
	l.attr(t, unix.MOUNT_ATTR_RDONLY, true)
	l.attach(t, path, false)
}
