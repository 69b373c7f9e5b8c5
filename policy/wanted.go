package policy

import "slices"

// Named lists the paths that the caller named: rules, workspace, working
// directory and home. Only for these need a failed resolution say where it
// ended (PathFact.Missing).
func Named(p Policy, c Caller) []string {
	rules := expanded(&p, c.Cwd, c.Home)
	out := make([]string, 0, len(rules)+4)
	for _, r := range rules {
		out = append(out, r.Path)
	}
	out = append(out, workspacePath(&p, c.Cwd, c.Home), c.Cwd, c.Home, c.AccountHome)
	return slices.DeleteFunc(out, func(p string) bool { return p == "" })
}

// Wanted lists every path that Resolve needs a fact of, those of Named first;
// a few may come twice. A path behind Named that does not exist and has no
// links needs no fact either: there an absent one means the same. c.Home is that of the
// account that the provider will run as (Facts.Home), which matters when root hands
// over to another one, c.AccountHome its home in passwd(5), and c.StartHome the
// caller's own.
func Wanted(p Policy, c Caller) []string {
	named := Named(p, c)
	out := append(make([]string, 0, 144+len(named)), named...)
	if !p.Bare {
		out = append(out, defaultExec[:]...)
		out = append(out, defaultRead[:]...)
	}
	out = append(out, aliasedDirs[:]...)
	if p.Network == NetworkHost {
		out = append(out, resolvPath)
	}
	for _, home := range homes(c.Home, c.AccountHome, c.StartHome) {
		out = appendSecrets(out, home)
	}
	if len(p.Files) > 0 {
		out = append(out, systemSecrets[:]...)
	}
	out = append(out, socketPaths(c.Env)...)
	return append(out, commandPaths(&p, c)...)
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

// WorkspaceCandidate is the directory that Resolve will judge as the
// workspace, so that whoever has to know its owner before can ask for it.
func WorkspaceCandidate(p Policy, c Caller) string { return workspacePath(&p, c.Cwd, c.Home) }
