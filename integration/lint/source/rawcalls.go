package source

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// rawLayers may talk to the kernel past the os package. Everything else says what it wants in their terms, so a
// reader who asks "which system call can this make" has four directories to read. integration is the judge's own
// side: it makes the attacks.
var rawLayers = []string{"isolation", "isolation/child", "fsguard", "netguard", "integration"}

// linknameLayer is the one place that may reach into the Go runtime.
const linknameLayer = "isolation/child"

// rawImports are the packages that only rawLayers may import.
var rawImports = []string{"golang.org/x/sys/unix", "unsafe", "plugin"}

// rawCalls are the functions of package syscall that make a system call by number.
var rawCalls = []string{"Syscall", "Syscall6", "Syscall9", "SyscallN", "RawSyscall", "RawSyscall6", "AllThreadsSyscall", "AllThreadsSyscall6"}

// RawCalls reports raw system calls, unsafe and go:linkname outside of the packages that may have them.
func RawCalls(t Tree) []Finding {
	var out []Finding
	for _, f := range t.Files {
		if f.Go == nil || f.IsTest() {
			continue
		}
		l, _ := layerOf(f.Dir())
		if !slices.Contains(rawLayers, l.dir) {
			out = append(out, rawImportsOf(f)...)
			out = append(out, rawCallsOf(f)...)
		}
		if l.dir != linknameLayer {
			out = append(out, linknamesOf(f)...)
		}
	}
	return out
}

func rawImportsOf(f File) []Finding {
	var out []Finding
	for _, spec := range f.Go.Imports {
		if p := importPath(spec); slices.Contains(rawImports, p) {
			out = append(out, Finding{f.Path, f.line(spec.Pos()), "raw", fmt.Sprintf("imports %s, which only %s may", p, strings.Join(rawLayers, ", "))})
		}
	}
	return out
}

func rawCallsOf(f File) []Finding {
	name := localName(f, "syscall")
	var out []Finding
	ast.Inspect(f.Go, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || name == "" || !slices.Contains(rawCalls, sel.Sel.Name) {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == name {
			out = append(out, Finding{f.Path, f.line(sel.Pos()), "raw", fmt.Sprintf("uses syscall.%s, which only %s may", sel.Sel.Name, strings.Join(rawLayers, ", "))})
		}
		return true
	})
	return out
}

// localName is what the file calls the package at p, empty when it does not import it.
func localName(f File, p string) string {
	for _, spec := range f.Go.Imports {
		switch {
		case importPath(spec) != p:
		case spec.Name != nil:
			return spec.Name.Name
		default:
			return p[strings.LastIndexByte(p, '/')+1:]
		}
	}
	return ""
}

func linknamesOf(f File) []Finding {
	var out []Finding
	for _, group := range f.Go.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:linkname ") {
				out = append(out, Finding{f.Path, f.line(c.Pos()), "raw", "go:linkname outside of " + linknameLayer})
			}
		}
	}
	return out
}
