package escapes

import (
	"os"
	"testing"
)

// attempts are the results of every technique but the fixtures.
type attempts struct {
	canary  string // of the lab they were made in
	results map[string]Result
	planes  map[string]status // of the run that a technique was made in
}

func TestEscapes(t *testing.T) {
	labs, controls := map[person]*lab{}, map[Identity]attempts{}
	for _, m := range modes(t) {
		if labs[m.owner] == nil {
			labs[m.owner] = newLab(t, m.owner)
			controls[m.identity] = labs[m.owner].tryOutside(m.identity)
		}
		l := labs[m.owner]
		t.Run(m.name, func(t *testing.T) {
			inside := l.in(t).tryInside(m)
			for _, c := range Catalogue() {
				if c.How != Fixture && c.meantFor(m.identity) {
					t.Run(c.Key(), func(t *testing.T) { compare(t, c, m, controls, inside) })
				}
			}
		})
	}
}

// meantFor leaves out what says nothing about an identity, and what only root
// could have planted.
func (t Technique) meantFor(who Identity) bool {
	return (t.As == "" || t.As == who) && !(t.Planted && os.Geteuid() != 0)
}

// compare judges one technique. What root starts for a user is compared with what
// root and with what the user got outside: the power of either must be gone.
func compare(t *testing.T, c Technique, m mode, controls map[Identity]attempts, inside attempts) {
	shown, known := false, false
	for who, control := range controls {
		if who != m.identity && m.starter.identity != who || !c.meantFor(who) {
			continue
		}
		outside := control.results[c.Key()]
		ok, err := c.Judge(who, control.canary, outside, inside.results[c.Key()])
		if err != nil {
			t.Error(err)
		}
		shown = shown || ok
		entry := listed(c.Key(), who)
		known = known || entry != nil
		if who == m.identity {
			exact(t, entry, who, ok, outside, inside.results[c.Key()])
		}
	}
	if !shown && !known {
		t.Errorf("nothing was shown, and the table of what is inconclusive does not say so")
	}
	enforced(t, inside.planes[c.Key()], c.Plane)
}

// exact keeps the table exact.
func exact(t *testing.T, entry *inconclusive, who Identity, shown bool, outside, inside Result) {
	switch {
	case entry == nil && !shown:
		t.Errorf("as %s it shows nothing: outside %v; inside %v; list it with the reason, or try it otherwise", who, outside, inside)
	case entry == nil:
	case shown:
		t.Errorf("listed as inconclusive for %s, but outside it is %v: remove the entry", who, outside)
	case outside.Errno != entry.errno:
		t.Errorf("listed with errno %d outside, got %v", int(entry.errno), outside)
	}
}

// tryOutside makes every attempt as the lab's owner, unconfined.
func (l *lab) tryOutside(who Identity) attempts {
	l.t.Helper()
	before, facts := l.snapshot(), l.facts()
	a := attempts{canary: l.canary, results: map[string]Result{}}
	var batch []Technique
	for _, c := range Catalogue() {
		switch {
		case !c.meantFor(who):
		case c.How == Batch:
			batch = append(batch, c)
		case c.How == Terminal:
			a.results[c.Key()], _ = l.onTerminal(c, nil, l.owner)
		case c.How == Alone, c.How == Secret:
			cmd := l.outside(l.owner, "one", l.job(c, false))
			if c.How == Secret {
				cmd.Dir = l.dir + "/secret"
			}
			out, _ := l.ended(cmd)
			l.results(out, a.results)
		}
	}
	cmd := l.outside(l.owner, "batch", l.batch(batch, false))
	l.leaveOpen(cmd)
	out, ws := l.ended(cmd)
	if ws.ExitStatus() != 0 {
		l.t.Fatalf("the controls ended with status %d", ws.ExitStatus())
	}
	l.results(out, a.results)
	if said := l.net.contacts(); len(said) == 0 {
		l.t.Error("the listeners heard nothing of the controls")
	}
	l.unchanged("the controls", before, facts)
	return a
}

// tryInside makes them in the sandbox; nothing of the host may have noticed.
func (l *lab) tryInside(m mode) attempts {
	l.t.Helper()
	before, facts := l.snapshot(), l.facts()
	a := attempts{results: map[string]Result{}, planes: map[string]status{}}
	var batch []Technique
	for _, c := range Catalogue() {
		switch {
		case !c.meantFor(m.identity):
		case c.How == Batch:
			batch = append(batch, c)
		case c.How == Terminal:
			a.results[c.Key()], a.planes[c.Key()] = l.onTerminal(c, &m, m.starter)
		case c.How == Alone, c.How == Secret:
			l.runInside(m, a, []Technique{c}, "one", l.job(c, true))
		}
	}
	l.runInside(m, a, batch, "batch", l.batch(batch, true))
	if said := l.net.contacts(); len(said) > 0 {
		l.t.Errorf("the host's listeners heard %q", said)
	}
	l.unchanged("the attempts inside", before, facts)
	return a
}

func (l *lab) runInside(m mode, a attempts, made []Technique, args ...string) {
	l.t.Helper()
	cmd, file := l.inside(m, l.agent(args...)...)
	if made[0].How == Secret {
		cmd.Dir = l.dir + "/secret"
	}
	if made[0].How == Batch {
		l.leaveOpen(cmd)
	}
	out, ws := l.ended(cmd)
	if ws.ExitStatus() != 0 {
		l.t.Errorf("sovrun ended with status %d", ws.ExitStatus())
	}
	l.results(out, a.results)
	s := l.status(file)
	for _, c := range made {
		a.planes[c.Key()] = s
	}
}

// unchanged compares the lab and the host with what they were.
func (l *lab) unchanged(who string, before map[string]string, facts string) {
	l.t.Helper()
	after := l.snapshot()
	for path, was := range before {
		if after[path] != was {
			l.t.Errorf("%s changed %q from %s to %s", who, path, was, after[path])
		}
		delete(after, path)
	}
	for path := range after {
		l.t.Errorf("%s left %q", who, path)
	}
	if now := l.facts(); now != facts {
		l.t.Errorf("%s changed the host from\n%s\nto\n%s", who, facts, now)
	}
}
