//go:build !cgo

package main

import "testing"

func TestEmbeddedFiltersHaveNotDrifted(t *testing.T) {
	t.Fatal("without cgo the filters cannot be generated anew and compared; install libseccomp-dev and gcc and test with CGO_ENABLED=1")
}
