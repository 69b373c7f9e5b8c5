package isolation

import (
	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// namespaceFlags are the CLONE_NEW* of a set of namespaces: those that only a
// clone can make, and those that the child makes itself while the launcher is
// still busy (the network namespace is the dearest part of a launch).
func namespaceFlags(n policy.Namespaces) (cloned, unshared uintptr) {
	for _, x := range []struct {
		on   bool
		flag uintptr
		name string
	}{
		{n.User, unix.CLONE_NEWUSER, "user-namespace"},
		{n.PID, unix.CLONE_NEWPID, "pid-namespace"},
		{n.Mount, unix.CLONE_NEWNS, "mount-namespace"},
		{n.Net, unix.CLONE_NEWNET, "network-namespace"},
		{n.IPC, unix.CLONE_NEWIPC, "ipc-namespace"},
		{n.UTS, unix.CLONE_NEWUTS, "uts-namespace"},
		{n.Cgroup, unix.CLONE_NEWCGROUP, "cgroup-namespace"},
	} {
		switch {
		case !x.on || child.Off(x.name):
		case x.flag == unix.CLONE_NEWUSER || x.flag == unix.CLONE_NEWPID:
			cloned |= x.flag
		default:
			unshared |= x.flag
		}
	}
	return cloned, unshared
}

// early is what the child does before there is a plan: it ties itself to the
// launcher and makes its namespaces.
func early(b *child.Builder, unshared uintptr) {
	b.At(child.StageDeathSignal, "SIGKILL")
	b.Do(&b.P.Early, unix.SYS_PRCTL, child.Imm(unix.PR_SET_PDEATHSIG), child.Imm(int(unix.SIGKILL)))
	b.At(child.StageClone, "namespaces")
	b.Do(&b.P.Early, unix.SYS_UNSHARE, child.Imm(unshared))
}

// session leaves the caller's session and process group where no terminal needs
// them. Calls that act on one's own group (kill(2) of 0, for one) reach all of its
// members, outside of the pid namespace too: the script that sovrun runs in, or the
// other parts of a pipeline.
func (c *compiler) session() {
	if !c.p.OwnSession {
		return
	}
	c.b.At(child.StageTerminal, "a session of its own")
	c.b.Setup(unix.SYS_SETSID)
}

// ownDescriptors ends the sharing of descriptors with the launcher.
func (c *compiler) ownDescriptors() {
	c.b.At(child.StageLauncher, "descriptors of the child's own")
	c.b.Setup(unix.SYS_UNSHARE, child.Imm(unix.CLONE_FILES))
	c.b.Setup(child.OpOwnFiles)
	c.highDescriptor(&c.b.P.Setup)
}

// highDescriptor opens the one that only a thorough closing gets at.
func (c *compiler) highDescriptor(list *[]child.Op) {
	if c.t.HighFD < 0 {
		return
	}
	c.b.Do(list, unix.SYS_DUP3, child.Imm(c.t.LowFD), child.Imm(c.t.HighFD), child.Imm(unix.O_CLOEXEC))
}
