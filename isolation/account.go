package isolation

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/sovrun/sovrun/policy"
)

// account looks a uid up in /etc/passwd. Users that only a directory service
// knows have no line there; they get their number for a name.
func account(uid, gid int) policy.Account {
	number := strconv.Itoa(uid)
	a := policy.Account{UID: uid, GID: gid, Name: number}
	text, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return a
	}
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
			return a
		}
	}
	return a
}
