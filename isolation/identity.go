package isolation

import (
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
)

// closeLauncherEnd closes the end of a pipe that only the launcher keeps.
func (c *compiler) closeLauncherEnd() {
	c.b.At(child.StageLauncher, "the pipe that tells of its end")
	c.b.Setup(unix.SYS_CLOSE, child.Imm(c.in.LauncherEnd))
	c.b.Setup(unix.SYS_SET_TID_ADDRESS, c.b.InitAlive())
}

// identity gives the child its ids. Normally it maps itself, one id onto itself,
// and gives up setgroups(2) as the kernel demands of a self-written map
// (user_namespaces(7)). Where root hands over to another user the launcher
// writes the maps and the child changes afterwards.
func (c *compiler) identity() {
	if !c.p.Namespaces.User || child.Off("user-namespace") {
		return
	}
	if c.p.Identity.Changed {
		c.changeIdentity()
		return
	}
	one := func(id int) string { return strconv.Itoa(id) + " " + strconv.Itoa(id) + " 1" }
	c.writeFile(child.StageIDMap, "/proc/self/setgroups", "deny")
	c.writeFile(child.StageIDMap, "/proc/self/uid_map", one(c.p.Identity.UID))
	c.writeFile(child.StageIDMap, "/proc/self/gid_map", one(c.p.Identity.GID))
}

// changeIdentity waits for the maps and for the control, whose own change of user
// makes the memory that all share non-dumpable for a moment, then changes.
// Other processes of the new user cannot get at that memory through the child: it
// lives in a user namespace of root's (ptrace(2), access mode checks).
func (c *compiler) changeIdentity() {
	uid, gid := child.Imm(c.p.Identity.UID), child.Imm(c.p.Identity.GID)
	c.awaitByte("the launcher's word that the maps are written")
	if c.controlled() {
		c.awaitByte("the control's word that it is another user")
	}
	c.b.At(child.StageCredentials, "setgroups")
	c.b.Setup(unix.SYS_SETGROUPS, child.Imm(0), child.Imm(0))
	c.b.At(child.StageCredentials, "gid "+strconv.Itoa(c.p.Identity.GID))
	c.b.Setup(unix.SYS_SETRESGID, gid, gid, gid)
	c.b.At(child.StageCredentials, "uid "+strconv.Itoa(c.p.Identity.UID))
	c.b.Setup(unix.SYS_SETRESUID, uid, uid, uid)
	// The change made the shared memory non-dumpable, and what is not may not
	// open its own /proc (proc(5)).
	c.b.Setup(unix.SYS_PRCTL, child.Imm(unix.PR_SET_DUMPABLE), child.Imm(1))
}

// awaitByte waits for one byte of the launcher's pipe.
func (c *compiler) awaitByte(object string) {
	c.b.At(child.StageIDMap, object)
	c.b.Setup(unix.SYS_READ, child.Imm(c.in.Launcher), child.Ptr(c.b.Alloc(8, 8)), child.Imm(1)).Want = 1
}

// controlled reports whether there will be a control: only acts need one.
func (c *compiler) controlled() bool { return len(c.b.P.Acts) > 0 }

// writeFile writes a short text to an existing file.
func (c *compiler) writeFile(s child.Stage, path, text string) {
	c.b.At(s, path)
	fd := c.passing(unix.SYS_OPENAT, cwd(), c.path(path), child.Imm(unix.O_WRONLY|unix.O_CLOEXEC))
	c.b.Setup(unix.SYS_WRITE, child.Slot(fd), child.Ptr(c.b.Bytes(text, 1)), child.Imm(len(text))).Want = int64(len(text))
}

// deathSignal ties the child to the launcher's thread, then looks whether the
// launcher still lives: it may have died in between, and getppid(2) is 0 in a new
// pid namespace whether the parent lives or not.
func (c *compiler) deathSignal() {
	c.b.At(child.StageDeathSignal, "SIGKILL")
	c.b.Setup(unix.SYS_PRCTL, child.Imm(unix.PR_SET_PDEATHSIG), child.Imm(int(unix.SIGKILL)))
	c.b.At(child.StageLauncher, "the launcher has died")
	pollfd := c.b.Words(uint64(c.in.Launcher)) // events 0: only POLLHUP and POLLERR come back
	timeout := c.b.Words(0, 0)
	c.b.Setup(unix.SYS_PPOLL, child.Ptr(pollfd), child.Imm(1), child.Ptr(timeout), child.Imm(0), child.Imm(0)).Want = 0
}

// mapped is the moment at which the child has its identity and still the host's
// /proc in view.
func (c *compiler) mapped() {
	c.b.At(child.StageProbe, "acts of the set-up")
	c.b.PassMark(child.MarkDumpable)
}

// namespaceLimit forbids further user namespaces to the sandbox's own, so that
// they are refused twice. Elsewhere the file would be the host's limit.
func (c *compiler) namespaceLimit() {
	if !c.p.Namespaces.User || c.p.Nested() || child.Off("namespace-limit") || child.Off("user-namespace") {
		return
	}
	c.writeFile(child.StageUserLimit, "/proc/sys/user/max_user_namespaces", "0")
}
