//go:build !sovrunfault

package child

// fault is empty outside of test builds: nothing can be switched off there.
type fault struct{}

// Off reports whether a test build was told to leave a mechanism out.
func Off(string) bool { return false }

//go:nosplit
func (fault) at(uint32) (errno uintptr, kill bool) { return 0, false }

func (*fault) load() {}
