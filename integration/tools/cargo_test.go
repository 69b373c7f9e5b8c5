package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/integration/tools/lab"
)

// cargoVariable names the directory of a Rust toolchain (the one that holds bin/cargo) for a test of one that lies
// outside of /usr, as rustup's do.
const cargoVariable = "SOVRUN_TEST_CARGO"

var crate = map[string]string{
	"Cargo.toml":  "[package]\nname = \"hello\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"src/main.rs": "fn main() {\n    let t = std::thread::spawn(|| \"hello\");\n    println!(\"{}\", t.join().unwrap());\n}\n",
	"src/lib.rs":  "#[test]\nfn passes() {}\n",
}

const cargoScript = "cargo build --offline -q && ./target/debug/hello && cargo test --offline -q --lib | grep -c '1 passed'"

// toolchains are directories with bin/cargo that the sandbox shows or can be made to show. rustup's proxies are not
// looked for: they stand in the caller's real home, on which no test may depend.
func toolchains() []string {
	candidates := []string{"/usr"}
	if named := os.Getenv(cargoVariable); named != "" {
		candidates = append(candidates, named)
	}
	shared, _ := filepath.Glob("/usr/local/rustup/toolchains/*") // the pattern is well-formed
	var out []string
	for _, dir := range append(candidates, shared...) {
		if _, err := os.Stat(filepath.Join(dir, "bin/cargo")); err == nil {
			out = append(out, dir)
		}
	}
	return out
}

// TestCargo builds and tests a crate with every Rust toolchain that there is. Where there is none for a caller, the
// command is as missing inside as outside.
func TestCargo(t *testing.T) {
	found := toolchains()
	lab.Each(t, func(t *testing.T, b *lab.Box) {
		tried := 0
		for _, dir := range found {
			tried += cargo(t, b, dir)
		}
		if tried == 0 && b.Inside(nil, "cargo", "--version").Code != 127 {
			t.Error("no toolchain outside: wanted status 127 inside")
		}
	})
}

// cargo returns 0 where the caller cannot run this toolchain even outside.
func cargo(t *testing.T, b *lab.Box, dir string) int {
	path := dir + "/bin:" + lab.Path
	if b.Outside("env", "PATH="+path, "cargo", "--version").Code != 0 {
		return 0
	}
	b.Clear()
	b.PutAll(crate)
	flags := []string{"--set", "PATH=" + path}
	if !strings.HasPrefix(dir, "/usr") { // which is in view
		flags = append(flags, "--exec", dir)
	}
	compare(t, "inside, "+dir, b.Inside(flags, "sh", "-c", cargoScript), `hello\n1\n`)
	b.HomeIsUntouched()
	b.Clear()
	b.PutAll(crate)
	compare(t, "outside, "+dir, b.Outside("env", "PATH="+path, "sh", "-c", cargoScript), `hello\n1\n`)
	return 1
}
