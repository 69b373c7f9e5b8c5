package isolation

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// entryOf is one line of a tree: a directory ends in a slash, a link has a target.
type entryOf struct {
	name string
	mode uint32
	link string
}

func makeTree(t *testing.T, top string, entries []entryOf) {
	t.Helper()
	for _, e := range entries {
		path := top + "/" + strings.TrimSuffix(e.name, "/")
		switch {
		case e.link != "":
			check(t, os.Symlink(e.link, path))
			continue
		case strings.HasSuffix(e.name, "/"):
			check(t, os.Mkdir(path, 0o755))
		default:
			check(t, os.WriteFile(path, nil, 0o600))
		}
	}
	for _, e := range entries {
		path := top + "/" + e.name
		if e.link != "" {
			continue
		}
		check(t, unix.Chmod(path, e.mode))
		t.Cleanup(func() { _ = unix.Chmod(path, 0o755) })
	}
}

// TestUnreadable: what is found are the outermost places that others may not read.
func TestUnreadable(t *testing.T) {
	top := t.TempDir()
	makeTree(t, top, []entryOf{
		{"open", 0o644, ""},
		{"for-others-only", 0o604, ""},
		{"closed", 0o640, ""},
		{"program", 0o711, ""},
		{"dir/", 0o755, ""},
		{"dir/secret", 0o600, ""},
		{"dir/deep/", 0o755, ""},
		{"dir/deep/secret", 0, ""},
		{"dir/deep/open", 0o444, ""},
		{"private/", 0o750, ""},
		{"private/open", 0o644, ""},
		{"unsearchable/", 0o744, ""},
		{"unlistable/", 0o711, ""},
		{"link", 0, "closed"},
		{"link-to-dir", 0, "private"},
	})
	want := []string{"closed", "dir/deep/secret", "dir/secret", "private/", "program", "unlistable/", "unsearchable/"}
	got := unreadable(top, wholeTree)
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], top+"/")
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
}

// TestUnreadableIsBounded: a directory with more entries than may be searched is
// hidden as a whole, one with as many is searched to its end.
func TestUnreadableIsBounded(t *testing.T) {
	top := t.TempDir()
	makeTree(t, top, []entryOf{{"a/", 0o755, ""}, {"a/1", 0o644, ""}, {"a/2", 0o600, ""}, {"b", 0o644, ""}, {"link", 0, "b"}})
	for limit, want := range map[int][]string{
		3: {top + "/"},
		4: {top + "/a/2"}, // links do not count
	} {
		if got := unreadable(top, limit); !slices.Equal(got, want) {
			t.Errorf("with at most %d entries: %q, wanted %q", limit, got, want)
		}
	}
}

// TestUnreadableGuessesNothing: what cannot be searched is hidden, what is not
// there is not.
func TestUnreadableGuessesNothing(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(dir+"/file", nil, 0o644))
	if got := unreadable(dir+"/file", 9); !slices.Equal(got, []string{dir + "/file/"}) {
		t.Errorf("a directory that is none: %q", got)
	}
	if got := unreadable(dir+"/absent", 9); len(got) > 0 {
		t.Errorf("a directory that is not there: %q", got)
	}
	if closed(dir + "/absent") {
		t.Error("a file that is not there counts as closed")
	}
	if !closed(dir + "/file/x") {
		t.Error("a file that cannot be looked at does not count as closed")
	}
}
