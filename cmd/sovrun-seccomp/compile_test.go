//go:build cgo

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
)

// Answers and architecture words as the kernel has them (linux/seccomp.h,
// linux/audit.h).
const (
	retAllow       = 0x7fff0000
	retLog         = 0x7ffc0000
	retTrap        = 0x00030000
	retErrno       = 0x00050000
	retKillThread  = 0x00000000
	retKillProcess = 0x80000000
	enosys         = retErrno | 38

	auditX86_64  = 0xc000003e
	auditAArch64 = 0xc00000b7
	auditI386    = 0x40000003
)

// evaluate runs a program for one call in golang.org/x/net's machine, which
// reads big-endian: so the words are laid out the other way round.
func evaluate(t *testing.T, prog []byte, arch, nr uint32, args ...uint64) uint32 {
	t.Helper()
	var raw []bpf.RawInstruction
	for ; len(prog) > 0; prog = prog[insnSize:] {
		raw = append(raw, bpf.RawInstruction{Op: binary.LittleEndian.Uint16(prog),
			Jt: prog[2], Jf: prog[3], K: binary.LittleEndian.Uint32(prog[4:])})
	}
	insns, decoded := bpf.Disassemble(raw)
	if !decoded {
		t.Fatal("the program holds an instruction that x/net does not know")
	}
	vm, err := bpf.NewVM(insns)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data, nr)
	binary.BigEndian.PutUint32(data[4:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(a))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(a>>32))
	}
	verdict, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(verdict)
}

func mustCompile(t *testing.T, json, arch string) []byte {
	t.Helper()
	spec, err := readSpec("test", strings.NewReader(json))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := compile(spec, arch)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

func TestActions(t *testing.T) {
	for name, want := range map[string]uint32{
		`"SCMP_ACT_ALLOW"`:                 retAllow,
		`"SCMP_ACT_LOG"`:                   retLog,
		`"SCMP_ACT_TRAP"`:                  retTrap,
		`"SCMP_ACT_KILL"`:                  retKillThread,
		`"SCMP_ACT_KILL_THREAD"`:           retKillThread,
		`"SCMP_ACT_KILL_PROCESS"`:          retKillProcess,
		`"SCMP_ACT_ERRNO"`:                 retErrno | 1,
		`"SCMP_ACT_ERRNO","errnoRet":0`:    retErrno,
		`"SCMP_ACT_ERRNO","errnoRet":4094`: retErrno | 4094,
	} {
		prog := mustCompile(t, `{"defaultAction":"SCMP_ACT_ERRNO","defaultErrnoRet":38,"syscalls":[{"names":["read"],"action":`+name+`}]}`, "amd64")
		if got := evaluate(t, prog, auditX86_64, 0); got != want {
			t.Errorf("%s: %#x, wanted %#x", name, got, want)
		}
		if got := evaluate(t, prog, auditX86_64, 1); got != enosys {
			t.Errorf("%s: write answers %#x, wanted the default %#x", name, got, uint32(enosys))
		}
	}
}

// Each operator below, at and above its value, with the high half clear and set.
func TestOperators(t *testing.T) {
	const v, high = 0x1_00000010, 1 << 32
	values := []uint64{v - 1, v, v + 1, v &^ high, v + high, 0x10, 0, ^uint64(0)}
	for op, matches := range map[string]func(uint64) bool{
		"SCMP_CMP_EQ": func(x uint64) bool { return x == v },
		"SCMP_CMP_NE": func(x uint64) bool { return x != v },
		"SCMP_CMP_LT": func(x uint64) bool { return x < v },
		"SCMP_CMP_LE": func(x uint64) bool { return x <= v },
		"SCMP_CMP_GE": func(x uint64) bool { return x >= v },
		"SCMP_CMP_GT": func(x uint64) bool { return x > v },
	} {
		prog := mustCompile(t, rules1(fmt.Sprintf(`"names":["ioctl"],"action":"SCMP_ACT_ERRNO","errnoRet":7,"args":[{"index":2,"value":%d,"op":%q}]`, uint64(v), op)), "amd64")
		for _, x := range values {
			want := uint32(retAllow)
			if matches(x) {
				want = retErrno | 7
			}
			if got := evaluate(t, prog, auditX86_64, 16, 0, 0, x); got != want {
				t.Errorf("%s %#x: %#x answers %#x, wanted %#x", op, uint64(v), x, got, want)
			}
		}
	}
}

func TestMaskedEqual(t *testing.T) {
	prog := mustCompile(t, rules1(`"names":["ioctl"],"action":"SCMP_ACT_ERRNO","args":[{"index":1,"value":4294967295,"valueTwo":21522,"op":"SCMP_CMP_MASKED_EQ"}]`), "amd64")
	for x, want := range map[uint64]uint32{
		0x5412: retErrno | 1, 0x5412 | 1<<32: retErrno | 1, 0x5412 | 1<<63: retErrno | 1,
		0x5413: retAllow, 0x5411: retAllow, 0x5412 | 1<<31: retAllow,
	} {
		if got := evaluate(t, prog, auditX86_64, 16, 0, x); got != want {
			t.Errorf("%#x answers %#x, wanted %#x", x, got, want)
		}
	}
}

// A rule with arguments beats one without, whichever comes first, whatever the
// default is; calls without such rules are as before.
func TestRuleWithArgumentsWins(t *testing.T) {
	ruled := `{"names":["ioctl"],"action":"SCMP_ACT_ERRNO","errnoRet":7,"args":[{"index":1,"value":4294967295,"valueTwo":5,"op":"SCMP_CMP_MASKED_EQ"}]}`
	clone := `{"names":["clone"],"action":"SCMP_ACT_ALLOW","args":[{"index":0,"value":268435456,"op":"SCMP_CMP_MASKED_EQ"}]}`
	plain := `{"names":["ioctl","read"],"action":"SCMP_ACT_ALLOW"},{"names":["clone"],"action":"SCMP_ACT_ERRNO"}`
	for _, order := range []string{ruled + "," + clone + "," + plain, plain + "," + clone + "," + ruled} {
		for def, answer := range map[string]uint32{"SCMP_ACT_ERRNO": retErrno | 1, "SCMP_ACT_ALLOW": retAllow, "SCMP_ACT_KILL_PROCESS": retKillProcess} {
			prog := mustCompile(t, `{"defaultAction":"`+def+`","syscalls":[`+order+`]}`, "amd64")
			for _, c := range []struct {
				nr   uint32
				arg  uint64
				want uint32
			}{
				{16, 5, retErrno | 7}, {16, 5 | 1<<32, retErrno | 7}, {16, 6, retAllow},
				{56, 0, retAllow}, {56, 268435456, retErrno | 1}, {0, 5, retAllow}, {1, 5, answer},
			} {
				if got := evaluate(t, prog, auditX86_64, c.nr, c.arg, c.arg); got != c.want {
					t.Errorf("default %s: number %d with %#x answers %#x, wanted %#x", def, c.nr, c.arg, got, c.want)
				}
			}
		}
	}
}

// Only a rule with arguments: what it does not match gets the default.
func TestRuleWithArgumentsAlone(t *testing.T) {
	prog := mustCompile(t, `{"defaultAction":"SCMP_ACT_ERRNO","defaultErrnoRet":38,"syscalls":[{"names":["personality"],"action":"SCMP_ACT_ALLOW","args":[{"index":0,"value":8,"op":"SCMP_CMP_EQ"}]}]}`, "amd64")
	for arg, want := range map[uint64]uint32{8: retAllow, 9: enosys, 8 | 1<<32: enosys} {
		if got := evaluate(t, prog, auditX86_64, 135, arg); got != want {
			t.Errorf("personality(%#x) answers %#x, wanted %#x", arg, got, want)
		}
	}
}

// Foreign ABIs get ENOSYS even where the profile allows or kills by default, and
// even where the profile lists them.
func TestForeignABIs(t *testing.T) {
	for _, def := range []string{"SCMP_ACT_ALLOW", "SCMP_ACT_KILL_PROCESS"} {
		prog := mustCompile(t, `{"defaultAction":"`+def+`","architectures":["SCMP_ARCH_X86_64","SCMP_ARCH_X86","SCMP_ARCH_X32"],"syscalls":[{"names":["read"],"action":"SCMP_ACT_LOG"}]}`, "amd64")
		for _, c := range []struct{ arch, nr uint32 }{{auditI386, 3}, {auditAArch64, 63}, {0, 0}, {auditX86_64, 0x40000000}} {
			if got := evaluate(t, prog, c.arch, c.nr); got != enosys {
				t.Errorf("default %s: arch %#x number %#x answers %#x, wanted ENOSYS", def, c.arch, c.nr, got)
			}
		}
		if got := evaluate(t, prog, auditX86_64, 0); got != retLog {
			t.Errorf("default %s: read answers %#x, wanted %#x", def, got, uint32(retLog))
		}
	}
}

// arm64 is compiled by its own numbers, without the calls that it lacks.
func TestOtherArchitecture(t *testing.T) {
	prog := mustCompile(t, `{"defaultAction":"SCMP_ACT_ERRNO","defaultErrnoRet":38,"syscalls":[{"names":["open","openat","arch_prctl"],"action":"SCMP_ACT_ALLOW"}]}`, "arm64")
	for nr := range uint32(600) {
		want := uint32(enosys)
		if nr == 56 { // openat
			want = retAllow
		}
		if got := evaluate(t, prog, auditAArch64, nr); got != want {
			t.Errorf("number %d answers %#x, wanted %#x", nr, got, want)
		}
	}
	if got := evaluate(t, prog, auditX86_64, 257); got != enosys {
		t.Errorf("amd64's openat answers %#x, wanted ENOSYS", got)
	}
}

// The table of late numbers agrees with the kernel's, whether or not the library
// in use knows the name already.
func TestLateNumbers(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		kernel := kernelNumbers(t, arch)
		for name, numbers := range lateNumbers {
			want, has := kernel[name]
			if got, listed := numbers[arch]; listed != has || got != want {
				t.Errorf("%s for %s: %d (%t), the kernel has %d (%t)", name, arch, got, listed, want, has)
			}
		}
	}
	kernel := kernelNumbers(t, runtime.GOARCH)
	audit := map[string]uint32{"amd64": auditX86_64, "arm64": auditAArch64}[runtime.GOARCH]
	for name := range lateNumbers {
		prog := mustCompile(t, rules1(`"names":["`+name+`"],"action":"SCMP_ACT_ERRNO","errnoRet":7`), runtime.GOARCH)
		for nr := range uint32(600) {
			want := uint32(retAllow)
			if number, has := kernel[name]; has && uint32(number) == nr {
				want = retErrno | 7
			}
			if got := evaluate(t, prog, audit, nr); got != want {
				t.Errorf("%s: number %d answers %#x, wanted %#x", name, nr, got, want)
			}
		}
	}
}

func kernelNumbers(t *testing.T, arch string) map[string]int32 {
	t.Helper()
	f, err := os.Open(filepath.Join(filtersDir, "testdata", "syscalls_"+arch+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	numbers := make(map[string]int32)
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var nr int32
		var name string
		if _, err := fmt.Sscanf(sc.Text(), "%d %s", &nr, &name); err == nil {
			numbers[name] = nr
		}
	}
	return numbers
}

// A program the kernel would refuse for its length is not written.
func TestProgramTooLong(t *testing.T) {
	var rules []string
	for i := range 4200 {
		rules = append(rules, fmt.Sprintf(`{"names":["ioctl"],"action":"SCMP_ACT_ERRNO","errnoRet":%d,"args":[{"index":1,"value":%d,"op":"SCMP_CMP_EQ"}]}`, 2+i%100, i*3))
	}
	spec, err := readSpec("test", strings.NewReader(`{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[`+strings.Join(rules, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compile(spec, "amd64"); err == nil || !strings.Contains(err.Error(), "instructions") {
		t.Errorf("compile 4200 rules with arguments: %v; wanted a refusal", err)
	}
}
