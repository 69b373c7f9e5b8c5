package probes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// clause is a statement and the acts that it rests on, by name.
type clause struct {
	names []string
	text  string
}

// clauses are what may be said of a plane that is ENFORCED. Each is said only if
// its acts were refused, or worked where they must.
var clauses = [policy.NumPlanes][]clause{
	policy.Filesystem: {
		{[]string{"canary_read", "canary_write", "canary_through_root", "canary_through_parent", "canary_stat", "canary_stat_parent"}, "a file outside could not be read, written or found"},
		{[]string{"canary_create"}, "nor could another be made beside it"},
		{[]string{"grant_change"}, "read-only grants refused a change"},
		{[]string{"hidden_read"}, "hidden paths did not open"},
		{[]string{"witness_read"}, "what is in view without a rule did not open"},
		{[]string{"workspace_write"}, "the workspace took a file"},
		{[]string{"grant_read"}, "a grant opened"},
	},
	policy.Syscalls: {
		{[]string{"call"}, "calls of the refused classes were answered by the filter and not by the kernel"},
		{[]string{"call_works"}, "ordinary calls worked"},
	},
	policy.Network: {
		{[]string{"family", "protocol"}, "sockets of other families were refused, and MPTCP, raw and uevent sockets"},
		{[]string{"tcp_connect", "udp_send"}, "listeners on the host's loopback were out of reach"},
		{[]string{"abstract_connect"}, "an abstract unix socket of the host was out of reach"},
		{[]string{"loopback_talk", "loopback_listen"}, "the sandbox's own loopback worked"},
	},
	policy.Environment: {
		{[]string{"canary_variable"}, "the list handed to the program does not hold the canary variable"},
		{[]string{"dropped_variables"}, "nor any other that is left out"},
		{[]string{"marker"}, "it holds the marker SOVRUN"},
	},
	policy.Processes: {
		{[]string{"host_signal", "host_status"}, "a thread of the host could neither be signalled nor read about"},
		{[]string{"init_memory", "init_environment"}, "memory and environment of the sandbox's init did not open"},
		{[]string{"host_facts"}, "what was tried of the masked facts about the host did not open"},
		{[]string{"own_session"}, "the program is in a session of the sandbox's own"},
		{[]string{"own_signal", "own_memory"}, "the program's own process can be signalled and read"},
	},
	policy.IPC: {
		{[]string{"segment_attach"}, "shared memory of another namespace could not be attached"},
		{[]string{"abstract_connect"}, "an abstract unix socket of the host was out of reach"},
		{[]string{"call"}, "the kernel's keyrings were out of reach"},
		{[]string{"own_segment"}, "shared memory of the sandbox's own worked"},
	},
	policy.Privileges: {
		{[]string{"capability_sets", "bounding_set"}, "no capability is held, and none of the ten that were asked for is left in the bounding set"},
		{[]string{"no_new_privs"}, "execve gives no privileges"},
		{[]string{"user_namespace"}, "a user namespace was refused"},
		{[]string{"user_namespace_unfiltered"}, "and was refused before the filter was there"},
		{[]string{"mount", "chroot", "sethostname"}, "privileged calls failed"},
		{[]string{"sysctl_change", "sysctl_write"}, "sysctls refused a change"},
	},
	policy.Resources: {
		{[]string{"limit_processes"}, "the limit of processes was read back, and a lower one refused a fork"},
		{[]string{"limit_open_files"}, "the limit of open files was read back and hit"},
		{[]string{"limit_file_size"}, "the limit of a file's size was read back and hit"},
	},
	policy.Terminal: {
		{[]string{"terminal_command", "terminal_command_high_bit"}, "commands that type into a terminal or change its line discipline were refused on a terminal of the sandbox's own"},
		{[]string{"terminal_modes"}, "its modes could be read"},
	},
	policy.Descriptors: {
		{[]string{"low_descriptor", "high_descriptor"}, "descriptors that were open in the launcher were closed"},
		{[]string{"inherited_directory"}, "nothing opened through an inherited directory"},
		{[]string{"standard_descriptor"}, "0 to 2 are open"},
	},
}

// sentence says in plain words what the report of a plane amounts to.
func sentence(r *PlaneReport) string {
	if r.State != Enforced {
		return unavailableSentence(r)
	}
	out := ""
	for _, c := range clauses[r.Name] {
		held, all := r.held(c.names)
		switch {
		case held == 0:
			continue
		case out != "":
			out += "; "
		}
		out += c.text
		if held < all {
			out += " (" + strconv.Itoa(held) + " of " + strconv.Itoa(all) + " could be judged)"
		}
	}
	return strings.ToUpper(out[:min(1, len(out))]) + out[min(1, len(out)):] + "."
}

// held counts the acts of these names that came out as they must, and all.
func (r *PlaneReport) held(names []string) (held, all int) {
	for i := range r.Acts {
		a := &r.Acts[i]
		if !slices.Contains(names, a.Name) {
			continue
		}
		all++
		if a.Outcome == child.Refused || a.Outcome == child.Worked {
			held++
		}
	}
	return held, all
}

func unavailableSentence(r *PlaneReport) string {
	switch r.Reason {
	case NotRequested:
		return "Not asked for: " + r.Evidence + "."
	case ProbeRefuted:
		return "Does not hold: something that must not work did, or something that must work did not."
	}
	return "Not shown to hold, so nothing is claimed."
}

// streamNames are the classes of descriptors 0 to 2 as the report tells them.
var streamNames = [...]string{
	policy.StreamClosed:   "was closed, opened as /dev/null",
	policy.StreamTerminal: "is a terminal",
	policy.StreamPipe:     "is a pipe",
	policy.StreamNull:     "is a character device",
	policy.StreamSocket:   "is a unix stream socket",
	policy.StreamFile:     "is a regular file opened for writing",
	policy.StreamReopen:   "is a regular file, opened again through a read-only mount",
	policy.StreamFeed:     "is a regular file without a path, fed through a pipe",
	policy.StreamRefused:  "cannot be let in",
}

// facts is what a plane rests on besides acts.
func (j *judgement) facts(p policy.Plane) []string {
	if p != policy.Descriptors {
		return nil
	}
	out := make([]string, 0, 3)
	for i, s := range j.plan.Streams {
		name := "descriptor " + string(rune('0'+i)) + " "
		if int(s.Class) < len(streamNames) {
			out = append(out, name+streamNames[s.Class])
		}
	}
	return out
}
