package policy

// place is the workspace of a run as it was found.
type place struct {
	spelled string // as the caller wrote it, absolute
	fact    PathFact
	ok      bool // else the run has none
}

// workspacePath spells the candidate: what --workspace names, else the working
// directory.
func workspacePath(p *Policy, cwd, home string) string {
	if p.Workspace == "" {
		return cwd
	}
	return absolute(p.Workspace, cwd, home)
}

// workspace judges the candidate. One that was named and does not fit is
// refused; a working directory that does not fit leaves the run without a
// workspace, unless a rule of the user's hides it: then the command would run
// somewhere else than where it was called, for a reason that is easily
// overlooked.
func (v *view) workspace(p *Policy, rules []Rule) (place, error) {
	f := v.facts
	w := place{spelled: workspacePath(p, f.Caller.Cwd, f.Home())}
	w.fact = f.Paths[w.spelled]
	why := v.unfit(&w)
	hidden := ""
	if why == "" {
		if hidden = v.hiddenBy(w.fact.Real, rules); hidden != "" {
			why = "it is hidden by " + hidden
		}
	}
	switch {
	case why == "":
		w.ok = true
		return w, v.startHidden(&w, rules)
	case p.Workspace != "":
		return w, refuse(InvalidWorkspace, "workspace "+quote(p.Workspace)+" cannot be used: "+why, "name a directory of your own with --workspace")
	case hidden != "":
		return w, refuse(InvalidWorkspace, "the working directory "+quote(w.spelled)+" cannot be used: "+why,
			"grant it again with --write, or start elsewhere")
	}
	if w.spelled == "" {
		v.note("no workspace: the working directory is gone; the command starts in /tmp, which is private and goes away with it")
		return w, nil
	}
	v.note("no workspace: the working directory ", quote(w.spelled), " cannot be one (", why, "); the command starts in /tmp, which is private and goes away with it")
	return w, nil
}

// startHidden refuses a working directory that lies in the workspace and is hidden: the
// command would start somewhere else.
func (v *view) startHidden(w *place, rules []Rule) error {
	here := v.facts.Caller.Cwd
	fact := v.facts.Paths[here]
	if !fact.exists() || !Within(w.fact.Real, fact.Real) {
		return nil
	}
	if by := v.hiddenBy(fact.Real, rules); by != "" {
		return refuse(InvalidWorkspace, "the working directory "+quote(here)+" cannot be used: it is hidden by "+by, "grant it again with --write, or start elsewhere")
	}
	return nil
}

// unfit says why a directory cannot be a workspace; "" where it can. The
// judgement is on what the path is after resolution, by device and inode as
// well as by name, so that no link, bind mount or ".." leads past it.
func (v *view) unfit(w *place) string {
	switch {
	case w.spelled == "":
		return "the directory is not known, or is gone"
	case !w.fact.exists():
		return w.fact.why(w.spelled)
	case !w.fact.isDir():
		return "it is not a directory"
	}
	if by := v.facts.Exposed[w.spelled]; by != "" {
		return "the command would keep uid 0, and another user can exchange " + quote(by)
	}
	if why := v.systemDir(w.fact); why != "" {
		return why
	}
	if why := v.nearSecret(w.fact); why != "" {
		return why
	}
	if !v.facts.permits(w.fact, mayRead|mayWrite|mayExec) {
		return "uid " + itoa(v.facts.Target.UID) + " may not read, write and search it"
	}
	return ""
}

// systemDir compares with the closed list of directories that are never a
// workspace.
func (v *view) systemDir(fact PathFact) string {
	for _, d := range &systemDirs {
		if fact.Real == d {
			return quote(d) + " is a system directory"
		}
	}
	for _, d := range &aliasedDirs {
		if fact.same(v.facts.Paths[d]) {
			return "it is the system directory " + quote(d) + " under another name"
		}
	}
	for _, d := range [...]string{procPath, sysPath, devPath} {
		if Within(d, fact.Real) {
			return "it belongs to the kernel"
		}
	}
	return v.atHome(fact)
}

// atHome refuses the home itself and what holds it, be it HOME or the one in
// passwd(5).
func (v *view) atHome(fact PathFact) string {
	if why := v.near(fact, v.facts.Home()); why != "" {
		return why
	}
	return v.near(fact, v.facts.Target.Home)
}

func (v *view) near(fact PathFact, home string) string {
	if home == "" {
		return ""
	}
	h := v.facts.Paths[home]
	if h.exists() {
		home = h.Real
	}
	if fact.same(h) || home == fact.Real {
		return "it is the home directory"
	}
	if home != "/" && Within(fact.Real, home) {
		return "it holds the home directory"
	}
	return ""
}

// nearSecret refuses a directory at, in or above a secret place. A place that
// does not exist counts as well when the directory lies in it by name.
func (v *view) nearSecret(fact PathFact) string {
	for _, s := range v.secrets() {
		if Within(s.Real, fact.Real) || Within(fact.Real, s.Real) || s.same(fact) {
			return "the secret place " + quote(s.Real) + " is at, in or above it"
		}
	}
	for _, s := range &systemSecrets {
		if Within(s, fact.Real) || Within(fact.Real, s) {
			return "the secret place " + quote(s) + " is at, in or above it"
		}
	}
	return ""
}

// hiddenBy names the rule of the user's that hides a path, "" where none does
// or a more specific one grants it again.
func (v *view) hiddenBy(real string, rules []Rule) string {
	by, longest := "", -1
	for i := range rules {
		r := &rules[i]
		at := v.facts.Paths[r.Path].Real
		if at == "" || !Within(at, real) || len(at) < longest {
			continue
		}
		longest, by = len(at), ""
		if r.Access == Hide {
			by = ruleName(r)
		}
	}
	return by
}

// addWorkspace grants the workspace, before the user's own rules, so that one
// of them for the very same directory wins.
func (v *view) addWorkspace(w *place) {
	if !w.ok {
		return
	}
	v.links = append(v.links, w.fact.Links...)
	v.add(nodeOf(&w.fact, Write, &originWorkspace))
}

// cwd is where the command starts: where the caller is, as the caller spells
// it, if that lies in the workspace; else the workspace; else /tmp.
func (v *view) cwd(w *place) string {
	if !w.ok {
		return tmpPath
	}
	here := v.facts.Caller.Cwd
	if fact := v.facts.Paths[here]; fact.exists() && Within(w.fact.Real, fact.Real) && v.granted(fact.Real) {
		return v.spelling(here, &fact)
	}
	return v.spelling(w.spelled, &w.fact)
}

// spelling keeps the caller's name of a path where it leads there inside too.
func (v *view) spelling(path string, fact *PathFact) string {
	if _, ok := v.reaches(fact); ok && !hasDotDot(path) {
		return path
	}
	return fact.Real
}
