package child

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestLinks: the linker proves that what is marked nosplit fits the stack, and
// takes the names of the runtime that this package is linked to, in every way of
// building it. Nothing of that is seen by a compiler.
func TestLinks(t *testing.T) {
	for _, row := range []struct {
		name string
		arch string
		args []string
		cgo  string
	}{
		{"with fault switches", runtime.GOARCH, []string{"-tags", "sovrunfault"}, "0"},
		{"with the race detector", runtime.GOARCH, []string{"-race"}, "1"},
		{"with the race detector and fault switches", runtime.GOARCH, []string{"-race", "-tags", "sovrunfault"}, "1"},
		{"amd64", "amd64", nil, "0"},
		{"arm64", "arm64", nil, "0"},
		{"arm64 with fault switches", "arm64", []string{"-tags", "sovrunfault"}, "0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "link")
			build(t, out, row.arch, row.cgo, row.args...)
			f, err := elf.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			wantImage(t, out, f.Machine)
		})
	}
}

func build(t *testing.T, out, arch, cgo string, args ...string) {
	t.Helper()
	args = append([]string{"build", "-trimpath", "-buildvcs=false", "-o", out}, args...)
	cmd := exec.Command("go", append(args, "./testdata/link")...)
	cmd.Env = append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED="+cgo)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
}

// wantImage looks for the code of pid 1 in a program, and for its end near enough.
func wantImage(t *testing.T, path string, m elf.Machine) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	entry := map[elf.Machine][]byte{
		elf.EM_X86_64:  {0x48, 0x8b, 0x74, 0x24, 0x10}, // MOVQ 16(SP), SI
		elf.EM_AARCH64: {0xe1, 0x0b, 0x40, 0xf9},       // MOVD 16(RSP), R1
	}[m]
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], entry)
		if i < 0 {
			t.Fatal("the code of pid 1 was not found")
		}
		at += i
		if end := bytes.Index(text[at:min(at+imageLimitBytes, len(text))], imageEnd()); end >= 0 {
			return
		}
	}
}

// TestFaultSwitches runs what only a test build has.
func TestFaultSwitches(t *testing.T) {
	cmd := exec.Command("go", "test", "-tags", "sovrunfault", "-count=1", "-v", "-run", "^(TestFaults|TestOff)$", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestFaults")) || !bytes.Contains(out, []byte("--- PASS: TestOff")) {
		t.Errorf("%v\n%s", err, out)
	}
}
