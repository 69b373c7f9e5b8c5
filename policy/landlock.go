package policy

// rules derives what the Landlock ruleset grants. Landlock adds up on the way
// from a file to the root and has no rule that takes away, so nothing is ever
// granted on "/" itself: what has no rule of its own, such as the witness, is
// refused although it is in view. Narrower grants within wider ones, and what
// is hidden, rest on mounts.
func (v *view) landlock() []FileRule {
	out := make([]FileRule, 0, len(v.kept)+8)
	for _, d := range v.topDirs() {
		out = append(out, FileRule{Path: d, Dir: true, Access: Read})
	}
	for i := range v.mounts {
		if r, ok := ruleOf(&v.mounts[i]); ok {
			r.Covered = covered(out, r)
			out = append(out, r)
		}
	}
	for _, f := range v.files {
		if f.Path != WitnessPath && !anyOver(out, f.Path) {
			out = append(out, FileRule{Path: f.Path, Access: Read})
		}
	}
	return out
}

// topDirs are the directories made on the new root that no mount covers, the
// outermost ones; the witness's is not among them.
func (v *view) topDirs() []string {
	var out []string
	for _, d := range v.dirs {
		if parentOf(d.Path) == "/" && d.Path != parentOf(WitnessPath) {
			out = append(out, d.Path)
		}
	}
	return out
}

func ruleOf(m *Mount) (FileRule, bool) {
	r := FileRule{Path: m.Target, Dir: m.Dir, Access: m.Access}
	switch m.Kind {
	case MountBind:
		r.Source, r.Major, r.Minor, r.Inode = m.Source, m.Major, m.Minor, m.Inode
	case MountDev:
		r.Device, r.Access = true, Read
	case MountTmpfs, MountProc:
		if m.Access == Hide {
			return r, false
		}
	case MountMask:
		return r, false
	}
	return r, true
}

// covered reports whether a rule above grants as much.
func covered(rules []FileRule, r FileRule) bool {
	for _, o := range rules {
		if !o.Device && o.Access >= r.Access && Within(o.Path, r.Path) {
			return true
		}
	}
	return false
}

func anyOver(rules []FileRule, path string) bool {
	for _, o := range rules {
		if Within(o.Path, path) {
			return true
		}
	}
	return false
}
