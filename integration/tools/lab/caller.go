package lab

import (
	"os"
	"testing"
)

// Caller is who starts sovrun, and whose the workspace is.
type Caller struct {
	Name      string
	UID       int // and GID, of the process that starts sovrun
	Workspace int // UID and GID that own the workspace, which the command runs as
}

// strangerUID is an ordinary user for tests that root runs. No account has it, so nothing needs to be made or
// removed; the half of the test run that an ordinary user does covers accounts.
const strangerUID = 54321

// Callers are all that this process can play: root alone, root with a workspace of a user's, and a user; for an
// ordinary user just that.
func Callers() []Caller {
	if uid := os.Getuid(); uid != 0 {
		return []Caller{{"user", uid, uid}}
	}
	return []Caller{
		{"root", 0, 0},
		{"root in the workspace of a user", 0, strangerUID},
		{"user", strangerUID, strangerUID},
	}
}

// Each runs the test once a caller.
func Each(t *testing.T, test func(t *testing.T, b *Box)) {
	for _, c := range Callers() {
		t.Run(c.Name, func(t *testing.T) { test(t, New(t, c)) })
	}
}
