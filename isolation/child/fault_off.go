//go:build !sovrunfault

package child

// fault is empty outside of test builds: nothing can be switched off there.
type fault struct{}

// Off reports whether a test build was told to leave a mechanism out.
func Off(string) bool { return false }

// inject breaks nothing.
//
//go:nosplit
//go:norace
func (t *task) inject(uint32) {}

// twist changes nothing.
//
//go:nosplit
//go:norace
func (t *task) twist(_ int, r, e uintptr) (uintptr, uintptr) { return r, e }

func (*fault) load() {}
