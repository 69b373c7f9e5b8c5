package policy

// Fragment is what one source says: the flags of a command line or one file.
// Fields that a source does not mention have their zero value; where that is a
// meaningful value of its own, a Has field tells.
type Fragment struct {
	Policy
	HasNetwork bool
	HasExtends bool
}

// Default is the policy of a run without flags and files.
func Default() Policy {
	return Policy{
		Require:  defaultRequire(),
		Network:  NetworkNone,
		Syscalls: syscallsDefault,
		Sources:  []string{"profile default"},
	}
}

func defaultRequire() PlaneSet {
	return PlanesOf(Filesystem, Syscalls, Environment, Privileges, Descriptors)
}

// Merge puts fragments on top of the built-in defaults, in order: lists add
// up, scalars override. A source that extends nothing (extends = [] of a file)
// takes the built-in grants away; the planes that are required by default stay
// unless it lists others.
func Merge(fragments ...Fragment) Policy {
	p := Default()
	required := PlaneSet(0)
	for i := range fragments {
		f := &fragments[i]
		if f.HasExtends {
			p.Bare = f.Bare
		}
		required |= f.Require
		p.Degraded |= f.Degraded
		p.add(f)
		p.override(f)
	}
	if p.Bare && required != 0 {
		p.Require = 0
	}
	p.Require |= required
	if p.Bare {
		p.Sources = p.Sources[1:]
	}
	return p
}

func (p *Policy) add(f *Fragment) {
	p.Files = append(p.Files, f.Files...)
	p.Pass = append(p.Pass, f.Pass...)
	p.Set = append(p.Set, f.Set...)
	p.Sources = append(p.Sources, f.Sources...)
}

func (p *Policy) override(f *Fragment) {
	if f.HasNetwork {
		p.Network = f.Network
	}
	if f.Syscalls != "" {
		p.Syscalls = f.Syscalls
	}
	if f.Workspace != "" {
		p.Workspace = f.Workspace
	}
	for _, l := range f.Limits {
		p.limit(l)
	}
}

// limit replaces an earlier value of the same resource.
func (p *Policy) limit(l Limit) {
	for i := range p.Limits {
		if p.Limits[i].Resource == l.Resource {
			p.Limits[i] = l
			return
		}
	}
	p.Limits = append(p.Limits, l)
}
