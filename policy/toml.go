package policy

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// The policy file is read from the parser's own tree and not through a Go
// struct: only so does every rule keep the line and column where it was
// written, and a run without a file pays nothing for reflection.

// loader reads one file.
type loader struct {
	Fragment
	file   string
	parser unstable.Parser
	table  []string          // the current [header]
	seen   map[string]Origin // keys and tables that are defined, by dotted path
	closed map[string]bool   // inline tables, which nothing can be added to
}

// Load reads a policy file whose contents are data; name is for messages.
// Unknown keys, keys whose code is not there yet, wrong types, and rules that
// contradict each other are errors with line and column. An error is a
// *RefusedError.
func Load(name string, data []byte) (Fragment, error) {
	l := &loader{file: name, seen: map[string]Origin{}, closed: map[string]bool{}}
	l.Sources = []string{name}
	l.parser.Reset(data)
	for l.parser.NextExpression() {
		if err := l.expression(l.parser.Expression()); err != nil {
			return Fragment{}, err
		}
	}
	if err := l.parser.Error(); err != nil {
		return Fragment{}, l.syntax(err)
	}
	if err := l.contradictions(); err != nil {
		return Fragment{}, err
	}
	l.widestLast()
	return l.Fragment, nil
}

// syntax places an error of the parser.
func (l *loader) syntax(err error) error {
	var pe *unstable.ParserError
	if errors.As(err, &pe) {
		return l.refuse(l.at(l.offset(pe.Highlight)), "not valid TOML: "+pe.Message)
	}
	return l.refuse(l.at(len(l.parser.Data())), "not valid TOML: "+err.Error())
}

// offset finds a slice of the document in it; the end where it is none.
func (l *loader) offset(part []byte) int {
	data := l.parser.Data()
	if off := cap(data) - cap(part); part != nil && off >= 0 && off <= len(data) {
		return off
	}
	return len(data)
}

// at gives line and column of an offset, both from 1, the column in bytes.
func (l *loader) at(offset int) Origin {
	before := string(l.parser.Data()[:offset])
	return Origin{
		Source: l.file,
		Line:   strings.Count(before, "\n") + 1,
		Col:    offset - strings.LastIndexByte(before, '\n'),
	}
}

func (l *loader) where(n *unstable.Node) Origin { return l.at(int(n.Raw.Offset)) }

// fileHint is what to do about a file that says something wrong, where the
// message does not say more.
const fileHint = "correct that line of the file, or leave it out"

func (l *loader) refuse(o Origin, message string) error {
	return refuse(InvalidPolicy, o.String()+": "+message, fileHint)
}

func (l *loader) expression(n *unstable.Node) error {
	switch n.Kind {
	case unstable.Table:
		return l.header(n)
	case unstable.ArrayTable:
		it := n.Key()
		it.Next()
		return l.refuse(l.where(it.Node()), "no table of the policy is an array; write ["+string(it.Node().Data)+"]")
	case unstable.KeyValue:
		return l.keyValue(n, l.table)
	}
	return nil
}

// header starts a [table].
func (l *loader) header(n *unstable.Node) error {
	path, o := l.keyPath(n, nil)
	dotted := strings.Join(path, ".")
	spec := findKey(path)
	switch {
	case spec == nil:
		return l.refuse(o, "unknown table ["+dotted+"]"+suggestion(dotted, tableNames()))
	case spec.would != "":
		return l.refuse(o, later("["+dotted+"]", spec.would))
	case spec.kind != kindTable:
		return l.refuse(o, quote(dotted)+" is a key with a value, not a table")
	}
	l.table = path
	return l.define(dotted, o)
}

// define records a key or table; one that is there already is an error.
func (l *loader) define(dotted string, o Origin) error {
	if first, dup := l.seen[dotted]; dup {
		return l.refuse(o, quote(dotted)+" is set twice, first at "+first.String())
	}
	l.seen[dotted] = o
	return nil
}

// keyPath is the full path of a key, and where its last part is written.
func (l *loader) keyPath(n *unstable.Node, above []string) ([]string, Origin) {
	path := slices.Clone(above)
	var o Origin
	for it := n.Key(); it.Next(); {
		path = append(path, string(it.Node().Data))
		o = l.where(it.Node())
	}
	return path, o
}

// keyValue applies one key below the table path above.
func (l *loader) keyValue(n *unstable.Node, above []string) error {
	path, o := l.keyPath(n, above)
	for i := len(above) + 1; i < len(path); i++ { // tables that a dotted key makes
		dotted := strings.Join(path[:i], ".")
		if l.closed[dotted] {
			return l.refuse(o, quote(dotted)+" is an inline table, which cannot be added to")
		}
		if _, there := l.seen[dotted]; !there {
			l.seen[dotted] = o
		}
	}
	dotted := strings.Join(path, ".")
	if err := l.define(dotted, o); err != nil {
		return err
	}
	spec := findKey(path)
	switch {
	case spec == nil:
		return l.refuse(o, "unknown key "+quote(dotted)+suggestion(dotted, keyNames()))
	case spec.would != "":
		return l.refuse(o, later(quote(dotted), spec.would))
	case spec.kind == kindTable:
		return l.inline(n.Value(), path, o)
	}
	return l.apply(spec, entry{key: path[len(path)-1], node: n.Value(), at: o})
}

// inline reads name = { … }.
func (l *loader) inline(v *unstable.Node, path []string, o Origin) error {
	if v.Kind != unstable.InlineTable {
		return l.refuse(o, quote(strings.Join(path, "."))+" is a table, not "+kindName(v.Kind))
	}
	for it := v.Children(); it.Next(); {
		if err := l.keyValue(it.Node(), path); err != nil {
			return err
		}
	}
	l.closed[strings.Join(path, ".")] = true
	return nil
}

// entry is one key with its value.
type entry struct {
	key  string
	node *unstable.Node
	at   Origin
}

// apply checks the type of a value and hands it to the key's function, each
// element of a list by itself.
func (l *loader) apply(spec *keySpec, e entry) error {
	if spec.kind != kindList {
		return l.scalar(spec, e)
	}
	if e.node.Kind != unstable.Array {
		return l.refuse(e.at, quote(e.key)+" is a list, not "+kindName(e.node.Kind))
	}
	if spec.empty != nil {
		spec.empty(l)
	}
	for it := e.node.Children(); it.Next(); {
		n := it.Node()
		if n.Kind != unstable.String {
			return l.refuse(e.at, quote(e.key)+" lists strings, not "+kindName(n.Kind))
		}
		o := l.where(n)
		if why := spec.set(l, e.key, string(n.Data), o); why != "" {
			return l.refuse(o, why)
		}
	}
	return nil
}

func (l *loader) scalar(spec *keySpec, e entry) error {
	switch {
	case e.node.Kind == unstable.String:
	case e.node.Kind == unstable.Integer && spec.kind == kindAmount:
	default:
		return l.refuse(e.at, quote(e.key)+" is "+spec.kind.name()+", not "+kindName(e.node.Kind))
	}
	o := e.at
	if e.node.Raw.Length > 0 {
		o = l.where(e.node)
	}
	text := string(e.node.Data)
	if e.node.Kind == unstable.Integer {
		text = decimal(text)
	}
	if why := spec.set(l, e.key, text, o); why != "" {
		if spec.category != "" {
			return refuse(spec.category, o.String()+": "+why, fileHint)
		}
		return l.refuse(o, why)
	}
	return nil
}

// decimal rewrites an integer of TOML, which may be hexadecimal and hold
// underscores.
func decimal(text string) string {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return text
	}
	return strconv.FormatInt(n, 10)
}

// contradictions refuses a file that grants and hides one path, or passes and
// sets one variable: which of the two is meant cannot be told.
func (l *loader) contradictions() error {
	for i, a := range l.Files {
		for _, b := range l.Files[:i] {
			if a.Path == b.Path && (a.Access == Hide) != (b.Access == Hide) {
				return l.refuse(a.Origin, a.Access.String()+" "+quote(a.Path)+" contradicts "+b.Access.String()+" at "+b.Origin.String())
			}
		}
	}
	for _, s := range l.Set {
		for _, n := range l.Pass {
			if s.Name == n.Name {
				return l.refuse(s.Origin, "set "+quote(s.Name)+" contradicts pass at "+n.Origin.String())
			}
		}
	}
	return nil
}

// widestLast orders the rules of a file by their access, since the order of
// keys means nothing in TOML: of two grants for one path the wider one holds.
func (l *loader) widestLast() {
	slices.SortStableFunc(l.Files, func(a, b Rule) int { return int(a.Access) - int(b.Access) })
}

// kindName calls a value's type by its name in TOML.
func kindName(k unstable.Kind) string {
	switch k {
	case unstable.Array:
		return "a list"
	case unstable.InlineTable:
		return "a table"
	case unstable.String:
		return "a string"
	case unstable.Integer:
		return "an integer"
	case unstable.Float:
		return "a float"
	case unstable.Bool:
		return "a boolean"
	}
	return "a date or time"
}
