package source

import (
	"bytes"
	"fmt"
	"go/ast"
)

// A reader takes in one function on one screen and one idea in one file.
const (
	maxFuncLines = 80  // from the line of func to the line of its closing brace
	maxFileLines = 500 // all lines, comments included
)

// Sizes reports functions and files over the limits. Tests and generated files are left out: tables grow there.
func Sizes(t Tree) []Finding {
	var out []Finding
	for _, f := range t.goSources() {
		if n := bytes.Count(f.Text, []byte("\n")); n > maxFileLines {
			out = append(out, Finding{f.Path, maxFileLines + 1, "size", fmt.Sprintf("file has %d lines, wanted at most %d", n, maxFileLines)})
		}
		for _, fn := range funcs(f) {
			if n := f.funcLines(fn); n > maxFuncLines {
				out = append(out, Finding{f.Path, f.line(fn.Pos()), "size", fmt.Sprintf("func %s has %d lines, wanted at most %d", fn.Name.Name, n, maxFuncLines)})
			}
		}
	}
	return out
}

func funcs(f File) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	for _, d := range f.Go.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			out = append(out, fn)
		}
	}
	return out
}

func (f File) funcLines(fn *ast.FuncDecl) int {
	return f.line(fn.Body.End()) - f.line(fn.Type.Func) + 1
}
