package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// escape is a row of the table: an act, what it aims at, and the errnos that count as refused.
type escape struct {
	what    string
	call    string
	act     string
	target  func(*place, *targets) string
	refused string
	// impossible says why the host refuses it to everybody, "" where it does not. Then another row takes its place.
	impossible func(uid int) string
}

// wanted is how many are shown. The rows after the tenth stand in for those that the host makes impossible.
const wanted = 10

func table() []escape {
	secretFile := func(_ *place, t *targets) string { return t.secret }
	pid := func(_ *place, t *targets) string { return t.pid() }
	workspace := func(p *place, _ *targets) string { return p.workspace }
	return []escape{
		{what: "read a private key that lies elsewhere", call: "openat", act: "read", target: secretFile, refused: "ENOENT EACCES"},
		{what: "plant a line in a shell's start-up file", call: "openat", act: "plant", target: func(_ *place, t *targets) string { return t.startup }, refused: "ENOENT EACCES EROFS"},
		{what: "read an API key from another process", call: "openat", act: "environ", target: pid, refused: "ENOENT EACCES"},
		{what: "take control of another process", call: "ptrace", act: "trace", target: pid, refused: "EPERM ESRCH", impossible: yama},
		{what: "connect to a service of this machine", call: "connect", act: "connect", target: func(_ *place, t *targets) string { return strconv.Itoa(t.port) }, refused: "ECONNREFUSED ENETUNREACH EPERM EACCES"},
		{what: "read another program's shared memory", call: "shmat", act: "attach", target: func(_ *place, t *targets) string { return strconv.Itoa(t.segment) }, refused: "EINVAL EIDRM EPERM ENOSYS"},
		{what: "use a directory left open by the caller", call: "openat", act: "descriptor", target: func(*place, *targets) string { return strconv.Itoa(inherited) }, refused: "EBADF"},
		{what: "type into the caller's terminal", call: "ioctl", act: "terminal", target: workspace, refused: "EPERM", impossible: noTIOCSTI},
		{what: "be root in a user namespace, and mount", call: "clone", act: "namespace", target: workspace, refused: "EPERM ENOSPC"},
		{what: "make an io_uring, which filters cannot see", call: "io_uring_setup", act: "ring", target: workspace, refused: "ENOSYS EPERM", impossible: noRing},

		{what: "signal another process", call: "kill", act: "signal", target: pid, refused: "ESRCH EPERM"},
		{what: "connect to an abstract unix socket", call: "connect", act: "abstract", target: func(_ *place, t *targets) string { return t.abstract }, refused: "ECONNREFUSED EPERM"},
		{what: "watch what others do in a directory", call: "inotify_add_watch", act: "watch", target: func(p *place, _ *targets) string { return p.outside }, refused: "ENOENT EACCES"},
	}
}

// chosen are the rows that this host allows unconfined, and why the others are left out.
func chosen(all []escape, uid int) (rows []escape, left []string, err error) {
	for _, e := range all {
		why := ""
		if e.impossible != nil {
			why = e.impossible(uid)
		}
		switch {
		case why != "":
			left = append(left, e.what+": "+why)
		case len(rows) < wanted:
			rows = append(rows, e)
		}
	}
	if len(rows) < wanted {
		return nil, nil, errors.New("this host refuses too many of the escapes to everybody: " + strings.Join(left, "; "))
	}
	return rows, left, nil
}

// yama: 2 asks for CAP_SYS_PTRACE, 3 forbids (Documentation/admin-guide/LSM/Yama.rst). The target lifts 1 itself.
func yama(uid int) string { return setTo("/proc/sys/kernel/yama/ptrace_scope", "01", "2", uid) }

// noTIOCSTI: since Linux 6.2 the call can be kept to CAP_SYS_ADMIN.
func noTIOCSTI(uid int) string { return setTo("/proc/sys/dev/tty/legacy_tiocsti", "1", "0", uid) }

// noRing: since Linux 6.6; 1 asks for CAP_SYS_ADMIN or a group, 2 forbids.
func noRing(uid int) string { return setTo("/proc/sys/kernel/io_uring_disabled", "0", "1", uid) }

// setTo is "" where the kernel does not have the setting, where it is one that lets everybody, and where it is one
// that lets root and root asks.
func setTo(path, everybody, root string, uid int) string {
	text, err := os.ReadFile(path)
	value := strings.TrimSpace(string(text))
	if err != nil || strings.Contains(everybody, value) || uid == 0 && strings.Contains(root, value) {
		return ""
	}
	return path + " is " + value
}
