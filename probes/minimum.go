package probes

import "github.com/sovrun/sovrun/policy"

// minimum is how many conclusive acts justify the word ENFORCED, for a provider
// with an ordinary uid and for one with uid 0. The numbers are written by hand:
// what must be conclusive on every kernel that has the mechanisms at all, so a
// change of the acts that loses one is seen. Resources has a minimum of its own
// in each launch: every requested limit.
type minimum struct {
	plane      policy.Plane
	user, root uint8
	acts       string
}

var minimumTable = [policy.NumPlanes]minimum{
	{policy.Filesystem, 7, 7, "the canary read, written, through /proc/self/root, through the root's parent, seen by both paths; created beside, or the witness"},
	{policy.Syscalls, 20, 20, "one call of each class that every kernel since 5.12 has"},
	{policy.Network, 48, 48, "every family of Linux 5.12, four protocols, the abstract socket, TCP or UDP"},
	{policy.Environment, 1, 1, "the canary variable"},
	{policy.Processes, 6, 6, "a host thread signalled and read about, init's memory and environment, setns, the group's priority"},
	{policy.IPC, 3, 3, "the removed segment, the abstract socket, keyctl"},
	{policy.Privileges, 7, 8, "capability and bounding sets, no_new_privs, a user namespace refused twice, mount, chroot; as root a sysctl"},
	{policy.Resources, 1, 1, "every requested limit"},
	{policy.Terminal, 6, 6, "TIOCLINUX, TIOCSETD, a keyboard command, each with a high bit too"},
	{policy.Descriptors, 2, 2, "one at 3 or above, the directory"},
}

// minimums fills in what the plan has not ruled out.
func (m *maker) minimums() {
	for _, n := range minimumTable {
		if m.cat.absent[n.plane].reason != "" {
			continue
		}
		m.P.Minimum[n.plane] = n.user
		if m.plan.Identity.UID == 0 {
			m.P.Minimum[n.plane] = n.root
		}
	}
	if m.cat.absent[policy.Resources].reason == "" {
		m.P.Minimum[policy.Resources] = uint8(len(m.plan.Limits))
	}
	if m.plan.Nested() {
		m.P.Minimum[policy.Processes]--
		m.P.Minimum[policy.Privileges] -= 4
		m.P.Minimum[policy.Syscalls] -= 6
	}
}
