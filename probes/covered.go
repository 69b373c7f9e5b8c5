package probes

import "github.com/sovrun/sovrun/policy"

// notCovered is what a plane does not cover even while it is ENFORCED, and while
// it is not, first of all what it would.
func notCovered(r *PlaneReport, f *policy.Facts, plan *policy.Plan) []string {
	p := r.Name
	out := make([]string, 0, len(uncovered[p])+2)
	if r.State != Enforced {
		out = append(out, unheld[p])
	}
	out = append(out, uncovered[p]...)
	if p == policy.Network || p == policy.IPC {
		out = append(out, pathnameSockets(f))
	}
	if !plan.OwnSession {
		out = append(out, callersSession(p, f)...)
	}
	if p == policy.Privileges && !plan.Identity.Changed {
		out = append(out, "supplementary groups of the caller, which a user namespace does not let it give up")
	}
	if p == policy.Syscalls {
		out = append(out, foreignEntries[:]...)
	}
	if p == policy.Privileges && plan.Identity.KeepsRoot {
		out = append(out, "set-uid files in a writable grant: they are root's, and whoever on the host can execute one is root")
	}
	if p == policy.Processes && f != nil && f.CorePiped {
		out = append(out, "core dumps: the host's kernel.core_pattern starts a helper for them, and the caller's hard limit of 0 cannot become the 1 that stops it")
	}
	if p == policy.Resources && plan.Identity.UID == 0 {
		out = append(out, "the number of processes of uid 0, which that limit never binds")
	}
	if plan.Nested() {
		out = append(out, uncoveredNested[p]...)
	}
	if p == policy.Syscalls && plan.Filter != "default" {
		out = append(out, "the calls that the profile "+printable(plan.Filter)+" allows on purpose")
	}
	return out
}

// unheld is what is open while a plane is not ENFORCED.
var unheld = [policy.NumPlanes]string{
	policy.Filesystem:  "anything: nothing shows that files of the host are out of reach",
	policy.Syscalls:    "anything: nothing shows that the kernel's dangerous calls are refused",
	policy.Network:     "anything: packets may leave, and services of the host may be reached",
	policy.Environment: "anything: variables of the caller may be inherited",
	policy.Processes:   "anything: processes of the host may be seen and signalled, and what the program starts may outlive it",
	policy.IPC:         "anything: shared memory, sockets without a file and keyrings of the host may be reached",
	policy.Privileges:  "anything: privileges of the caller, root's among them, may be held or gained",
	policy.Resources:   "anything: processes, descriptors and file sizes are bounded only as the caller's are",
	policy.Terminal:    "anything: a program may type into the caller's terminal",
	policy.Descriptors: "anything: open descriptors of the caller may be used",
}

var uncovered = [policy.NumPlanes][]string{
	policy.Filesystem: {
		"what descriptors 0 to 2 refer to",
		"files of a writable grant that run something outside later: hooks, build files, settings of editors",
		"a file of a writable grant that has another name outside",
		"a hidden file under another name in a grant (a hard link)",
		"a hidden file after the host has replaced it by another",
		"what is hidden, once a run that may write above it has renamed a directory on the way: the next run hides the old name",
		"a secret place that the host makes beneath a grant after the launch",
		"the host's names of granted paths, which /proc/self/mountinfo shows",
		"mounts beneath a read-only grant: they become read-only with it, and only the grant itself is tried",
		"locks and leases on granted files, read-only ones too: whoever uses them on the host may have to wait",
		"execution: a loader or an interpreter runs what it can read",
		"set-uid bits in a writable grant, which nothing prevents",
	},
	policy.Syscalls: {
		"bugs of the kernel in calls that are allowed",
		"arguments behind pointers, which a filter does not see",
		"calls that nothing was tried of here: the filter was checked number by number when it was built",
	},
	policy.Network: {},
	policy.Environment: {
		"secrets in files that are granted",
		"where a variable that is let through ends up: every program started inside inherits it",
	},
	policy.Processes: {
		"what /proc and /sys tell every user of the host: load, memory, uptime, processors, disks, boot id, the kernel's configuration",
		"the host, which sees and may trace everything inside",
	},
	policy.IPC: {
		"semaphores, message queues and POSIX queues, which are not tried at each launch; they are in the same namespace as shared memory",
		"FIFOs and sockets in granted directories",
	},
	policy.Privileges: {
		"set-uid files in a writable grant, for other users of the host",
	},
	policy.Resources: {
		"the memory of the sandbox as a whole, its I/O and its processor time",
		"the private file systems in memory, which can be filled up to their size",
		"resources that no limit was asked for",
	},
	policy.Terminal: {
		"escape sequences: the terminal may answer them, change its title or its clipboard",
		"the terminal's modes and its foreground group, during the run and after it",
		"keys that are typed while the program is in the foreground",
	},
	policy.Descriptors: {
		"what descriptors 0 to 2 lead to: its contents, mode, times and offset can be changed",
		"descriptors that are passed over a socket among them",
	},
}

// uncoveredNested is what the profile for namespaces within leaves out besides.
var uncoveredNested = [policy.NumPlanes][]string{
	policy.Filesystem: {"Landlock's file rights, which would refuse every mount within: the file system rests on mounts alone"},
	policy.Processes:  {"what /proc tells about the host, and the names of the caller's keys: it is neither masked nor read-only, or no other could be mounted within"},
	policy.Privileges: {"namespaces of the program's own, in which it holds every capability"},
}

// callersSession is about what the command shares with its caller where that has a
// terminal. Landlock keeps signals in since ABI 6, but no act can try that: inside,
// the caller's processes have no number.
func callersSession(p policy.Plane, f *policy.Facts) []string {
	switch {
	case p == policy.Terminal:
		return []string{
			"the terminal that sovrun was started from: /dev/tty opens it, whatever descriptors 0 to 2 are",
			"stops of the caller's process group, for which access from the background is enough",
		}
	case p == policy.Processes && f != nil && f.Landlock < 6:
		return []string{"the caller's process group, which kill(2) of 0 reaches (Landlock's ABI here is below 6)"}
	case p == policy.Processes:
		return []string{"the caller's process group, which kill(2) of 0 would reach without Landlock's scope for signals: no act tries that"}
	}
	return nil
}

// pathnameSockets is about unix sockets with a file. Landlock can refuse them
// since ABI 9; until then only what is in view counts.
func pathnameSockets(f *policy.Facts) string {
	if f == nil || f.Landlock >= 9 {
		return "unix sockets in writable grants"
	}
	return "unix sockets in granted directories, read-only ones too (Landlock's ABI here is below 9)"
}
