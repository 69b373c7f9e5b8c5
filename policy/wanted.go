package policy

// Named lists the paths that the caller named: rules, workspace, working
// directory and home. Only for these need a failed resolution say where it
// ended (PathFact.Missing).
func Named(p Policy, c Caller) []string {
	rules := expanded(&p, c.Cwd, c.Home)
	out := make([]string, 0, len(rules)+3)
	for _, r := range rules {
		out = append(out, r.Path)
	}
	out = append(out, workspacePath(&p, c.Cwd, c.Home), c.Cwd, c.Home)
	return distinct(out)
}

// Wanted lists every path that Resolve needs a fact of, those of Named first,
// none twice. c.Home is that of the account that the provider will run as
// (Facts.Home), which matters when root hands over to another one.
func Wanted(p Policy, c Caller) []string {
	out := Named(p, c)
	if !p.Bare {
		out = append(out, defaultExec()...)
		out = append(out, defaultRead()...)
	}
	out = append(out, aliasedDirs()...)
	if p.Network == NetworkHost {
		out = append(out, resolvPath)
	}
	out = append(out, secretPaths(c.Home, len(p.Files) > 0)...)
	out = append(out, socketPaths(c.Env)...)
	return distinct(append(out, commandPaths(&p, c)...))
}

// commandPaths are the places where the command may be.
func commandPaths(p *Policy, c Caller) []string {
	if len(c.Argv) == 0 {
		return nil
	}
	f := Facts{Caller: c, Target: Account{UID: c.UID}}
	env := environment(p, &f)
	path, _ := env.get("PATH")
	return candidates(c.Argv[0], path, c.Cwd)
}

// distinct drops empty and repeated entries in place and keeps the order.
func distinct(paths []string) []string {
	seen := make(map[string]struct{}, len(paths))
	out := paths[:0]
	for _, p := range paths {
		if _, dup := seen[p]; dup || p == "" {
			continue
		}
		seen[p] = struct{}{}
		out = append(out, p)
	}
	return out
}

// WorkspaceCandidate is the directory that Resolve will judge as the
// workspace, so that whoever has to know its owner before can ask for it.
func WorkspaceCandidate(p Policy, c Caller) string { return workspacePath(&p, c.Cwd, c.Home) }
