package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sovrun/sovrun/integration/harness"
)

// TestPublishedSchemas holds what sovrun prints for programs against docs/schema: all
// that it prints is described, and what is described is printed somewhere.
func TestPublishedSchemas(t *testing.T) {
	for _, name := range []string{"report", "plan", "status"} {
		file := filepath.Join("..", "..", "docs", "schema", name+".v1.json")
		schema, err := jsonschema.NewCompiler().Compile(file)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, caller := range harness.Callers() {
			l := lab.place.NewLab(t, caller)
			for _, args := range printed(t, l, name) {
				text := answered(t, l, name, args)
				doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
				if err != nil {
					t.Fatalf("%s: %q: %v in %s", caller, args, err, text)
				}
				if err := schema.Validate(doc); err != nil {
					t.Errorf("%s: %q: %v", caller, args, err)
				}
				keys(doc, seen)
				for _, wrong := range wronged(doc) {
					if schema.Validate(wrong) == nil {
						t.Errorf("%s: %q: valid with another key, and without one that is required", caller, args)
					}
				}
			}
		}
		for _, key := range described(t, file) {
			if !seen[key] && key != unprinted && (key != roots || os.Getuid() == 0) {
				t.Errorf("%s describes %q, which nothing printed", file, key)
			}
		}
	}
}

// Keys that are not seen everywhere: one for messages, where a stream that has it has
// no plan; and one that only root's plans have.
const (
	unprinted = "what"
	roots     = "shift"
)

// printed are calls whose answers have this schema; the status lies in a file.
func printed(t *testing.T, l harness.Lab, schema string) [][]string {
	config := filepath.Join(l.Workspace, "policy.toml")
	if err := os.WriteFile(config, []byte("[filesystem]\nread = [\"/usr/share/doc\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	switch schema {
	case "report":
		return [][]string{{"explain", "--json"}, {"explain", "--json", "--network", "host", "--", "true"}, {"explain", "--json", "--syscalls", "debug", "--limit", "open_files=100"}}
	case "plan":
		return [][]string{
			{"plan", "--json", "--config", config}, {"plan", "--json", "--", "no-such-program"},
			{"plan", "--json", "--hide", "/usr/share", "--read", "/usr/share/doc", "--limit", "processes=99", "--network", "host", "--", "true"},
		}
	}
	return [][]string{{"run", "--", "sh", "-c", "exit 3"}, {"run", "--", "sh", "-c", "kill -TERM $$"}, {"run", "--", "no-such-program"}, {"run", "--network", "host", "--", "true"}}
}

// answered is what a call prints, or leaves in its status file.
func answered(t *testing.T, l harness.Lab, schema string, args []string) []byte {
	t.Helper()
	if schema != "status" {
		out, _ := l.Command(lab.sovrun, args...).Output()
		return out
	}
	file := filepath.Join(l.Workspace, "status.json")
	defer os.Remove(file)
	_ = l.Command(lab.sovrun, slices.Insert(slices.Clone(args), 1, "--status-file", file)...).Run()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// keys collects the keys of all objects.
func keys(doc any, seen map[string]bool) {
	switch v := doc.(type) {
	case map[string]any:
		for k, inner := range v {
			seen[k] = true
			keys(inner, seen)
		}
	case []any:
		for _, inner := range v {
			keys(inner, seen)
		}
	}
}

// wronged are documents that the schema must refuse.
func wronged(doc any) []any {
	more, less := maps.Clone(doc.(map[string]any)), maps.Clone(doc.(map[string]any))
	more["unknown"] = true
	delete(less, "schema")
	return []any{more, less}
}

// described are the keys of all "properties" of a schema.
func described(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		if l, ok := v.([]any); ok {
			for _, inner := range l {
				walk(inner)
			}
		}
		o, _ := v.(map[string]any)
		for k, inner := range o {
			if p, ok := inner.(map[string]any); ok && k == "properties" {
				out = slices.AppendSeq(out, maps.Keys(p))
			}
			if !strings.HasPrefix(k, "$s") {
				walk(inner)
			}
		}
	}
	walk(schema)
	slices.Sort(out)
	return slices.Compact(out)
}
