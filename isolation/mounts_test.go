package isolation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// mountTmpfs mounts one that belongs to whom the command runs as.
func (s *scene) mountTmpfs(t *testing.T, path string) {
	t.Helper()
	check(t, os.MkdirAll(path, 0o755))
	check(t, unix.Mount("test", path, "tmpfs", 0, "mode=777"))
	check(t, os.WriteFile(path+"/marker", []byte("here\n"), 0o666))
	check(t, os.Chmod(path+"/marker", 0o666))
}

// TestSubmountsAreReadOnly: what is granted for reading is so with everything that is
// mounted in it, however deep (google/nsjail issue 125); what is granted for
// writing stays writable there.
func TestSubmountsAreReadOnly(t *testing.T) {
	eachMounting(t, func(t *testing.T, s *scene) {
		tree := s.mkdir(t, "tree", s.owner)
		for _, dir := range []string{tree + "/sub", tree + "/sub/deeper", s.workspace + "/sub"} {
			s.mountTmpfs(t, dir)
			check(t, os.WriteFile(dir+"/control", nil, 0o600)) // outside it works
		}
		for _, a := range []policy.Access{policy.Read, policy.Exec} {
			s.shell(t, s.policy(rule(a, tree)), `
				for d in sub sub/deeper; do
					grep -q here `+tree+`/$d/marker || exit 1
					echo x >`+tree+`/$d/new && exit 2
					echo x >>`+tree+`/$d/marker && exit 3
					mkdir `+tree+`/$d/dir && exit 4
					chmod 700 `+tree+`/$d/marker && exit 5
				done
				grep -q here sub/marker && echo x >sub/new || exit 6
				exit 0`).right(t)
		}
	})
}

// mountTable are the mounts that this thread sees, without what tells nothing: a
// set, since mountinfo has no order that could be relied on.
func mountTable(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("/proc/thread-self/mountinfo")
	check(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Sort(lines)
	return lines
}

// TestMountsStayInside: even where all mounts of the host are shared, none of the
// sandbox's shows there, not while it runs and not after, and none that is made there
// shows in the sandbox (propagation, mount_namespaces(7)).
func TestMountsStayInside(t *testing.T) {
	eachMounting(t, func(t *testing.T, s *scene) {
		check(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""))
		shared := filepath.Join(s.dir, "shared") // of which mounts in it would propagate
		s.mountTmpfs(t, shared)
		check(t, os.Mkdir(shared+"/late", 0o755))
		before := mountTable(t)
		if !strings.Contains(strings.Join(before, "\n"), " shared:") {
			t.Fatal("no mount is shared: that shows nothing")
		}
		for range 10 {
			l, err := begin(s.policy(rule(policy.Read, shared)), nil, "/bin/sh", "-c",
				"echo >ready; until test -e go; do :; done; test -d "+shared+"/late && ! test -e "+shared+"/late/marker")
			check(t, err)
			await(t, "the command runs", func() bool { _, err := os.Stat(s.workspace + "/ready"); return err == nil })
			if now := mountTable(t); !slices.Equal(now, before) {
				t.Errorf("while it runs there are other mounts:\n%s\nbefore:\n%s", strings.Join(now, "\n"), strings.Join(before, "\n"))
			}
			s.mountTmpfs(t, shared+"/late")
			check(t, os.WriteFile(s.workspace+"/go", nil, 0o644))
			l.follow().right(t)
			check(t, unix.Unmount(shared+"/late", 0))
			l.Close()
			check(t, os.Remove(s.workspace+"/ready"))
			check(t, os.Remove(s.workspace+"/go"))
		}
		if now := mountTable(t); !slices.Equal(now, before) {
			t.Errorf("afterwards there are other mounts:\n%s", strings.Join(now, "\n"))
		}
	})
}

// TestWorkspaceOnOverlay: it is writable as such, and not by what it is made of.
func TestWorkspaceOnOverlay(t *testing.T) {
	eachMounting(t, func(t *testing.T, s *scene) {
		lower := s.mkdir(t, "lower", s.owner)
		s.write(t, "lower/old", "old\n", 0o644)
		layers := filepath.Join(s.dir, "layers")
		s.mountTmpfs(t, layers)
		for _, d := range []string{"upper", "ground"} {
			check(t, os.Mkdir(layers+"/"+d, 0o755))
			check(t, os.Chown(layers+"/"+d, s.owner, s.owner))
		}
		check(t, unix.Mount("overlay", s.workspace, "overlay", 0, "lowerdir="+lower+",upperdir="+layers+"/upper,workdir="+layers+"/ground,userxattr"))
		t.Chdir(s.workspace)
		s.shell(t, s.policy(), `
			grep -q old old && echo new >new && echo more >>old && mkdir dir && mv new dir || exit 1
			test -e `+lower+` && exit 2
			test -e `+layers+` && exit 3
			exit 0`).right(t)
		if text, err := os.ReadFile(lower + "/old"); err != nil || string(text) != "old\n" {
			t.Errorf("the lower layer holds %q, %v", text, err)
		}
		if _, err := os.Stat(layers + "/upper/dir/new"); err != nil {
			t.Errorf("the upper layer: %v", err)
		}
	})
}

// shiftedTreeScript looks at a tree of root's with uid 0 and without capabilities.
const shiftedTreeScript = `
	test "$(id -u)" = 0 || exit 10
	cat $T/open || exit 11
	$T/program || exit 12
	cat $T/private/open && exit 1
	cat $T/closed && exit 2
	ls $T/private && exit 3
	echo x >>$T/open && exit 4
	echo x >$T/new && exit 5
	chmod 777 $T/closed && exit 6
	chown 0 $T/open && exit 7
	rm -f $T/open && exit 8
	exit 0`

func (s *scene) rootsTree(t *testing.T, tree string) {
	t.Helper()
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"open", "open\n", 0o644}, {"closed", "closed\n", 0o600}, {"program", "#!/bin/sh\nexit 0\n", 0o755}, {"private/open", "x\n", 0o644},
	} {
		path := filepath.Join(tree, f.name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check(t, os.WriteFile(path, []byte(f.text), f.mode))
	}
	check(t, os.Chmod(tree+"/private", 0o700))
}

// shift makes the mount of a tree one of those on which root's files are another's.
func shift(tree string) func(*policy.Plan) {
	return func(p *policy.Plan) {
		for i := range p.Mounts {
			if p.Mounts[i].Target == tree {
				p.Mounts[i].Shift = true
			}
		}
	}
}

// TestShift: through an id-mapped tree uid 0 without capabilities opens no more than
// everybody may; where a file system cannot be id-mapped, what else there is is
// hidden. The same tree as it is is the control.
func TestShift(t *testing.T) {
	if os.Getuid() != 0 && os.Getenv(aloneEnv) == "" {
		t.Skip("an ordinary user's sandbox holds nothing of root's that would have to be shifted; the same test as root")
	}
	eachMounting(t, func(t *testing.T, s *scene) {
		if s.owner != 0 {
			return // only who keeps uid 0 owns root's files
		}
		tree := s.mkdir(t, "tree", 0)
		s.rootsTree(t, tree)
		layers := filepath.Join(s.dir, "layers")
		s.mountTmpfs(t, layers)
		overlay := s.mkdir(t, "overlay", 0)
		for _, d := range []string{"upper", "ground"} {
			check(t, os.Mkdir(layers+"/"+d, 0o755))
		}
		check(t, unix.Mount("overlay", overlay, "overlay", 0, "lowerdir="+tree+",upperdir="+layers+"/upper,workdir="+layers+"/ground"))
		for _, row := range []struct {
			name, tree string
			shift      bool
			want       int
		}{
			{"control", tree, false, 1},
			{"id-mapped", tree, true, 0},
			{"cannot be id-mapped", overlay, true, 0},
			{"control of that", overlay, false, 1},
		} {
			meddle := func(*policy.Plan) {}
			if row.shift {
				meddle = shift(row.tree)
			}
			l, err := begin(s.policy(rule(policy.Exec, row.tree)), meddle, "/bin/sh", "-c", "exec >/dev/null 2>&1\nT="+row.tree+shiftedTreeScript)
			check(t, err)
			if e := l.follow(); e.err != nil || e.failed != nil || e.code != row.want {
				t.Errorf("%s: error %v, failure %v, exit status %d, wanted %d", row.name, e.err, e.failed, e.code, row.want)
			}
			l.Close()
		}
		// What root itself names there is shown.
		pol := s.policy(rule(policy.Exec, overlay), rule(policy.Read, overlay+"/private"))
		l, err := begin(pol, shift(overlay), "/bin/sh", "-c", "cat "+overlay+"/private/open && ! cat "+overlay+"/closed")
		check(t, err)
		if e := l.follow(); e.err != nil || e.failed != nil || e.code != 0 {
			t.Errorf("a grant in a tree that cannot be id-mapped: error %v, failure %v, exit status %d", e.err, e.failed, e.code)
		}
		l.Close()
	})
}
