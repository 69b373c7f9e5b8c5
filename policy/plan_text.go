package policy

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable is s itself, or quoted where a terminal would act on it or a
// reader could not see where it ends.
func printable(s string) string {
	if s == "" || !utf8.ValidString(s) {
		return strconv.Quote(s)
	}
	for _, r := range s {
		if r == ' ' || r == '"' || r == '\\' || !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

// visible is printable for names that may hold spaces.
func visible(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return s
}

// printables quotes each word as needed.
func printables(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = printable(w)
	}
	return strings.Join(out, " ")
}

// Text is the plan for a person. Like the JSON form it names variables and
// never shows a value.
func (p *Plan) Text() string {
	var b strings.Builder
	for _, row := range p.summary() {
		if row[1] != "" {
			column(&b, 0, 12, row[0])
			b.WriteString(row[1] + "\n")
		}
	}
	p.textFiles(&b)
	p.textMade(&b)
	p.textEnvironment(&b)
	for _, n := range p.Notes {
		b.WriteString("note: " + n + "\n")
	}
	return b.String()
}

// column writes a cell of a table.
func column(b *strings.Builder, indent, width int, cell string) {
	b.WriteString(strings.Repeat(" ", indent) + cell)
	b.WriteString(strings.Repeat(" ", max(1, width-utf8.RuneCountInString(cell))))
}

// summary is the head of the plan; empty values are left out.
func (p *Plan) summary() [][2]string {
	return [][2]string{
		{"command", p.textCommand()},
		{"directory", printable(p.Command.Cwd)},
		{"identity", p.Identity.text()},
		{"workspace", orNone(p.Workspace)},
		{"network", p.Network.String()},
		{"syscalls", p.Filter},
		{"limits", p.textLimits()},
		{"require", p.Require.String()},
		{"degraded", p.Degraded.String()},
		{"streams", p.textStreams()},
		{"session", p.textSession()},
		{"policy", strings.Join(mapStrings(p.Sources, visible), ", ")},
	}
}

func (p *Plan) textSession() string {
	if p.OwnSession {
		return "its own"
	}
	return "the caller's, for its terminal"
}

func orNone(path string) string {
	if path == "" {
		return "none"
	}
	return printable(path)
}

func mapStrings(in []string, f func(string) string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = f(s)
	}
	return out
}

func (p *Plan) textCommand() string {
	c := p.Command
	switch {
	case len(c.Argv) == 0:
		return ""
	case c.NotFound != "":
		return c.NotFound + " (exit status " + itoa(c.Status) + ")"
	}
	return printables(append([]string{c.Path}, c.Argv[1:]...))
}

func (i Identity) text() string {
	s := "uid " + itoa(i.UID) + ", gid " + itoa(i.GID)
	if i.Name != "" {
		s = printable(i.Name) + ", " + s
	}
	switch {
	case i.KeepsRoot:
		s += ", without root's capabilities"
	case i.Changed:
		s += ", handed over by root"
	}
	return s
}

func (p *Plan) textLimits() string {
	out := make([]string, len(p.Limits))
	for i, l := range p.Limits {
		out[i] = l.Resource.String() + "=" + strconv.FormatUint(l.Value, 10) + " (" + visible(l.Origin.String()) + ")"
	}
	return strings.Join(out, ", ")
}

func (p *Plan) textStreams() string {
	out := make([]string, len(p.Streams))
	for i, s := range p.Streams {
		out[i] = s.Class.String()
	}
	return strings.Join(out, ", ")
}

// textFiles lists the mounts: what is in view, and what is taken out of it.
func (p *Plan) textFiles(b *strings.Builder) {
	width := 0
	for _, m := range p.Mounts {
		width = max(width, utf8.RuneCountInString(printable(m.Target)))
	}
	b.WriteString("\nfiles\n")
	for _, m := range p.Mounts {
		column(b, 2, 6, m.Access.String())
		column(b, 0, width+2, printable(m.Target))
		b.WriteString(m.text() + "\n")
	}
}

// text says how a mount comes about and which rule asked for it.
func (m *Mount) text() string {
	from := visible(m.Origin.String())
	switch m.Kind {
	case MountTmpfs:
		if m.Access == Hide {
			return "masked but for what is granted beneath; " + from
		}
		return "in memory, " + size(m.Size) + "; " + from
	case MountMask:
		return "masked; " + from
	case MountProc:
		if len(m.Masks) == 0 {
			return "private; " + from
		}
		return "private, " + itoa(len(m.Masks)) + " paths masked or read-only; " + from
	case MountDev:
		return "private; " + from
	}
	if m.Shift {
		return from + "; what is root's own looks like another's"
	}
	return from
}

// size writes bytes with the largest binary unit that divides them.
func size(n uint64) string {
	for _, u := range []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.factor && n%u.factor == 0 {
			return strconv.FormatUint(n/u.factor, 10) + " " + u.suffix
		}
	}
	return strconv.FormatUint(n, 10) + " B"
}

func (p *Plan) textMade(b *strings.Builder) {
	b.WriteString("\nmade\n")
	for _, f := range p.Files {
		b.WriteString("  file  " + printable(f.Path) + "\n")
	}
	for _, l := range p.Links {
		b.WriteString("  link  " + printable(l.Path) + " -> " + printable(l.Target) + "\n")
	}
}

func (p *Plan) textEnvironment(b *strings.Builder) {
	b.WriteString("\nenvironment\n  set       " + printables(p.EnvNames) + "\n")
	if len(p.Dropped) > 0 {
		b.WriteString("  left out  " + printables(p.Dropped) + "\n")
	}
	if len(p.Notes) > 0 {
		b.WriteString("\n")
	}
}
