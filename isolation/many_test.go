package isolation

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/sovrun/sovrun/policy"
)

// TestManyRules: as many hidden paths as acts can try, and grants up to the room
// that there is; beyond it the launch is refused with a reason.
func TestManyRules(t *testing.T) {
	dir, err := os.MkdirTemp("/var/tmp", "sovrun-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var names []string
	for i := range 320 {
		names = append(names, fmt.Sprintf("%s/file%d", dir, i))
		if err := os.WriteFile(names[i], []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		access policy.Access
		rules  int
		script string // "": refused
	}{
		{"hidden", policy.Hide, 320, "cat file0 file160 file319 2>/dev/null; test $? = 1"},
		{"granted", policy.Read, 140, "cat file0 file139 >/dev/null && ! rm -f file0 file139 2>/dev/null"},
		{"more than there is room for", policy.Read, 320, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pol := policy.Policy{Workspace: dir}
			for _, name := range names[:c.rules] {
				pol.Files = append(pol.Files, policy.Rule{Path: name, Access: c.access})
			}
			code, err := startWith(t, pol, "/bin/sh", "-c", c.script)
			var refused *SetupError
			switch {
			case c.script == "" && (!errors.As(err, &refused) || refused.Meaning == "" || refused.Remedy == ""):
				t.Errorf("%v, wanted a refusal with a reason", err)
			case c.script != "" && (err != nil || code != 0):
				t.Errorf("exit status %d, %v", code, err)
			}
		})
	}
}
