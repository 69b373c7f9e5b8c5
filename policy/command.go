package policy

import "strings"

// Exit statuses of a command that cannot be run, as env(1) and the shells
// have them.
const (
	StatusCannotExecute = 126
	StatusNotFound      = 127
)

// candidates are the paths that a command's name may stand for, in the order
// of the search.
func candidates(name, path, cwd string) []string {
	if name == "" {
		return nil
	}
	if strings.Contains(name, "/") {
		if name[0] == '/' {
			return []string{tidy(name)}
		}
		if cwd == "" {
			return nil
		}
		return []string{tidy(cwd + "/" + name)}
	}
	var out []string
	for dir := range strings.SplitSeq(path, ":") {
		if !strings.HasPrefix(dir, "/") {
			continue
		}
		if c := tidy(dir + "/" + name); !contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// command finds what is executed: the first candidate that is an executable
// file and in view.
func (v *view) command(w *place, env *environ) Command {
	argv := v.facts.Caller.Argv
	c := Command{Argv: list(argv), Cwd: v.cwd(w)}
	if len(argv) == 0 {
		return c
	}
	path, _ := env.get("PATH")
	s := search{name: argv[0]}
	for _, p := range candidates(argv[0], path, v.facts.Caller.Cwd) {
		if v.try(&s, p) {
			fact := v.facts.Paths[p]
			c.Path = v.spelling(p, &fact)
			if s.hidden != "" {
				v.note(quote(argv[0]), " is ", quote(c.Path), ": ", s.hidden)
			}
			return c
		}
	}
	c.NotFound, c.Status = s.verdict()
	return c
}

// search remembers why candidates were passed over, the first of each kind.
type search struct {
	name   string
	hidden string // exists, but not in view
	barred string // in view, but not executable
}

// try judges one candidate.
func (v *view) try(s *search, path string) bool {
	fact := v.facts.Paths[path]
	if !fact.exists() {
		return false
	}
	if !fact.isRegular() || !v.facts.permits(fact, mayExec) {
		if s.barred == "" && (strings.Contains(s.name, "/") || fact.isRegular()) {
			s.barred = quote(path) + " is not an executable file"
		}
		return false
	}
	v.lead(fact)
	access, ok := v.reaches(&fact)
	if ok && access >= Exec {
		return true
	}
	if s.hidden == "" {
		s.hidden = v.hop(path, fact)
	}
	return false
}

// lead makes the links of a command whose file is in view: that the caller
// named it is reason enough to show the text of its links.
func (v *view) lead(fact PathFact) {
	if over := v.over(fact.Real); over == nil || over.kind != nodeGrant || over.access < Exec {
		return
	}
	for _, l := range fact.Links {
		v.link(l)
	}
}

// hop names what keeps an existing program out of view, and the flag that lets
// it in.
func (v *view) hop(path string, fact PathFact) string {
	what := quote(path) + " exists but is not in view"
	if fact.Real != path {
		what = quote(path) + " leads to " + quote(fact.Real) + ", which is not in view"
	}
	over := v.over(fact.Real)
	switch {
	case over == nil:
	case over.kind == nodeGrant && over.access < Exec:
		what = quote(fact.Real) + " is granted for reading only (" + over.origin.String() + ")"
	case over.kind == nodeHide:
		what = quote(fact.Real) + " is hidden (" + over.origin.String() + ")"
	}
	return what + "; grant it with --exec " + quote(parentOf(fact.Real))
}

// Hint says what to do about NotFound; "" where the message says it.
func (c Command) Hint() string {
	switch {
	case c.Status == StatusCannotExecute:
		return "make it executable with chmod +x if it is a program, or name the program that runs it"
	case c.Status == StatusNotFound && !strings.Contains(c.NotFound, "--exec"):
		return "see whether it is installed and how it is spelled, or name it by its path"
	}
	return ""
}

// verdict is the message and the exit status of a search that found nothing.
func (s *search) verdict() (string, int) {
	switch {
	case s.hidden != "":
		return s.hidden, StatusNotFound
	case s.barred != "":
		return s.barred, StatusCannotExecute
	case strings.Contains(s.name, "/"):
		return quote(s.name) + " does not exist", StatusNotFound
	}
	return quote(s.name) + " is in no directory of PATH", StatusNotFound
}
