package filters

//go:generate go run ../../cmd/sovrun-seccomp -generate .

// Profile names a built-in filter.
type Profile string

// The built-in filters: what each adds to Default stands in the package doc.
const (
	Default Profile = "default"
	Debug   Profile = "debug"
	Nested  Profile = "nested"
)

// Names returns the built-in profiles.
func Names() []Profile { return []Profile{Default, Debug, Nested} }

// Program returns the filter of a profile for the architecture this binary runs
// on, as seccomp(2) SECCOMP_SET_MODE_FILTER takes it: struct sock_filter, eight
// bytes each, little-endian. ok is false for an unknown profile and on an
// architecture without filters; then nothing may be started without saying so.
func Program(p Profile) (bpf string, ok bool) {
	switch p {
	case Default:
		bpf = defaultBPF
	case Debug:
		bpf = debugBPF
	case Nested:
		bpf = nestedBPF
	}
	return bpf, bpf != ""
}
