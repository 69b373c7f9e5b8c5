package policy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// tree is a small host on which every path exists.
func tree() (host, []string) {
	h, paths := debian(), []string{}
	for _, a := range []string{"a", "a-b", "ab"} {
		for _, b := range []string{"", "/x", "/x/y", "/x.y", "/x/y/z"} {
			paths = append(paths, "/srv/t/"+a+b)
			h.put(map[string]hostNode{"/srv/t/" + a + b: dirNode()})
		}
	}
	return h, paths
}

// expect is the plain meaning of rules: the most specific one decides, of equal
// ones the last.
func expect(rules []Rule, path string) Access {
	best, access := -1, Hide
	for _, r := range rules {
		if Within(r.Path, path) && len(r.Path) >= best {
			best, access = len(r.Path), r.Access
		}
	}
	return access
}

// given is what the final view gives at a path.
func given(p Plan, path string) Access {
	a := Hide
	for _, m := range p.Mounts {
		if Within(m.Target, path) {
			a = m.Access
		}
	}
	return a
}

// TestMountsMeanTheRules compares the mounts of random rules with what the
// rules say, for every path of a small tree.
func TestMountsMeanTheRules(t *testing.T) {
	h, paths := tree()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		p := Policy{}
		for range 1 + rng.IntN(6) {
			p.Files = append(p.Files, Rule{Path: paths[rng.IntN(len(paths))], Access: Access(rng.IntN(4)), Origin: Origin{Source: "--test"}})
		}
		plan := resolve(t, h, p, ada("git"))
		for _, path := range paths {
			if got, want := given(plan, path), expect(p.Files, path); got != want {
				t.Fatalf("%s: %v, want %v\nrules %s\n%s", path, got, want, ruleList(p.Files), plan.Text())
			}
		}
		checkParents(t, plan)
		checkNoNeedlessMount(t, p, plan)
	}
}

// checkNoNeedlessMount: each mount under the tree changes what lies around it,
// since every one costs at every launch.
func checkNoNeedlessMount(t *testing.T, p Policy, plan Plan) {
	t.Helper()
	for i, m := range plan.Mounts {
		if !strings.HasPrefix(m.Target, "/srv/t") {
			continue
		}
		around := Plan{Mounts: plan.Mounts[:i]}
		if given(around, m.Target) == m.Access && (m.Access != Hide || access(around, m.Target) == "") {
			t.Fatalf("the mount at %s changes nothing\nrules %s\n%s", m.Target, ruleList(p.Files), plan.Text())
		}
	}
}

func ruleList(rules []Rule) string {
	s := ""
	for _, r := range rules {
		s += fmt.Sprintf("%v %s; ", r.Access, r.Path)
	}
	return s
}
