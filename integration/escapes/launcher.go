package escapes

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func launcher() []Technique {
	gone := errnos(unix.ENOENT)
	return []Technique{
		{Row: "I01", Name: "own", Says: "find the caller's variable in its own environment", Plane: environment, Act: "environment", Args: args("{variable}"), Proof: true, Good: gone},
		{Row: "I01", Name: "child", Says: "find it by env", Plane: environment, Act: "printenv", Args: args("{variable}", "/usr/bin/env"), Proof: true, Good: gone},
		{Row: "I09", Name: "status", Says: "end with an exit status that looks like sovrun's own", Plane: processes, How: Fixture},
		{Row: "I10", Name: "streams", Says: "be started without descriptors 0 to 2", Plane: descriptors, How: Fixture},
		{Row: "I14", Name: "swap", Says: "swap the program between check and start", Plane: filesystem, How: Fixture},
	}
}

func ipcObjects() []Technique {
	gone := errnos(unix.ENOENT)
	return []Technique{
		{Row: "I08", Name: "shm-key", Says: "attach shared memory of the host by its key", Plane: ipc, Act: "shm_key", Args: args("{key}"), Proof: true, Good: gone},
		{Row: "I08", Name: "shm-id", Says: "attach it by its number", Plane: ipc, Act: "shm_id", Args: args("{shm}"), Proof: true, Good: errnos(unix.EINVAL)},
		{Row: "I08", Name: "semaphore", Says: "find a semaphore of the host", Plane: ipc, Act: "sem_key", Args: args("{key}"), Good: gone},
		{Row: "I08", Name: "messages", Says: "find a message queue of the host", Plane: ipc, Act: "msg_key", Args: args("{key}"), Good: gone},
		{Row: "I08", Name: "posix", Says: "open a POSIX queue of the host", Plane: ipc, Act: "mq", Args: args("{queue}"), Good: gone},
		{Row: "I08", Name: "file", Says: "read a file in the host's /dev/shm", Plane: filesystem, Act: "read", Args: args("/dev/shm/{queue}"), Proof: true, Good: gone},
		{Row: "I08", Name: "own", Says: "make shared memory under the same key", Plane: ipc, Act: "own_ipc", Args: args("{key}"), Works: true},
	}
}

func terminals() []Technique {
	eperm, enotty := errnos(unix.EPERM), errnos(unix.ENOTTY)
	// The command succeeds for whoever has a controlling terminal; what it takes away
	// is the caller's own, unless that one leads the session.
	noEffect := errnos(NoEffect, unix.ENOTTY)
	const high = 1 << 32 // the kernel reads an unsigned int, a filter all 64 bits (CVE-2019-7303)
	out := []Technique{
		{Row: "I05", Name: "type", Says: "type into the caller's terminal", Plane: terminal, Act: "ioctl", Args: args(fmt.Sprint(unix.TIOCSTI), "x"), How: Terminal, Good: eperm, User: errnos(unix.EIO)},
		{Row: "I05", Name: "type-high-bit", Says: "the same with a high bit set", Plane: terminal, Act: "ioctl", Args: args(fmt.Sprint(unix.TIOCSTI|high), "x"), How: Terminal, Good: eperm, User: errnos(unix.EIO)},
		{Row: "I06", Name: "TIOCSETD", Says: "set the terminal's line discipline", Plane: terminal, Act: "discipline", How: Terminal, Good: eperm},
		{Row: "I06", Name: "TIOCSCTTY", Says: "steal the caller's terminal", Plane: terminal, Act: "steal", Args: args("1"), How: Terminal, Good: eperm},
		{Row: "I06", Name: "TIOCNOTTY", Says: "take the terminal from the caller's session", Plane: terminal, Act: "give_up", How: Terminal, Good: noEffect},
		{Row: "I06", Name: "own", Says: "control a terminal of its own and give it up", Plane: terminal, Act: "own_terminal", How: Terminal, Works: true},
	}
	for _, c := range []struct {
		name    string
		request int
	}{{"TIOCLINUX", 0x541c}, {"KDSKBENT", 0x4b47}, {"VT_ACTIVATE", 0x5606}} { // linux/tty.h, linux/kd.h, linux/vt.h
		out = append(out, Technique{Row: "I06", Name: c.name, Says: "reach " + c.name, Plane: terminal, Act: "ioctl",
			Args: args(fmt.Sprint(c.request), "\x06"), How: Terminal, Good: eperm, Root: enotty, User: enotty})
	}
	return out
}
