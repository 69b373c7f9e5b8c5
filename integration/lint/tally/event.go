package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// event is one line of go test -json (go doc test2json) or of go build -json (go help buildjson), which go test
// mixes in when a package does not build.
type event struct {
	Action      string
	Package     string
	ImportPath  string // build events only
	Test        string // empty: the package as a whole
	Elapsed     float64
	Output      string
	FailedBuild string
}

// test names one test of one package.
type test struct{ pkg, name string }

func (e event) test() test { return test{e.Package, e.Test} }

// each hands every event to f, in order.
func each(in io.Reader, f func(event)) error {
	dec := json.NewDecoder(in)
	for {
		var e event
		switch err := dec.Decode(&e); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read go test -json: %w", err)
		}
		f(e)
	}
}
