package policy

import "fmt"

// Plane is one kind of isolation that is reported on its own. The order of the
// constants is the order of every report.
type Plane uint8

// The ten planes.
const (
	Filesystem Plane = iota
	Syscalls
	Network
	Environment
	Processes
	IPC
	Privileges
	Resources
	Terminal
	Descriptors

	NumPlanes = 10
)

func planeNames() [NumPlanes]string {
	return [NumPlanes]string{
		"filesystem", "syscalls", "network", "environment", "processes",
		"ipc", "privileges", "resources", "terminal", "descriptors",
	}
}

// String is the plane's name as reports and flags spell it.
func (p Plane) String() string {
	if p >= NumPlanes {
		return fmt.Sprintf("plane(%d)", uint8(p))
	}
	return planeNames()[p]
}

// MarshalText makes JSON carry the name.
func (p Plane) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// ParsePlane is the inverse of String.
func ParsePlane(s string) (Plane, error) {
	for i, n := range planeNames() {
		if n == s {
			return Plane(i), nil
		}
	}
	return 0, fmt.Errorf("unknown plane %q; the planes are %s", s, AllPlanes)
}

// PlaneSet is a set of planes, bit i for Plane(i).
type PlaneSet uint16

// AllPlanes holds every plane.
const AllPlanes PlaneSet = 1<<NumPlanes - 1

// PlanesOf makes a set.
func PlanesOf(ps ...Plane) PlaneSet {
	var s PlaneSet
	for _, p := range ps {
		s |= 1 << p
	}
	return s
}

// Has reports whether p is in the set.
func (s PlaneSet) Has(p Plane) bool { return s>>p&1 != 0 }

// List gives the members in the order of reports.
func (s PlaneSet) List() []Plane {
	var l []Plane
	for p := Plane(0); p < NumPlanes; p++ {
		if s.Has(p) {
			l = append(l, p)
		}
	}
	return l
}

// String lists the names, separated by ", ".
func (s PlaneSet) String() string {
	out := ""
	for _, p := range s.List() {
		if out != "" {
			out += ", "
		}
		out += p.String()
	}
	return out
}

// MarshalJSON writes the set as an array of names, which need no escaping.
func (s PlaneSet) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, p := range s.List() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), p.String()...), '"')
	}
	return append(out, ']'), nil
}
