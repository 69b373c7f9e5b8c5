package policy

// Resolve turns a policy into a plan for the host that the facts describe. It
// is pure: the same arguments give the same plan, and nothing is looked up. An
// error is a *RefusedError; a command that is not there is none, see
// Command.NotFound.
func Resolve(p Policy, f Facts) (Plan, error) {
	if err := nestedRefusal(&p, &f); err != nil {
		return Plan{}, err
	}
	v := &view{facts: &f, nodes: make([]node, 0, 48+len(p.Files)), links: make([]Link, 0, 16)}
	rules := expanded(&p, f.Caller.Cwd, f.Home())
	w, err := v.compose(&p, rules)
	if err != nil {
		return Plan{}, err
	}
	if err := v.checkStreams(rules); err != nil {
		return Plan{}, err
	}
	env := environment(&p, &f)
	cmd := v.command(&w, env)
	v.varTmp()
	if cmd.Cwd != "" {
		env.set("PWD", cmd.Cwd)
	}
	plan := v.plan(&p)
	if plan.Nested() {
		plan.makeRoom()
	} else if f.Landlock > 0 {
		plan.Landlock = v.landlock()
	}
	plan.Command, plan.Env, plan.EnvNames, plan.Dropped = cmd, env.list, env.names(), list(env.dropped)
	if w.ok {
		plan.Workspace = w.fact.Real
	}
	return plan, nil
}

// compose makes the view: rules to nodes, nodes to mounts, and what is made
// around them.
func (v *view) compose(p *Policy, rules []Rule) (place, error) {
	v.addDefaults(p)
	v.addResolvConf(p)
	if len(rules) > 0 {
		v.addSecrets()
	}
	w, err := v.workspace(p, rules)
	if err != nil {
		return w, err
	}
	v.addWorkspace(&w)
	if err := v.addRules(rules); err != nil {
		return w, err
	}
	if err := v.planted(rules, &w); err != nil {
		return w, err
	}
	v.settle()
	v.build()
	v.relink()
	v.synthesise(p)
	v.mkdirs("/", runPath, 0o755)
	v.mkdirs("/", parentOf(WitnessPath), 0o755)
	v.files = append(v.files, File{Path: WitnessPath, Mode: 0o444, Content: "sovrun\n"})
	return w, v.checkAbsent()
}

// varTmp gives programs that insist on /var/tmp the private /tmp.
func (v *view) varTmp() {
	v.link(Link{Path: "/var/tmp", Target: tmpPath})
}

// plan copies what was built.
func (v *view) plan(p *Policy) Plan {
	f := v.facts
	return Plan{
		Schema: PlanSchema,
		Identity: Identity{
			UID: f.Target.UID, GID: f.Target.GID, Changed: f.Target.UID != f.Caller.UID,
			KeepsRoot: f.KeepsRoot, Name: f.Target.Name, Home: insideHome(f),
		},
		Mounts: v.mounts, Dirs: v.dirs, Files: v.files, Links: list(v.plinks),
		Landlock:   []FileRule{},
		Namespaces: NamespacesOf(*p),
		Filter:     filterOf(p), Limits: list(p.Limits), Network: p.Network,
		Require: p.Require &^ p.Degraded, Degraded: p.Degraded,
		Streams: f.Streams, OwnSession: !f.Terminal, Notes: list(v.notes), Sources: list(p.Sources),
	}
}

// list keeps JSON free of null: an absent list is an empty one.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// filterOf is the name of the filter's profile.
func filterOf(p *Policy) string {
	if p.Syscalls == "" {
		return "default"
	}
	return p.Syscalls
}

// checkStreams refuses descriptors 0 to 2 that lead past the planes, and files
// that the policy hides.
func (v *view) checkStreams(rules []Rule) error {
	names := [...]string{"standard input", "standard output", "standard error"}
	for i, s := range v.facts.Streams {
		if s.Class == StreamRefused {
			return refuse(InvalidStream, names[i]+" (descriptor "+itoa(i)+") is "+s.What+", through which the command could leave the sandbox",
				"connect a pipe, a file or /dev/null instead")
		}
		if s.Path == "" {
			continue
		}
		if by := v.streamHidden(s, rules); by != "" {
			return refuse(InvalidStream, names[i]+" (descriptor "+itoa(i)+") is the file "+quote(s.Path)+", hidden by "+by,
				"connect another file, or grant this one by a rule of its own")
		}
	}
	return nil
}

// streamHidden names what hides a stream's file, by path or by identity.
func (v *view) streamHidden(s Stream, rules []Rule) string {
	if by := v.hiddenBy(s.Path, rules); by != "" {
		return by
	}
	for i := range rules {
		r := &rules[i]
		if r.Access == Hide && s.is(v.facts.Paths[r.Path]) {
			return ruleName(r)
		}
	}
	for _, secret := range v.secrets() {
		if (Within(secret.Real, s.Path) || s.is(secret)) && !v.grantedAgain(secret.Real, s.Path, rules) {
			return "the built-in list of secret places"
		}
	}
	for _, secret := range &systemSecrets { // of which no fact is asked for without a rule
		if Within(secret, s.Path) && !v.grantedAgain(secret, s.Path, rules) {
			return "the built-in list of secret places"
		}
	}
	return ""
}

// is reports whether a stream refers to a file, whatever its name.
func (s Stream) is(fact PathFact) bool {
	return fact.exists() && fact.Inode == s.Inode && fact.Major == s.Major && fact.Minor == s.Minor
}

// grantedAgain reports whether a rule at or beneath a secret place grants path.
func (v *view) grantedAgain(secret, path string, rules []Rule) bool {
	for _, r := range rules {
		at := v.facts.Paths[r.Path].Real
		if r.Access != Hide && at != "" && Within(secret, at) && Within(at, path) {
			return true
		}
	}
	return false
}
