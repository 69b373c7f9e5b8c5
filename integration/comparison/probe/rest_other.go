//go:build !amd64

package main

// rest is empty: the entries that it tries are another architecture's.
func rest() []row { return nil }
