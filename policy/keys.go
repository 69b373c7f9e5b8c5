package policy

// keyKind is the type of a key's value.
type keyKind uint8

const (
	kindString keyKind = iota
	kindList           // of strings
	kindAmount         // a string or an integer
	kindTable
)

func (k keyKind) name() string {
	return [...]string{"a string", "a list", "an amount", "a table"}[k]
}

// keySpec is one key of the policy file. Its set function returns the reason
// for which a value is refused.
type keySpec struct {
	table, key string // table is "" at the top; key is "" for the table itself
	kind       keyKind
	set        func(l *loader, key, value string, o Origin) string
	empty      func(l *loader) // before the elements of a list, of which there may be none
	would      string          // not there yet: what it would do
	category   Category        // of a refused value; InvalidPolicy where it is ""
}

// anyKey stands for a key that the user names.
const anyKey = "*"

// keys of the policy file, in its order.
var keys = [...]keySpec{
	{key: "extends", kind: kindList, set: keyExtends, empty: keyNoExtends},
	{key: "require", kind: kindList, set: func(l *loader, _, v string, _ Origin) string { return l.require(v) }},

	{table: "filesystem", kind: kindTable},
	{table: "filesystem", key: "read", kind: kindList, set: func(l *loader, _, v string, o Origin) string { return l.pathRule(v, Read, o) }},
	{table: "filesystem", key: "exec", kind: kindList, set: func(l *loader, _, v string, o Origin) string { return l.pathRule(v, Exec, o) }},
	{table: "filesystem", key: "write", kind: kindList, set: func(l *loader, _, v string, o Origin) string { return l.pathRule(v, Write, o) }},
	{table: "filesystem", key: "hide", kind: kindList, set: func(l *loader, _, v string, o Origin) string { return l.pathRule(v, Hide, o) }},
	{table: "filesystem", key: "protect", would: "keep files of the workspace from being changed"},
	{table: "filesystem", key: "devices", would: "let devices in"},
	{table: "filesystem", key: "caches", would: "give toolchains private caches"},
	{table: "filesystem", key: "max_file_size_mb", would: "cap what sovrun writes on a caller's behalf"},
	{table: "filesystem", key: "allow_paths_outside_workspace", would: "let sovrun open files outside of the workspace on a caller's behalf"},

	{table: "network", kind: kindTable},
	{table: "network", key: "mode", kind: kindString, set: func(l *loader, _, v string, _ Origin) string { return l.network(v) }},
	{table: "network", key: "allow", would: "open the hosts that are listed"},
	{table: "network", key: "host_ports", would: "open ports of the host's loopback"},
	{table: "network", key: "upstream", would: "reach the network through a proxy"},

	{table: "environment", kind: kindTable},
	{table: "environment", key: "pass", kind: kindList, set: func(l *loader, _, v string, o Origin) string { return l.passName(v, o) }},
	{table: "environment", key: "set", kind: kindTable},
	{table: "environment.set", key: anyKey, kind: kindString, set: func(l *loader, k, v string, o Origin) string { return l.setVariable(k, v, o) }},

	{table: "syscalls", kind: kindTable},
	{table: "syscalls", key: "profile", kind: kindString, set: func(l *loader, _, v string, _ Origin) string { return l.syscalls(v) }},

	{table: "resources", kind: kindTable},
	{table: "resources", key: anyKey, kind: kindAmount, set: func(l *loader, k, v string, o Origin) string { return l.setLimit(k, v, o) }},

	{table: "workspace", kind: kindTable},
	{table: "workspace", key: "policy", kind: kindString, set: keyWorkspacePolicy, category: UnknownWorkspacePolicy},
	{table: "workspace", key: "watch", would: "report changes outside of the workspace"},
}

func keyExtends(l *loader, _, v string, _ Origin) string { return l.extend(v) }

// keyNoExtends: a list of profiles replaces the implied one, an empty one too.
func keyNoExtends(l *loader) { l.HasExtends, l.Bare = true, true }

// keyWorkspacePolicy takes the one policy that a run of a command has.
func keyWorkspacePolicy(_ *loader, _, v string, _ Origin) string {
	switch v {
	case "persistent":
		return ""
	case "temporary_directory":
		return later("the workspace policy \"temporary_directory\"", "make a directory for the run and remove it afterwards")
	}
	return quote(v) + " is not a workspace policy; there is persistent"
}

// findKey finds the spec of a full key path, nil where there is none.
func findKey(path []string) *keySpec {
	table, key := "", ""
	switch len(path) {
	case 1:
		key = path[0]
		if s := lookupKey(path[0], ""); s != nil {
			return s
		}
	case 2:
		table, key = path[0], path[1]
	case 3:
		table, key = path[0]+"."+path[1], path[2]
	default:
		return nil
	}
	if s := lookupKey(table, key); s != nil {
		return s
	}
	return lookupKey(table, anyKey)
}

func lookupKey(table, key string) *keySpec {
	for i := range keys {
		if keys[i].table == table && keys[i].key == key && (table != "" || key != "") {
			return &keys[i]
		}
	}
	return nil
}

func tableNames() []string {
	var out []string
	for i := range keys {
		if keys[i].kind == kindTable {
			out = append(out, keys[i].path())
		}
	}
	return out
}

func keyNames() []string {
	var out []string
	for i := range keys {
		if k := &keys[i]; k.would == "" && k.key != anyKey {
			out = append(out, k.path())
		}
	}
	return out
}

func (k *keySpec) path() string {
	if k.table == "" || k.key == "" {
		return k.table + k.key
	}
	return k.table + "." + k.key
}
