package policy

// Bits of st_mode, inode(7).
const (
	modeType    = 0o170000 // S_IFMT
	modeDir     = 0o040000 // S_IFDIR
	modeRegular = 0o100000 // S_IFREG
)

// Errno values that a failed resolution is explained by, errno(3). They are
// the same on every architecture of Linux that Go knows.
const (
	errnoAccess  = 13  // EACCES
	errnoNoEntry = 2   // ENOENT
	errnoNotDir  = 20  // ENOTDIR
	errnoStale   = 116 // ESTALE: changed while it was looked at
	errnoLoop    = 40  // ELOOP
	errnoName    = 36  // ENAMETOOLONG
)

func (f PathFact) exists() bool    { return f.Real != "" && f.Errno == 0 }
func (f PathFact) isDir() bool     { return f.Mode&modeType == modeDir }
func (f PathFact) isRegular() bool { return f.Mode&modeType == modeRegular }

// same reports whether both are one file, whatever their names.
func (f PathFact) same(g PathFact) bool {
	return f.exists() && g.exists() && f.Inode == g.Inode && f.Major == g.Major && f.Minor == g.Minor
}

// Permissions as permits takes them.
const (
	mayExec  = 1
	mayWrite = 2
	mayRead  = 4
)

// permits judges the mode bits for the account that the provider runs as. It
// has no capability, so uid 0 is judged like every other. Access control lists
// are not seen: they may only ever grant less or more to others, and the
// kernel has the last word.
func (f *Facts) permits(p PathFact, want uint32) bool {
	bits := p.Mode
	switch {
	case p.UID == f.Target.UID:
		bits >>= 6
	case f.inGroup(p.GID):
		bits >>= 3
	}
	return bits&want == want
}

func (f *Facts) inGroup(gid int) bool {
	if gid == f.Target.GID {
		return true
	}
	if f.Target.UID != f.Caller.UID {
		return false // the groups of another account are dropped
	}
	for _, g := range f.Caller.Groups {
		if g == gid {
			return true
		}
	}
	return false
}

// othersMay judges the mode bits for somebody who is neither owner nor in the
// group.
func (f PathFact) othersMay(want uint32) bool { return f.Mode&want == want }

// why puts a failed resolution into words, naming the component.
func (f PathFact) why(path string) string {
	at := f.Missing
	if at == "" {
		at = path
	}
	switch f.Errno {
	case 0, errnoNoEntry:
		return quote(at) + " does not exist"
	case errnoAccess:
		return quote(at) + " cannot be searched by this user"
	case errnoNotDir:
		return quote(at) + " is not a directory"
	case errnoLoop:
		return quote(at) + " goes round in a circle of symbolic links"
	case errnoName:
		return quote(at) + " is too long a name"
	case errnoStale:
		return quote(at) + " was exchanged while it was looked at"
	}
	return quote(at) + " cannot be resolved (errno " + itoa(f.Errno) + ")"
}
