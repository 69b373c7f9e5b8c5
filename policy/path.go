package policy

import "strings"

// Within reports whether path is dir itself or lies beneath it. Both are
// absolute and clean. It compares components, never string prefixes: a grant
// of /srv/app says nothing of /srv/app-tools.
func Within(dir, path string) bool {
	if dir == "/" {
		return true
	}
	if !strings.HasPrefix(path, dir) {
		return false
	}
	return len(path) == len(dir) || path[len(dir)] == '/'
}

// pathCompare orders paths so that what lies beneath a directory follows it at
// once, before any sibling: the separator sorts below every other byte.
func pathCompare(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] == b[i] {
			continue
		}
		if a[i] == '/' || b[i] != '/' && a[i] < b[i] {
			return -1
		}
		return 1
	}
	return len(a) - len(b)
}

// parentOf is the directory that holds path, "/" for "/" itself.
func parentOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}

// join puts name beneath dir.
func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// tidy removes empty and "." components of an absolute path and keeps "..":
// behind a symbolic link ".." leads elsewhere than the spelling suggests, so
// only the kernel may resolve it.
func tidy(path string) string {
	if isTidy(path) {
		return path
	}
	out := make([]byte, 0, len(path))
	for c := range strings.SplitSeq(path, "/") {
		if c != "" && c != "." {
			out = append(append(out, '/'), c...)
		}
	}
	if len(out) == 0 {
		return "/"
	}
	return string(out)
}

func isTidy(path string) bool {
	if path == "/" {
		return true
	}
	return path != "" && path[0] == '/' && path[len(path)-1] != '/' &&
		!strings.Contains(path, "//") && !strings.Contains(path, "/./") && !strings.HasSuffix(path, "/.")
}

// hasDotDot reports whether a component of path is "..".
func hasDotDot(path string) bool {
	return strings.Contains(path, "/../") || strings.HasSuffix(path, "/..")
}

// absolute expands "~" and makes a relative name absolute beneath base. An
// empty result means that what it is relative to is not known.
func absolute(path, base, home string) string {
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		base, path = home, path[1:]
	case strings.HasPrefix(path, "/"):
		return tidy(path)
	}
	if base == "" {
		return ""
	}
	return tidy(base + "/" + path)
}
