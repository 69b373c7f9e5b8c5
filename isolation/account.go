package isolation

import (
	"os"
	"strconv"
	"strings"

	"github.com/sovrun/sovrun/policy"
)

// account looks a uid up in /etc/passwd. Users that only a directory service
// knows have no line there; they get their number for a name.
func account(uid, gid int) policy.Account {
	a := policy.Account{UID: uid, GID: gid, Name: strconv.Itoa(uid)}
	b, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return a
	}
	want := strconv.Itoa(uid)
	for text := string(b); text != ""; {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		f := strings.Split(line, ":")
		if len(f) == 7 && f[2] == want {
			a.Name, a.Home, a.Shell = f[0], f[5], f[6]
			return a
		}
	}
	return a
}
