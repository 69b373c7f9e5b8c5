package isolation

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// meddling is something that happens between the plan and its use.
var meddling = []struct {
	name   string
	rules  func(s *scene, t *testing.T) []policy.Rule
	meddle func(s *scene, p *policy.Plan) error
	stage  string
	object func(s *scene) string
	errno  unix.Errno
}{
	{"a source is removed",
		func(s *scene, t *testing.T) []policy.Rule {
			return []policy.Rule{rule(policy.Read, s.mkdir(t, "tree", s.owner))}
		},
		func(s *scene, _ *policy.Plan) error { return os.Remove(s.dir + "/tree") },
		"sources", func(s *scene) string { return s.dir + "/tree" }, unix.ENOENT},
	{"a source is exchanged for another directory",
		func(s *scene, t *testing.T) []policy.Rule {
			return []policy.Rule{rule(policy.Read, s.mkdir(t, "tree", s.owner))}
		},
		func(s *scene, _ *policy.Plan) error {
			return errors.Join(os.Mkdir(s.dir+"/other", 0o755), unix.Renameat2(unix.AT_FDCWD, s.dir+"/other", unix.AT_FDCWD, s.dir+"/tree", unix.RENAME_EXCHANGE))
		},
		"sources", func(s *scene) string { return s.dir + "/tree" }, unix.ESTALE},
	{"a source is exchanged for a link to another place",
		func(s *scene, t *testing.T) []policy.Rule {
			return []policy.Rule{rule(policy.Write, s.mkdir(t, "tree", s.owner))}
		},
		func(s *scene, _ *policy.Plan) error {
			// Removed, its inode number could be that of the link.
			return errors.Join(os.Rename(s.dir+"/tree", s.dir+"/moved"), os.Symlink("/etc", s.dir+"/tree"))
		},
		"sources", func(s *scene) string { return s.dir + "/tree" }, unix.ESTALE},
	{"a directory above a source becomes a link",
		func(s *scene, t *testing.T) []policy.Rule {
			s.mkdir(t, "tree", s.owner)
			return []policy.Rule{rule(policy.Write, s.mkdir(t, "tree/sub", s.owner))}
		},
		func(s *scene, _ *policy.Plan) error {
			return errors.Join(os.Rename(s.dir+"/tree", s.dir+"/moved"), os.MkdirAll(s.dir+"/other/sub", 0o755), os.Symlink("other", s.dir+"/tree"))
		},
		"sources", func(s *scene) string { return s.dir + "/tree/sub" }, unix.ESTALE},
	{"what a mask lies on is removed",
		func(s *scene, t *testing.T) []policy.Rule {
			return []policy.Rule{rule(policy.Hide, s.write(t, "workspace/secret", "x", 0o644))}
		},
		func(s *scene, _ *policy.Plan) error { return os.Remove(s.workspace + "/secret") },
		"mounts", func(s *scene) string { return s.workspace + "/secret" }, unix.ENOENT},
	{"a directory above a mask becomes a link out of the workspace",
		func(s *scene, t *testing.T) []policy.Rule {
			s.mkdir(t, "workspace/sub", s.owner)
			return []policy.Rule{rule(policy.Hide, s.write(t, "workspace/sub/passwd", "x", 0o644))}
		},
		func(s *scene, _ *policy.Plan) error {
			return errors.Join(os.Rename(s.workspace+"/sub", s.workspace+"/moved"), os.Symlink("/etc", s.workspace+"/sub"))
		},
		"mounts", func(s *scene) string { return s.workspace + "/sub/passwd" }, unix.ELOOP},
	{"the working directory is gone",
		func(*scene, *testing.T) []policy.Rule { return nil },
		func(s *scene, p *policy.Plan) error { p.Command.Cwd = s.workspace + "/gone"; return nil },
		"working directory", func(s *scene) string { return s.workspace + "/gone" }, unix.ENOENT},
	{"the command is gone",
		func(*scene, *testing.T) []policy.Rule { return nil },
		func(_ *scene, p *policy.Plan) error { p.Command.Path = "/usr/bin/nonexistent"; return nil },
		"exec", func(*scene) string { return "/usr/bin/nonexistent" }, unix.ENOENT},
}

// TestMeddling: what changes between the check and the use is a failure with
// stage, object and errno, and nothing has run.
func TestMeddling(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		for _, row := range meddling {
			t.Run(row.name, func(t *testing.T) {
				s := newScene(t, s.player)
				marker := filepath.Join(s.workspace, "ran")
				l, err := begin(s.policy(row.rules(s, t)...), func(p *policy.Plan) {
					p.Landlock = nil // its rules are opened by the launcher, see TestRulesetIsStrict
					check(t, row.meddle(s, p))
				}, "/bin/sh", "-c", "echo x >"+marker)
				check(t, err)
				e := l.follow()
				l.Close()
				if e.failed == nil || e.failed.Stage != row.stage || e.failed.Object != row.object(s) || e.failed.Errno != row.errno {
					t.Fatalf("failure %v, error %v, exit status %d; wanted %s, %q, %v", e.failed, e.err, e.code, row.stage, row.object(s), row.errno)
				}
				if e.failed.Remedy == "" || row.stage != "exec" && e.failed.Meaning == "" {
					t.Errorf("%v: remedy %q", e.failed, e.failed.Remedy)
				}
				if _, err := os.Stat(marker); err == nil {
					t.Error("the command has run")
				}
			})
		}
	})
}

// TestDeletedDirectory: from a directory that is gone nothing is launched into
// another one without a word.
func TestDeletedDirectory(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		gone := s.mkdir(t, "gone", s.owner)
		t.Chdir(gone)
		check(t, os.Remove(gone))
		t.Setenv("PWD", gone)
		pol := policy.Policy{Workspace: "."}
		e := launch(pol, "/bin/true")
		var why *policy.RefusedError
		if !errors.As(e.err, &why) || why.Category != policy.InvalidWorkspace || why.Hint == "" {
			t.Errorf("%+v, wanted a refusal of the workspace", e)
		}
		plan, err := policy.Resolve(policy.Policy{}, Detect(policy.Policy{}, CallerFacts([]string{"true"})).Facts)
		if err != nil || plan.Command.Cwd != "/tmp" || !strings.Contains(strings.Join(plan.Notes, "\n"), "is gone") {
			t.Errorf("%v; it would start in %q with the notes %q", err, plan.Command.Cwd, plan.Notes)
		}
	})
}

// TestInsideAnotherLandlockDomain: with file rights it refuses every mount, and the
// message says so; at the largest number of layers there cannot be one more.
func TestInsideAnotherLandlockDomain(t *testing.T) {
	for _, row := range []struct {
		name   string
		attr   unix.LandlockRulesetAttr
		layers int
		want   string
		errno  unix.Errno
	}{
		{"file rights", unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_SOCK}, 1, "inside another Landlock domain", unix.EPERM},
		{"layers", unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_SIGNAL}, 16, "largest number of Landlock layers", unix.E2BIG},
	} {
		t.Run(row.name, func(t *testing.T) {
			each(t, func(t *testing.T, s *scene) {
				check(t, unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
				for range row.layers {
					fd := landlockCall(t, unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(ptr(&row.attr)), 24, 0)
					landlockCall(t, unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(fd), 0, 0)
				}
				e := launch(s.policy(), "/bin/true")
				if e.failed == nil || e.failed.Errno != row.errno || !strings.Contains(e.failed.Error(), row.want) {
					t.Errorf("failure %v, error %v, exit status %d", e.failed, e.err, e.code)
				}
			})
		})
	}
}
