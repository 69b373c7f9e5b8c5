package policy

import (
	"errors"
	"strings"
	"testing"
)

// TestPlantedLinks: what a command can make in a tree that it may write does not
// widen what is granted. Links that it cannot make, or that stay inside, work.
func TestPlantedLinks(t *testing.T) {
	h := debian()
	h.put(map[string]hostNode{
		"/home/ada/proj/sub/x":   own(fileNode(), 1000),
		"/home/ada/proj/inside":  linkNode("sub"),
		"/home/ada/proj/etc":     linkNode("/etc"),
		"/home/ada/proj/sub/up":  linkNode("../../cache"),
		"/home/ada/proj/tmp-b":   linkNode("/data/b"),
		"/home/ada/cache/x":      own(fileNode(), 1000),
		"/home/ada/to-cache":     linkNode("cache"),
		"/data/a/to-b":           linkNode("../b"),
		"/data/a/self":           linkNode("."),
		"/data/b/x":              own(fileNode(), 1000),
		"/home/ada/proj/through": linkNode("/data/a/to-b"),
	})
	for _, c := range []struct {
		args string
		link string // through which it would leave; "": granted
	}{
		{"--write inside", ""},
		{"--write ~/to-cache", ""},
		{"--write /data/a --write /data/a/self", ""},
		{"--read etc", "/home/ada/proj/etc"},
		{"--exec tmp-b", "/home/ada/proj/tmp-b"},
		{"--read inside", ""},
		{"--hide etc", ""},
		{"--read ~/to-cache", ""},
		{"--write etc", "/home/ada/proj/etc"},
		{"--write etc/alternatives", "/home/ada/proj/etc"},
		{"--write sub/up", "/home/ada/proj/sub/up"},
		{"--write tmp-b", "/home/ada/proj/tmp-b"},
		{"--write through", "/home/ada/proj/through"},
		{"--write /data/a/to-b", ""},
		{"--write /data/a --write /data/a/to-b", "/data/a/to-b"},
		{"--write /data/a/to-b --write /data/a", "/data/a/to-b"},
		{"--write /data/b --write tmp-b", "/home/ada/proj/tmp-b"},
	} {
		p := parse(t, strings.Fields(c.args)...)
		_, err := Resolve(p, h.facts(p, ada("git")))
		var r *RefusedError
		switch {
		case c.link == "" && err != nil:
			t.Errorf("%s: %v", c.args, err)
		case c.link != "" && (!errors.As(err, &r) || r.Category != InvalidPolicy || r.Hint == "" || !strings.Contains(r.Message, quote(c.link))):
			t.Errorf("%s: %v, wanted a refusal that names %s", c.args, err, c.link)
		}
	}
}
