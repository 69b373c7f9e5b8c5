package isolation

import (
	"bytes"
	"os"
	"strconv"
	"strings"

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
			if own := id(f[3]); gid == groupOfAccount && own >= 0 {
				a.GID = own
			}
			return a
		}
	}
	return a
}
