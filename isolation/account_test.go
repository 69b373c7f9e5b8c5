package isolation

import (
	"os"
	"os/user"
	"strconv"
	"strings"
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

// TestAccountAgreesWithTheFile: every account of this machine, as the standard
// library reads it, and a number that none has.
func TestAccountAgreesWithTheFile(t *testing.T) {
	text, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(f) != 7 {
			continue
		}
		want, err := user.LookupId(f[2])
		if err != nil {
			t.Fatal(err)
		}
		uid, err := strconv.Atoi(f[2])
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if got := account(uid, 5); got.Name != want.Username || got.Home != want.HomeDir || got.UID != uid || got.GID != 5 {
			t.Errorf("uid %d: %+v, wanted %+v", uid, got, want)
		}
		if got := account(uid, groupOfAccount); strconv.Itoa(got.GID) != want.Gid {
			t.Errorf("uid %d: group %d, wanted %s", uid, got.GID, want.Gid)
		}
	}
	if seen == 0 {
		t.Error("/etc/passwd holds no account")
	}
	if got := account(nobodyKnows, 7); got.Name != strconv.Itoa(nobodyKnows) || got.Home != "" || got.Shell != "" {
		t.Errorf("a number that no account has: %+v", got)
	}
}
