package policy

// Nested reports whether the command may make namespaces and mounts of its own. Then
// the file system rests on mounts alone: Landlock refuses every mount in a domain that
// handles file rights (landlock(7)), and the kernel gives no second /proc beside one
// that something lies over (fs/namespace.c, mount_too_revealing).
func (p *Plan) Nested() bool { return p.Filter == syscallsNested }

// makeRoom leaves out what would refuse every mount within.
func (p *Plan) makeRoom() {
	for i := range p.Mounts {
		p.Mounts[i].Masks = nil
	}
}

// nestedRefusal: files of an unmasked /proc are root's, and uid 0 owns them whatever
// namespace it is in: kernel.core_pattern is a command that the host runs as root.
func nestedRefusal(p *Policy, f *Facts) error {
	if p.Syscalls != syscallsNested || !f.KeepsRoot {
		return nil
	}
	return refuse(InvalidPolicy, "the profile nested leaves /proc unmasked, and a command that keeps uid 0 could write the host's sysctls there",
		"start sovrun as an ordinary user, or as root in a workspace that an ordinary user owns")
}
