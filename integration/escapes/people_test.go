package escapes

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// mode is who starts sovrun, whose the workspace is, and so whom the program runs as.
type mode struct {
	name     string
	starter  person
	owner    person
	identity Identity
}

// person is a user of this machine.
type person struct {
	uid, gid int
	identity Identity
}

// credential is nil for whoever runs the tests.
func (p person) credential() *syscall.Credential {
	if p.uid == os.Geteuid() {
		return nil
	}
	return &syscall.Credential{Uid: uint32(p.uid), Gid: uint32(p.gid)}
}

// modes are all that this user can try: root tries as root, as root for another
// user, and as that user; anyone else as himself.
func modes(t *testing.T) []mode {
	if os.Geteuid() != 0 {
		me := person{os.Geteuid(), os.Getegid(), AsUser}
		return []mode{{"user", me, me, AsUser}}
	}
	root, user := person{0, 0, AsRoot}, stranger(t)
	return []mode{
		{"root", root, root, AsRoot},
		{"root-for-user", root, user, AsUser},
		{"user", user, user, AsUser},
	}
}

// stranger is a user id that nobody has: no account has to be made and removed,
// and no process of anyone else counts against its limits.
func stranger(t *testing.T) person {
	t.Helper()
	taken := map[int]bool{}
	for _, path := range []string{"/etc/passwd", "/etc/group", "/etc/subuid", "/etc/subgid"} {
		for _, id := range idsIn(t, path) {
			taken[id] = true
		}
	}
	for id := 59000; id > 1000; id-- {
		if !taken[id] {
			return person{id, id, AsUser}
		}
	}
	t.Fatal("no free user id")
	return person{}
}

// idsIn are the numbers of a file of lines like passwd(5).
func idsIn(t *testing.T, path string) []int {
	t.Helper()
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var ids []int
	for sc := bufio.NewScanner(f); sc.Scan(); {
		for _, field := range strings.Split(sc.Text(), ":") {
			var id int
			if n, _ := fmt.Sscanf(field, "%d", &id); n == 1 {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
