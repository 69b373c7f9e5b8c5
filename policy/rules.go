package policy

import (
	"slices"
	"strconv"
	"strings"
)

// longestQuoted is how much of a value a message repeats: more than a path has (PATH_MAX).
const longestQuoted = 4200

func quote(s string) string {
	if len(s) > longestQuoted {
		return strconv.Quote(s[:60]) + "…"
	}
	return strconv.Quote(s)
}

func itoa(n int) string { return strconv.Itoa(n) }

// Origins of the rules that nobody wrote.
var (
	originDefault   = Origin{Source: "profile default"}
	originSecret    = Origin{Source: "profile default, secret places"}
	originWorkspace = Origin{Source: "workspace"}
)

// expanded gives the rules of p with absolute paths. A relative name of a flag
// starts at the working directory, as everywhere in a shell; one of a file at
// the workspace, which "." stands for there.
func expanded(p *Policy, cwd, home string) []Rule {
	if len(p.Files) == 0 {
		return nil
	}
	base := cwd
	if p.Workspace != "" {
		base = absolute(p.Workspace, cwd, home)
	}
	rules := make([]Rule, len(p.Files))
	for i, r := range p.Files {
		from := cwd
		if r.Origin.Line > 0 {
			from = base
		}
		r.Path = absolute(r.Path, from, home)
		rules[i] = r
	}
	return rules
}

// addDefaults adds what every run has: the built-in profile and what is made
// inside.
func (v *view) addDefaults(p *Policy) {
	if !p.Bare {
		for _, path := range &defaultExec {
			v.optional(path, Exec)
		}
		for _, path := range &defaultRead {
			v.optional(path, Read)
		}
	}
	v.add(node{path: devPath, kind: nodeDev, builtin: true, access: Write, origin: &originDefault})
	v.add(node{path: procPath, kind: nodeProc, builtin: true, access: Read, origin: &originDefault})
	v.add(node{path: tmpPath, kind: nodeTmpfs, builtin: true, access: Write, mode: 0o1777, origin: &originDefault})
	v.addHome()
}

// addHome adds a fresh home at the place where the account's own is.
func (v *view) addHome() {
	path := homePlace(v.facts)
	if path == "" {
		return
	}
	fact := v.facts.Paths[v.facts.Home()]
	v.links = append(v.links, fact.Links...)
	v.add(node{path: path, kind: nodeTmpfs, builtin: true, access: Write, mode: 0o700, there: fact.exists() && fact.isDir(), origin: &originDefault})
}

// homePlace is where the home lies after all links, whether it exists or not;
// "" where the account has none that could be made. HOME is /tmp then.
func homePlace(f *Facts) string {
	home := f.Home()
	if !usableHome(home) {
		return ""
	}
	if fact := f.Paths[home]; fact.exists() {
		home = fact.Real
	}
	if !usableHome(home) {
		return ""
	}
	return home
}

// notHomes are directories that the new root makes or mounts itself.
var notHomes = [...]string{devPath, procPath, sysPath, etcPath, "/usr", "/bin", "/sbin", "/lib", "/lib32", "/libx32", "/lib64", "/.sovrun"}

// usableHome refuses what cannot be a home of its own on the new root.
func usableHome(home string) bool {
	if home == "" || home[0] != '/' || home == "/" || home == tmpPath || home == runPath || hasDotDot(home) || !isTidy(home) {
		return false
	}
	for _, d := range &notHomes {
		if Within(d, home) {
			return false
		}
	}
	return true
}

// optional adds a built-in rule where its path exists.
func (v *view) optional(path string, a Access) {
	fact := v.facts.Paths[path]
	if !fact.exists() {
		if len(fact.Links) > 0 && Within(etcPath, path) {
			v.note(path, " is left out: ", fact.why(path))
		}
		return
	}
	if v.facts.KeepsRoot && !builtinReadable(fact) {
		v.note(path, " is left out: other users cannot read it")
		return
	}
	v.links = append(v.links, fact.Links...)
	n := nodeOf(&fact, a, &originDefault)
	n.builtin = true
	v.add(n)
}

// builtinReadable reports whether a user without any relation to the file can
// read it: uid 0 sees no more of the built-in grants than that.
func builtinReadable(fact PathFact) bool {
	if fact.isDir() {
		return fact.othersMay(mayRead | mayExec)
	}
	return fact.othersMay(mayRead)
}

// addSecrets hides the secret places that exist, wherever their links lead.
// They matter only beneath what a user granted: by default nothing of a home
// is in view.
func (v *view) addSecrets() {
	facts := v.secrets()
	for i := range facts {
		n := nodeOf(&facts[i], Hide, &originSecret)
		n.kind, n.builtin = nodeHide, true
		v.add(n)
	}
}

// secrets gives the facts of the secret places that exist. They are asked for
// twice in a run, so they are kept.
func (v *view) secrets() []PathFact {
	if v.looked {
		return v.secretFacts
	}
	v.looked = true
	for _, home := range homes(v.facts.Home(), v.facts.Target.Home, v.facts.Caller.Home) {
		v.secretsOf(home)
	}
	for _, path := range &systemSecrets {
		v.secret(v.facts.Paths[path])
	}
	for _, path := range socketPaths(v.facts.Caller.Env) {
		v.secret(v.facts.Paths[path])
	}
	return v.secretFacts
}

// homes are those with secret places: of the command, of its account, of the caller.
// Each counts once, and the root is none.
func homes(all ...string) []string {
	out := make([]string, 0, len(all))
	for _, home := range all {
		if home != "" && home != "/" && !slices.Contains(out, home) {
			out = append(out, home)
		}
	}
	return out
}

func (v *view) secretsOf(home string) {
	buf := append(make([]byte, 0, 256), home...)
	for _, name := range &homeSecrets {
		buf = append(append(buf[:len(home)], '/'), name...)
		v.secret(v.facts.Paths[string(buf)])
	}
}

// secret keeps a place that exists. One that was made a link to /dev/null, as
// is usual for histories, holds nothing.
func (v *view) secret(fact PathFact) {
	if fact.exists() && !Within(devPath, fact.Real) && !Within(procPath, fact.Real) {
		v.secretFacts = append(v.secretFacts, fact)
	}
}

// appendSecrets spells out the secret places of a home. All names are cut from
// one string: this runs at every launch.
func appendSecrets(out []string, home string) []string {
	buf := make([]byte, 0, len(homeSecrets)*(len(home)+24))
	for _, n := range &homeSecrets {
		buf = append(append(append(buf, home...), '/'), n...)
	}
	all := string(buf)
	for _, n := range &homeSecrets {
		l := len(home) + 1 + len(n)
		out, all = append(out, all[:l]), all[l:]
	}
	return out
}

// socketPaths are the sockets of agents and engines that the caller's own
// environment tells of.
func socketPaths(env []string) []string {
	var out []string
	for _, s := range [...]struct{ name, prefix string }{
		{"SSH_AUTH_SOCK", ""}, {"DOCKER_HOST", "unix://"}, {"DBUS_SESSION_BUS_ADDRESS", "unix:path="},
	} {
		value, _ := lookup(env, s.name)
		if path, ok := strings.CutPrefix(value, s.prefix); ok {
			path, _, _ = strings.Cut(path, ",") // D-Bus: key=value pairs may follow
			if strings.HasPrefix(path, "/") {
				out = append(out, tidy(path))
			}
		}
	}
	return out
}

// addRules adds what the user wrote, in order.
func (v *view) addRules(rules []Rule) error {
	for i := range rules {
		if err := v.addRule(&rules[i]); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) addRule(r *Rule) error {
	fact, err := v.ruleFact(r)
	if err != nil {
		return err
	}
	if r.Access == Hide {
		return v.addHide(r, fact)
	}
	if !fact.exists() {
		if r.Optional {
			return nil
		}
		return refuse(InvalidPolicy, ruleName(r)+": "+fact.why(r.Path), "create it, or leave the rule out")
	}
	if err := grantable(r, fact); err != nil {
		return err
	}
	v.links = append(v.links, fact.Links...)
	v.add(nodeOf(&fact, r.Access, &r.Origin))
	return nil
}

// planted refuses a grant that leaves a writable tree through a link in it: an earlier
// command may have made that link, or may be exchanging it right now, and what it
// leads to would be opened by a rule that was meant for something else.
func (v *view) planted(rules []Rule, w *place) error {
	for i := range rules {
		r := &rules[i]
		fact := v.facts.Paths[r.Path]
		if r.Access == Hide || !fact.exists() {
			continue
		}
		if by := v.facts.Exposed[r.Path]; by != "" {
			return refuse(InvalidPolicy, ruleName(r)+": the command would keep uid 0, and another user can exchange "+quote(by),
				"name a path that is root's alone, or start in a workspace of that user's, as whom the command then runs")
		}
		for _, l := range fact.Links {
			if tree := v.writableAt(l.Path, rules, w); tree != "" && !Within(tree, fact.Real) {
				return refuse(InvalidPolicy, ruleName(r)+": the link "+quote(l.Path)+", which a command in "+quote(tree)+" can change, leads out of it to "+quote(fact.Real),
					"if that is what shall be granted, name it itself")
			}
		}
	}
	return nil
}

// writableAt is the tree granted for writing that a path lies in, "" where none is.
func (v *view) writableAt(path string, rules []Rule, w *place) string {
	if w.ok && Within(w.fact.Real, path) {
		return w.fact.Real
	}
	for i := range rules {
		at := v.facts.Paths[rules[i].Path].Real
		if rules[i].Access == Write && at != "" && Within(at, path) {
			return at
		}
	}
	return ""
}

// ruleName is how messages call a rule: where it stands and what it names.
func ruleName(r *Rule) string {
	s := r.Origin.String()
	if r.Origin.Line > 0 || !strings.HasPrefix(s, "--") {
		s += ": " + r.Access.String()
	}
	return s + " " + quote(r.Path)
}

func (v *view) ruleFact(r *Rule) (PathFact, error) {
	if r.Path == "" {
		return PathFact{}, refuse(InvalidPolicy, ruleName(r)+": the directory that it is relative to is not known", "write an absolute path")
	}
	fact, ok := v.facts.Paths[r.Path]
	if !ok {
		return fact, refuse(InternalError, "resolve "+quote(r.Path)+": no fact was gathered", "report this with the command line")
	}
	return fact, nil
}

// addHide adds a path to hide. Nothing of the private /proc and /dev can be:
// the rule would be about the host's. One that does not exist cannot be hidden where
// it could appear later: a mask needs something to lie on, and sovrun makes
// nothing on the host.
func (v *view) addHide(r *Rule, fact PathFact) error {
	if fact.exists() {
		if Within(procPath, fact.Real) || Within(devPath, fact.Real) {
			return refuse(InvalidPolicy, ruleName(r)+": the run has a private "+parentDir(fact.Real)+", of which no single path can be hidden", "leave the rule out")
		}
		n := nodeOf(&fact, Hide, &r.Origin)
		n.kind = nodeHide
		v.add(n)
		return nil
	}
	v.absent = append(v.absent, r)
	return nil
}

// parentDir is the first component of a path.
func parentDir(path string) string {
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		return path[:i+1]
	}
	return path
}

// checkAbsent refuses hidden paths that do not exist and whose place is in
// view.
func (v *view) checkAbsent() error {
	for _, r := range v.absent {
		fact := v.facts.Paths[r.Path]
		at := fact.Missing
		if at == "" {
			at = r.Path
		}
		if over := v.over(at); over != nil && over.kind == nodeGrant {
			return refuse(InvalidPolicy, ruleName(r)+": "+fact.why(r.Path)+", and what appears later in "+quote(over.path)+" cannot be hidden",
				"create it before the launch, or hide a directory above it")
		}
	}
	return nil
}

// grantable refuses what a bind mount would make of the private parts of the
// view: the root, whose grant would also undo Landlock's witness, and the
// kernel's own file systems.
func grantable(r *Rule, fact PathFact) error {
	switch {
	case fact.Real == "/":
		return refuse(InvalidPolicy, ruleName(r)+": the whole root cannot be granted", "name the directories that are needed")
	case Within(procPath, fact.Real), Within(devPath, fact.Real):
		return refuse(InvalidPolicy, ruleName(r)+": "+quote(fact.Real)+" belongs to the host's kernel, and the run has a private one", "leave the rule out")
	case Within(parentOf(WitnessPath), fact.Real):
		return refuse(InvalidPolicy, ruleName(r)+": "+quote(parentOf(WitnessPath))+" is sovrun's own", "leave the rule out")
	case Within(sysPath, fact.Real) && r.Access != Read:
		return refuse(InvalidPolicy, ruleName(r)+": "+quote(fact.Real)+" may be granted for reading only", "use --read")
	}
	return nil
}
