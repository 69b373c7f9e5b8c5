package ablation

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/probes"
)

// switches collects from the source what a test build can leave out: the words
// that child.Off is asked with. Where it is asked with something else than a
// literal, every literal of that function is one.
func switches(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir("../../isolation", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			names = append(names, switchesOf(d)...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func switchesOf(d ast.Decl) []string {
	var literal []string
	other := false
	ast.Inspect(d, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !isOff(call.Fun) || len(call.Args) != 1 {
			return true
		}
		if s, ok := text(call.Args[0]); ok {
			literal = append(literal, s)
		} else {
			other = true
		}
		return true
	})
	if other {
		ast.Inspect(d, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if s, ok := text(e); ok {
					literal = append(literal, s)
				}
			}
			return true
		})
	}
	return literal
}

func isOff(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Off" {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "child"
}

func text(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

func TestTableCoversEverySwitch(t *testing.T) {
	tab, have := readTable(t), switches(t)
	rows := tab.offs()
	slices.Sort(rows)
	if !slices.Equal(rows, have) {
		t.Errorf("the table has rows for\n%q\nthe source has switches\n%q", rows, have)
	}
}

func TestEveryMechanismHasASwitch(t *testing.T) {
	tab := readTable(t)
	for m := probes.MountNamespace; !strings.HasPrefix(m.String(), "mechanism("); m++ {
		if !slices.ContainsFunc(tab.rows, func(r row) bool { return r.mechanism == m.String() && !r.partly }) {
			t.Errorf("no row leaves out %q", m)
		}
	}
}
