package policy

import (
	"slices"
	"strings"
)

// nodeKind is what a node of the final view is.
type nodeKind uint8

const (
	nodeGrant nodeKind = iota // a host path
	nodeHide                  // a path that is taken away
	nodeTmpfs
	nodeProc
	nodeDev
)

// node is one rule on its real path: a candidate for a mount of the view. There
// are some forty at every launch, so it is kept small.
type node struct {
	path         string // what exists lies here, after all links
	origin       *Origin
	inode        uint64
	major, minor uint32
	mode         uint32 // st_mode of the host's path, or the permissions of a tmpfs root
	rank         int32  // later rules have a higher one, built-in ones the lowest
	kind         nodeKind
	access       Access
	builtin      bool
	there        bool // exists on the host
}

// nodeOf is a grant of an existing path.
func nodeOf(fact *PathFact, a Access, o *Origin) node {
	return node{path: fact.Real, origin: o, inode: fact.Inode, major: fact.Major, minor: fact.Minor, mode: fact.Mode, access: a, there: true}
}

func (n *node) isDir() bool { return n.mode&modeType == modeDir }

// view collects what the provider will see. Links, directories and mounts are
// derived from the nodes in one sorted pass.
type view struct {
	facts  *Facts
	nodes  []node  // as written
	order  []*node // sorted, one per path
	links  []Link  // met on the way to a granted path, in order
	notes  []string
	absent []*Rule // hidden paths that do not exist

	looked      bool // for the secret places
	secretFacts []PathFact

	kept   []*node // nodes that became mounts, sorted
	mounts []Mount
	dirs   []Dir
	plinks []Link
	files  []File
}

func (v *view) note(parts ...string) { v.notes = append(v.notes, strings.Join(parts, "")) }

func (v *view) add(n node) {
	n.rank = int32(len(v.nodes))
	v.nodes = append(v.nodes, n)
}

// settle sorts the nodes and keeps one per path: the one written last, and a
// user's before a built-in one.
func (v *view) settle() {
	v.order = make([]*node, len(v.nodes))
	for i := range v.nodes {
		v.order[i] = &v.nodes[i]
	}
	slices.SortFunc(v.order, func(a, b *node) int {
		if c := pathCompare(a.path, b.path); c != 0 {
			return c
		}
		if a.builtin != b.builtin {
			if a.builtin {
				return -1
			}
			return 1
		}
		return int(a.rank - b.rank)
	})
	out := v.order[:0]
	for _, n := range v.order {
		if l := len(out); l > 0 && out[l-1].path == n.path {
			v.overruled(out[l-1], n)
			out[l-1] = n
			continue
		}
		out = append(out, n)
	}
	v.order = out
}

// overruled tells of two rules of the user's that contradict each other.
func (v *view) overruled(old, n *node) {
	if !old.builtin && !n.builtin && old.access != n.access {
		v.note(printable(n.path), ": ", n.access.String(), " (", n.origin.String(), ") overrules ", old.access.String(), " (", old.origin.String(), ")")
	}
}

// build turns nodes into mounts. open holds the kept nodes above the current
// one, innermost last.
func (v *view) build() {
	v.mounts = make([]Mount, 0, len(v.order))
	v.kept = make([]*node, 0, len(v.order))
	open := make([]*node, 0, 8)
	hidden := "" // the outermost path above that a user's rule hides
	for i, n := range v.order {
		for len(open) > 0 && !Within(open[len(open)-1].path, n.path) {
			open = open[:len(open)-1]
		}
		if hidden != "" && !Within(hidden, n.path) {
			hidden = ""
		}
		if hidden == "" && n.kind == nodeHide && !n.builtin {
			hidden = n.path
		}
		if hidden != "" && n.kind == nodeGrant && n.builtin {
			continue // what a user hides, the built-in profile does not show again
		}
		if !v.mount(n, open, v.order[i+1:]) {
			continue
		}
		v.parents(n.path, open)
		v.kept = append(v.kept, n)
		open = append(open, n)
	}
}

// mount adds the mount that a node needs, below the kept nodes open and before
// the nodes that follow; false where it needs none.
func (v *view) mount(n *node, open, rest []*node) bool {
	m := Mount{Target: n.path, Access: n.access, Origin: *n.origin, Dir: true, Within: inBind(open)}
	m.MakePoint = len(open) == 0 || open[len(open)-1].kind != nodeGrant
	switch n.kind {
	case nodeHide:
		// What is not in view needs no mask.
		if len(open) == 0 || open[len(open)-1].kind != nodeGrant {
			return false
		}
		m.mask(n, rest)
	case nodeGrant:
		if v.redundant(n, open) {
			return false
		}
		m.bind(n)
		m.Shift = v.facts.KeepsRoot && n.builtin && m.Dir && (n.access == Exec || Within(etcPath, n.path))
	case nodeTmpfs:
		if m.Within && !n.there {
			v.note(n.path, " does not exist and cannot be made in a granted tree")
			return false
		}
		m.Kind, m.Size, m.Inodes, m.Mode = MountTmpfs, TmpfsSize, TmpfsInodes, n.mode
	case nodeProc:
		m.Kind, m.Masks = MountProc, v.facts.ProcMasks
	case nodeDev:
		m.Kind, m.Size, m.Inodes, m.Mode = MountDev, ShmSize, ShmInodes, 0o755
	}
	v.mounts = append(v.mounts, m)
	return true
}

func (m *Mount) bind(n *node) {
	m.Kind, m.Source, m.Dir, m.Optional = MountBind, n.path, n.isDir(), n.builtin
	m.Major, m.Minor, m.Inode = n.major, n.minor, n.inode
}

// mask hides a path. Where something beneath is granted again, the mask must
// hold its mount point: then it is a directory that can be walked through, but
// neither listed nor written.
func (m *Mount) mask(n *node, rest []*node) {
	m.Kind, m.Dir = MountMask, n.isDir()
	for _, r := range rest {
		if !Within(n.path, r.path) {
			break
		}
		if r.kind != nodeHide && (r.kind != nodeGrant || n.builtin || !r.builtin) {
			m.Kind, m.Access = MountTmpfs, Hide
			m.Size, m.Inodes, m.Mode = holeSize, holeInodes, 0o111
			break
		}
	}
}

// redundant reports a grant that its enclosing one already gives. A built-in
// one never narrows what it lies in. A user's grant within a built-in one is
// kept for uid 0: the built-in one hides what other users cannot read.
func (v *view) redundant(n *node, open []*node) bool {
	if len(open) == 0 {
		return false
	}
	top := open[len(open)-1]
	if v.facts.KeepsRoot && top.builtin && !n.builtin {
		return false
	}
	return top.kind == nodeGrant && (top.access == n.access || n.builtin && top.access > n.access)
}

func inBind(open []*node) bool {
	for _, n := range open {
		if n.kind == nodeGrant {
			return true
		}
	}
	return false
}

// parents makes the directories between a mount and what it lies in. Inside of
// a bind they exist.
func (v *view) parents(path string, open []*node) {
	base, mode := "/", uint32(0o755)
	if len(open) > 0 {
		top := open[len(open)-1]
		if top.kind == nodeGrant {
			return
		}
		base = top.path
		if top.kind == nodeHide {
			mode = 0o111
		}
	}
	v.mkdirs(base, parentOf(path), mode)
}

// mkdirs adds dir and its parents below base, those that are not there yet.
func (v *view) mkdirs(base, dir string, mode uint32) {
	if dir == base || dir == "/" || v.hasDir(dir) || v.isTarget(dir) {
		return
	}
	v.mkdirs(base, parentOf(dir), mode)
	v.dirs = append(v.dirs, Dir{Path: dir, Mode: mode})
}

func (v *view) hasDir(path string) bool {
	for i := len(v.dirs) - 1; i >= 0; i-- {
		if v.dirs[i].Path == path {
			return true
		}
	}
	return false
}

func (v *view) isTarget(path string) bool {
	_, ok := slices.BinarySearchFunc(v.kept, path, func(n *node, p string) int { return pathCompare(n.path, p) })
	return ok
}

// over is the innermost kept node that path is at or beneath; nil for the new
// root itself. Kept nodes are sorted, so the innermost is the last that fits.
func (v *view) over(path string) *node {
	for i := len(v.kept) - 1; i >= 0; i-- {
		if Within(v.kept[i].path, path) {
			return v.kept[i]
		}
	}
	return nil
}

// granted reports whether a host path is in view.
func (v *view) granted(real string) bool {
	over := v.over(real)
	return over != nil && over.kind == nodeGrant
}

// relink makes the links that were met outside of granted trees, so that the
// caller's spelling of a path works inside too.
func (v *view) relink() {
	for _, l := range v.links {
		v.link(l)
	}
}

// link makes one link where nothing of the view is in its way.
func (v *view) link(l Link) {
	over := v.over(l.Path)
	if over != nil && (over.kind != nodeTmpfs || over.path == l.Path) {
		return // exists already, or must not
	}
	if v.hasDir(l.Path) || v.hasLink(l.Path) || v.linked(parentOf(l.Path)) {
		return
	}
	base := "/"
	if over != nil {
		base = over.path
	}
	v.mkdirs(base, parentOf(l.Path), 0o755)
	v.plinks = append(v.plinks, l)
}

func (v *view) hasLink(path string) bool {
	return slices.ContainsFunc(v.plinks, func(l Link) bool { return l.Path == path })
}

// linked reports whether a made link stands at path or above it: nothing can
// be made beneath one.
func (v *view) linked(path string) bool {
	return slices.ContainsFunc(v.plinks, func(l Link) bool { return Within(l.Path, path) })
}

// shows reports whether the final view holds a link of the host.
func (v *view) shows(l Link) bool {
	if over := v.over(l.Path); over != nil && over.kind == nodeGrant {
		return true
	}
	return slices.Contains(v.plinks, l)
}

// reaches reports whether a path as it was spelled leads to the same place in
// the final view, and with what access.
func (v *view) reaches(fact *PathFact) (Access, bool) {
	over := v.over(fact.Real)
	if over == nil || over.kind != nodeGrant {
		return Hide, false
	}
	for _, l := range fact.Links {
		if !v.shows(l) {
			return Hide, false
		}
	}
	return over.access, true
}
