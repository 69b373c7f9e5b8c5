package isolation

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// groupOfAccount as a gid stands for the one that /etc/passwd gives the account.
const groupOfAccount = -1

// account looks a uid up in /etc/passwd. Users that only a directory service
// knows have no line there; they get their number for a name, and for the group of
// their account one that nothing belongs to.
func account(uid, gid int) policy.Account {
	number := strconv.Itoa(uid)
	a := policy.Account{UID: uid, GID: gid, Name: number}
	if gid == groupOfAccount {
		a.GID = overflowID
	}
	text := readSmall("/etc/passwd")
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte{'\n'})
		// Only a line that holds the number is worth taking apart.
		if !bytes.Contains(line, []byte(":"+number+":")) {
			continue
		}
		f := strings.Split(string(line), ":")
		if len(f) == 7 && f[2] == number {
			a.Name, a.Home, a.Shell = f[0], f[5], f[6]
			if own := id(f[3]); gid == groupOfAccount && own >= 0 {
				a.GID = own
			}
			return a
		}
	}
	return a
}

// readSmall reads a file of at most 1 MiB, nothing of one that cannot be read. Not by
// package os, which starts the runtime's poller for its first file.
func readSmall(path string) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	text := make([]byte, 0, 4096)
	for len(text) < 1<<20 {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := unix.Read(fd, text[len(text):cap(text)])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		text = text[:len(text)+n]
	}
	return text
}
