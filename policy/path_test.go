package policy

import (
	"slices"
	"strings"
	"testing"
)

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		dir, path string
		want      bool
	}{
		{"/tmp/t/app", "/tmp/t/app", true},
		{"/tmp/t/app", "/tmp/t/app/x", true},
		{"/tmp/t/app", "/tmp/t/app-tools/x", false},
		{"/tmp/t/app", "/tmp/t/ap", false},
		{"/tmp/t/app", "/tmp/t", false},
		{"/", "/", true},
		{"/", "/etc", true},
		{"/etc", "/", false},
	} {
		if got := Within(c.dir, c.path); got != c.want {
			t.Errorf("Within(%q, %q) = %v, want %v", c.dir, c.path, got, c.want)
		}
	}
}

func TestPathCompareKeepsSubtreesTogether(t *testing.T) {
	want := []string{"/", "/a", "/a/b", "/a/b/c", "/a/c", "/a b", "/a!", "/a-b", "/a.b", "/ab", "/b"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, pathCompare)
	if !slices.Equal(got, want) {
		t.Errorf("sorted: %q, want %q", got, want)
	}
}

func TestAbsolute(t *testing.T) {
	for _, c := range []struct{ path, base, home, want string }{
		{"/usr//bin/.", "/w", "/h", "/usr/bin"},
		{".", "/w", "/h", "/w"},
		{"./a/", "/w", "/h", "/w/a"},
		{"../a", "/w", "/h", "/w/../a"}, // only the kernel may resolve ".."
		{"~", "/w", "/h", "/h"},
		{"~/a", "/w", "/h", "/h/a"},
		{"~a", "/w", "/h", "/w/~a"},
		{"a", "", "/h", ""},
		{"~/a", "/w", "", ""},
		{"/", "/w", "/h", "/"},
		{"//", "/w", "/h", "/"},
	} {
		if got := absolute(c.path, c.base, c.home); got != c.want {
			t.Errorf("absolute(%q, %q, %q) = %q, want %q", c.path, c.base, c.home, got, c.want)
		}
	}
}

// components is the plain meaning of a path, to compare the quick functions
// with.
func components(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" })
}

func FuzzPaths(f *testing.F) {
	for _, s := range [][2]string{{"/", "/a"}, {"/a", "/a/b"}, {"/a", "/ab"}, {"/a/../b", "/a/./b/"}, {"//", "/a//b"}, {"/a\x00", "/a/\xff"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = tidy("/"+a), tidy("/"+b)
		if !isTidy(a) || tidy(a) != a {
			t.Fatalf("tidy is not idempotent: %q", a)
		}
		ca, cb := components(a), components(b)
		if slices.Contains(ca, ".") {
			t.Fatalf("%q holds a \".\"", a)
		}
		if want := len(ca) <= len(cb) && slices.Equal(ca, cb[:len(ca)]); Within(a, b) != want {
			t.Fatalf("Within(%q, %q) = %v", a, b, !want)
		}
		if x, y := pathCompare(a, b), pathCompare(b, a); x > 0 != (y < 0) || (x == 0) != (a == b) {
			t.Fatalf("pathCompare(%q, %q) = %d, the other way %d", a, b, x, y)
		}
		if Within(a, b) && pathCompare(a, b) > 0 {
			t.Fatalf("%q sorts after what lies beneath it, %q", a, b)
		}
		if a != "/" && join(parentOf(a), ca[len(ca)-1]) != a {
			t.Fatalf("parent of %q: %q", a, parentOf(a))
		}
	})
}
