package escapes

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func namespaces() []Technique {
	eperm := errnos(unix.EPERM)
	user := fmt.Sprint(unix.CLONE_NEWUSER)
	return []Technique{
		{Row: "N01", Name: "clone", Says: "start a child in a new user namespace", Plane: privileged, Act: "child_in", Args: args("clone", user), Good: eperm},
		{Row: "N01", Name: "unshare", Says: "unshare the user namespace", Plane: privileged, Act: "child_in", Args: args("unshare", user), Good: eperm},
		{Row: "N01", Name: "with-mounts", Says: "unshare user and mount namespace", Plane: privileged, Act: "child_in", Args: args("unshare", fmt.Sprint(unix.CLONE_NEWUSER|unix.CLONE_NEWNS)), Good: eperm},
		{Row: "N01", Name: "raw", Says: "clone into a new user namespace by number", Plane: privileged, Act: "clone_user", Good: eperm},
		{Row: "N02", Name: "host", Says: "enter a namespace of a process of the host", Plane: processes, Act: "set_ns", Args: args("/proc/{host}/ns/net", fmt.Sprint(unix.CLONE_NEWNET)), User: eperm},
		{Row: "N02", Name: "init", Says: "enter a namespace of pid 1", Plane: processes, Act: "set_ns", Args: args("/proc/{init}/ns/uts", fmt.Sprint(unix.CLONE_NEWUTS)), Good: errnos(unix.EACCES), User: eperm},
		{Row: "N02", Name: "pidfd", Says: "enter it by a process descriptor", Plane: processes, Act: "pidfd_ns", Args: args("{host}", fmt.Sprint(unix.CLONE_NEWNET)), Good: errnos(unix.ESRCH), User: eperm},
		{Row: "N02", Name: "inherited", Says: "enter a namespace by an inherited descriptor", Plane: descriptors, Act: "call", Args: args(nr(unix.SYS_SETNS), "7", fmt.Sprint(unix.CLONE_NEWNET)), Good: eperm},
		{Row: "N02", Name: "descriptor", Says: "read an inherited descriptor of a namespace", Plane: descriptors, Act: "descriptor_link", Args: args("7")},
	}
}

func signals() []Technique {
	gone := errnos(unix.ESRCH)
	return []Technique{
		{Row: "N03", Name: "kill", Says: "signal a process of the host", Plane: processes, Act: "kill", Args: args("{host}", "0"), Good: gone},
		{Row: "N03", Name: "group", Says: "signal its group", Plane: processes, Act: "kill_group", Args: args("{host}"), Good: gone},
		{Row: "N03", Name: "every", Says: "signal every process", Plane: processes, Act: "kill", Args: args("-1", "0"), How: Alone, Good: gone},
		{Row: "N03", Name: "pidfd", Says: "signal it by a process descriptor", Plane: processes, Act: "pidfd", Args: args("{host}"), Good: gone},
		{Row: "N03", Name: "queue", Says: "queue a signal for it", Plane: processes, Act: "queue_signal", Args: args("{host}"), Good: gone},
		{Row: "S18", Name: "prlimit", Says: "set a limit of a process of the host", Plane: processes, Act: "prlimit", Args: args("{host}"), Good: gone},
		{Row: "S18", Name: "affinity", Says: "set its processors", Plane: processes, Act: "affinity", Args: args("{host}"), Good: gone},
		{Row: "S18", Name: "scheduler", Says: "set its scheduling", Plane: processes, Act: "scheduler", Args: args("{host}"), Good: gone},
		{Row: "S18", Name: "nice", Says: "set its priority", Plane: processes, Act: "nice", Args: args("{host}"), Good: gone},
		{Row: "S18", Name: "ioprio", Says: "set its priority for input and output", Plane: processes, Act: "ioprio", Args: args("{host}"), Good: gone},
		{Row: "N07", Name: "daemon", Says: "leave a daemon behind as a subreaper", Plane: processes, How: Fixture},
		{Row: "N08", Name: "forks", Says: "fork without end", Plane: resources, How: Fixture, As: AsUser},
		{Row: "N10", Name: "core", Says: "dump core onto the host", Plane: privileged, Act: "core_dump", Args: args("{ws}/dump"), Good: errnos(unix.EPERM)},
	}
}
