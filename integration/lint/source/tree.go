// Package source holds the checks on the repository's own text: who may import whom, how large functions and
// files may grow, the source budget, and words that have no place in a repository. Every check is a pure function
// from a Tree to findings, so a test can hand it a tree made up in memory.
package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"
)

// Module is the path in go.mod; what follows it in an import path is a directory of the Tree.
const Module = "github.com/sovrun/sovrun"

// File is one text file of the repository.
type File struct {
	Path string // slash-separated, relative to the root
	Text []byte
	Go   *ast.File // nil when the file is not Go
	fset *token.FileSet
}

// Tree is every text file of the repository, in lexical order.
type Tree struct {
	Files []File
}

// Finding is one violation, printed as path:line: rule: text.
type Finding struct {
	Path string
	Line int
	Rule string
	Text string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.Path, f.Line, f.Rule, f.Text)
}

// Load reads the tree under root. It leaves out .git, the build output bin/, and binary files (those that hold a
// NUL byte). A Go file that does not parse is an error: no check could speak about it.
func Load(root fs.FS) (Tree, error) {
	var tree Tree
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (p == ".git" || p == "bin"):
			return fs.SkipDir
		case !d.Type().IsRegular() || p == ".git":
			return nil
		}
		return tree.add(root, p)
	})
	return tree, err
}

func (t *Tree) add(root fs.FS, p string) error {
	text, err := fs.ReadFile(root, p)
	if err != nil {
		return fmt.Errorf("read %q: %w", p, err)
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	file := File{Path: p, Text: text}
	if strings.HasSuffix(p, ".go") && !inTestdata(p) {
		file.fset = token.NewFileSet()
		if file.Go, err = parser.ParseFile(file.fset, p, text, parser.ParseComments); err != nil {
			return fmt.Errorf("parse Go: %w", err)
		}
	}
	t.Files = append(t.Files, file)
	return nil
}

func inTestdata(p string) bool {
	return strings.HasPrefix(p, "testdata/") || strings.Contains(p, "/testdata/")
}

// Dir is the directory of the file, "." for the root.
func (f File) Dir() string { return path.Dir(f.Path) }

// IsTest tells whether the go command compiles the file only for tests.
func (f File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// IsGenerated tells whether the file carries the go command's mark of a generated file
// (https://go.dev/s/generatedcode).
func (f File) IsGenerated() bool { return f.Go != nil && ast.IsGenerated(f.Go) }

func (f File) line(pos token.Pos) int { return f.fset.Position(pos).Line }

// File returns the file at p, if the tree has it.
func (t Tree) File(p string) (File, bool) {
	for _, f := range t.Files {
		if f.Path == p {
			return f, true
		}
	}
	return File{}, false
}

// goSources are the hand-written Go files that end up in a program or library, tests left out.
func (t Tree) goSources() []File {
	var out []File
	for _, f := range t.Files {
		if f.Go != nil && !f.IsTest() && !f.IsGenerated() {
			out = append(out, f)
		}
	}
	return out
}

// Static runs every check that needs nothing but the tree.
func Static(t Tree) []Finding {
	var out []Finding
	for _, check := range []func(Tree) []Finding{Imports, RawCalls, Sizes, Words, Modules} {
		out = append(out, check(t)...)
	}
	return out
}
