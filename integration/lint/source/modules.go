package source

import (
	"fmt"
	"strings"
)

// requirement is one line of a require block in go.mod.
type requirement struct {
	module   string
	line     int
	indirect bool
	reason   bool // a comment stands behind it or above it
}

// requirements reads the require blocks of go.mod.
func requirements(t Tree) []requirement {
	f, ok := t.File("go.mod")
	if !ok {
		return nil
	}
	var out []requirement
	inBlock, above := false, false
	for i, line := range strings.Split(string(f.Text), "\n") {
		line = strings.TrimSpace(line)
		one, single := strings.CutPrefix(line, "require ")
		switch {
		case line == "require (":
			inBlock = true
		case line == ")":
			inBlock = false
		case (inBlock || single) && !strings.HasPrefix(line, "//") && line != "":
			module, _, _ := strings.Cut(one, " ")
			_, comment, _ := strings.Cut(line, "// ")
			indirect := comment == "indirect"
			out = append(out, requirement{module, i + 1, indirect, above || comment != "" && !indirect})
		}
		above = strings.HasPrefix(line, "//")
	}
	return out
}

// directModules are the required modules that the tree's own code imports, tests left out.
func directModules(t Tree, reqs []requirement) map[string]bool {
	out := map[string]bool{}
	for _, f := range t.Files {
		if f.Go == nil || f.IsTest() {
			continue
		}
		for _, m := range importedModules(f, reqs) {
			out[m] = true
		}
	}
	return out
}

// importedModules names, for each import of the file that comes from a required module, that module: the longest
// one whose path is the import's or a parent of it.
func importedModules(f File, reqs []requirement) []string {
	var out []string
	for _, spec := range f.Go.Imports {
		best := ""
		for _, r := range reqs {
			if strings.HasPrefix(importPath(spec)+"/", r.module+"/") && len(r.module) > len(best) {
				best = r.module
			}
		}
		if best != "" {
			out = append(out, best)
		}
	}
	return out
}

// Modules reports direct dependencies that go.mod calls indirect, that carry no reason, or that nothing imports.
func Modules(t Tree) []Finding {
	used := map[string]bool{}
	reqs := requirements(t)
	for _, f := range t.Files {
		if f.Go != nil {
			for _, m := range importedModules(f, reqs) {
				used[m] = true
			}
		}
	}
	var out []Finding
	report := func(r requirement, format string) {
		out = append(out, Finding{"go.mod", r.line, "modules", fmt.Sprintf(format, r.module)})
	}
	for _, r := range reqs {
		switch {
		case used[r.module] && r.indirect:
			report(r, "%s is imported directly but marked indirect")
		case used[r.module] && !r.reason:
			report(r, "%s has no reason: add a comment behind it")
		case !used[r.module] && !r.indirect:
			report(r, "%s is required but nothing imports it")
		}
	}
	return out
}
