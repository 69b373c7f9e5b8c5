package isolation

import (
	"os"
	"testing"

	"github.com/sovrun/sovrun/policy"
)

// nobodyKnows is a uid without a line in /etc/passwd.
const nobodyKnows = 1_999_999_999

func TestAccountTakesTheGroupOfTheAccount(t *testing.T) {
	for _, c := range []struct{ uid, gid, want int }{
		{0, groupOfAccount, 0},
		{0, 7, 7},
		{nobodyKnows, groupOfAccount, overflowID},
		{nobodyKnows, 7, 7},
	} {
		if got := account(c.uid, c.gid); got.GID != c.want || got.UID != c.uid {
			t.Errorf("account(%d, %d) is %d:%d, wanted group %d", c.uid, c.gid, got.UID, got.GID, c.want)
		}
	}
}

func TestSudoIDs(t *testing.T) {
	for _, c := range []struct {
		env      []string
		uid, gid int
	}{
		{nil, -1, groupOfAccount},
		{[]string{"SUDO_UID=1000", "SUDO_GID=100"}, 1000, 100},
		{[]string{"SUDO_UID=1000"}, 1000, groupOfAccount},
		{[]string{"SUDO_UID=-1", "SUDO_GID=x"}, -1, groupOfAccount},
		{[]string{"SUDO_UID=4294967295"}, -1, groupOfAccount},
	} {
		if uid, gid := sudoIDs(c.env); uid != c.uid || gid != c.gid {
			t.Errorf("%q: %d:%d, wanted %d:%d", c.env, uid, gid, c.uid, c.gid)
		}
	}
}

// TestWorkspaceLendsNoGroup: root runs a command in a directory of a user's whose
// group is another.
func TestWorkspaceLendsNoGroup(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to give a directory away; TestAccountTakesTheGroupOfTheAccount holds the choice")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, nobodyKnows, 0); err != nil {
		t.Fatal(err)
	}
	caller := CallerFacts([]string{"true"})
	caller.Env = nil // no SUDO_UID
	got := Detect(policy.Policy{Workspace: dir}, caller).Facts
	if got.Target.UID != nobodyKnows || got.Target.GID != overflowID || got.KeepsRoot {
		t.Errorf("the command would run as %d:%d, wanted %d:%d", got.Target.UID, got.Target.GID, nobodyKnows, overflowID)
	}
}

// TestRootsFileReachesTheNewUser: standard input is a file that root alone can open.
func TestRootsFileReachesTheNewUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can hand over; run the tests as root too")
	}
	private := t.TempDir() // 0700
	name := private + "/input"
	if err := os.WriteFile(name, []byte("for your eyes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	input, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	dir, err := os.MkdirTemp("/var/tmp", "sovrun-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chown(dir, nobodyKnows, 0); err != nil {
		t.Fatal(err)
	}
	withStdin(t, input)
	if code := startIn(t, dir, "/bin/sh", "-c", `test "$(cat)" = "for your eyes"`); code != 0 {
		t.Errorf("exit status %d", code)
	}
}
