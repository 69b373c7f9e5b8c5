//go:build !amd64

package escapes

// foreignWays: other architectures have no second entry that a 64-bit program can use.
func foreignWays() []Technique { return nil }
