package source

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// layer says which of our own packages the packages in and below dir may import. Data flows one way: a layer that
// is not named by another cannot be reached back from it.
type layer struct {
	dir  string
	from []string
}

// layers is the import rule; docs/layout.md tells it in words. A longer dir wins over a shorter one.
var layers = []layer{
	{"isolation/child", nil},
	{"policy", nil},
	{"fsguard", nil},
	{"isolation", []string{"isolation/child", "policy"}},
	{"netguard", []string{"policy"}},
	{"probes", []string{"policy", "isolation", "isolation/child"}},
	{"runs", []string{"policy", "isolation", "isolation/child", "probes", "fsguard", "netguard"}},
	{"cmd", []string{"policy", "isolation", "isolation/child", "probes", "fsguard", "netguard", "runs"}},
	{"integration", []string{"policy", "isolation", "isolation/child", "probes", "fsguard", "netguard", "runs", "cmd"}},
}

func layerOf(dir string) (layer, bool) {
	best, found := layer{}, false
	for _, l := range layers {
		if (dir == l.dir || strings.HasPrefix(dir, l.dir+"/")) && len(l.dir) > len(best.dir) {
			best, found = l, true
		}
	}
	return best, found
}

// Imports reports every import between our own packages that the layers do not allow, and every package that
// belongs to no layer. Tests are left out: the go command itself refuses the cycles that they could make.
func Imports(t Tree) []Finding {
	var out []Finding
	for _, f := range t.Files {
		if f.Go == nil || f.IsTest() {
			continue
		}
		from, ok := layerOf(f.Dir())
		if !ok {
			out = append(out, Finding{f.Path, 1, "imports", fmt.Sprintf("directory %q has no place in the import rule: add it to the layers and to docs/layout.md", f.Dir())})
			continue
		}
		for _, spec := range f.Go.Imports {
			if text := forbiddenImport(from, importPath(spec)); text != "" {
				out = append(out, Finding{f.Path, f.line(spec.Pos()), "imports", text})
			}
		}
	}
	return out
}

func forbiddenImport(from layer, imported string) string {
	dir, ours := strings.CutPrefix(imported, Module+"/")
	if !ours {
		return ""
	}
	to, ok := layerOf(dir)
	if ok && (to.dir == from.dir || slices.Contains(from.from, to.dir)) {
		return ""
	}
	allowed := "none of our packages"
	if len(from.from) > 0 {
		allowed = strings.Join(from.from, ", ")
	}
	return fmt.Sprintf("%s imports %s, wanted %s", from.dir, dir, allowed)
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}
