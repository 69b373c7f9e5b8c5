package tools

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sovrun/sovrun/integration/tools/lab"
)

// module has no dependency; os and what it needs are compiled from source where no cache has them.
var module = map[string]string{
	"go.mod":  "module example.org/hello\n\ngo 1.26\n",
	"main.go": "package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"hello\\n\") }\n",
}

const goScript = `export GOTOOLCHAIN=local GOPROXY=off GOFLAGS=-buildvcs=false
go build -o hello ./... && go vet ./... && ./hello`

// TestGo builds once from nothing, with the toolchain's usual cache in the private home, and with what that left as
// a cache that is granted for writing: the standard library takes half a minute of processor time.
func TestGo(t *testing.T) {
	callers := lab.Callers()
	cold := lab.New(t, callers[len(callers)-1])
	cold.PutAll(module)
	compare(t, "inside, without a cache", cold.Inside(nil, "sh", "-c", goScript+` && cp -r "$HOME/.cache/go-build" built`), `hello\n`)
	cold.HomeIsUntouched()
	lab.Each(t, func(t *testing.T, b *lab.Box) {
		cache := filepath.Join(b.Dir, "cache")
		if out, err := exec.Command("cp", "-r", filepath.Join(cold.Workspace, "built"), cache).CombinedOutput(); err != nil {
			t.Fatalf("copy the cache: %v\n%s", err, out)
		}
		b.Give(cache, b.Caller.Workspace)
		b.PutAll(module)
		compare(t, "inside", b.Inside([]string{"--write", cache, "--set", "GOCACHE=" + cache}, "sh", "-c", goScript), `hello\n`)
		b.HomeIsUntouched()
		compare(t, "outside", b.Outside("env", "GOCACHE="+cache, "sh", "-c", goScript), `hello\n`)
	})
}
