package filters_test

import (
	"embed"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/isolation/filters"
)

// The words of seccomp_data.arch (linux/audit.h).
const (
	auditX86_64  = 0xc000003e
	auditAArch64 = 0xc00000b7
	auditI386    = 0x40000003
	auditARM     = 0x40000028

	x32Bit = 0x40000000 // __X32_SYSCALL_BIT
)

var (
	foreign = []uint32{auditX86_64, auditAArch64, auditI386, auditARM, 0}
	allOnes = [6]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	arches  = []arch{{"amd64", auditX86_64}, {"arm64", auditAArch64}}
)

type arch struct {
	name  string
	audit uint32
}

// files is embedded so that the test binary runs by itself in a virtual machine.
//
//go:embed testdata/syscalls_*.txt bpf/*.bpf
var files embed.FS

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// numbers reads the kernel's table of this architecture.
func (a arch) numbers(t *testing.T) map[string]uint32 {
	t.Helper()
	table := readFile(t, "testdata/syscalls_"+a.name+".txt")
	numbers := make(map[string]uint32)
	for line := range strings.Lines(table) {
		var nr uint32
		var name string
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%d %s", &nr, &name); err != nil {
			t.Fatalf("%s: %q: %v", a.name, line, err)
		}
		numbers[name] = nr
	}
	if len(numbers) < 300 {
		t.Fatalf("%s: only %d system calls", a.name, len(numbers))
	}
	return numbers
}

func (a arch) names(t *testing.T) map[uint32]string {
	names := make(map[uint32]string)
	for name, nr := range a.numbers(t) {
		names[nr] = name
	}
	return names
}

// forEachProgram runs check for every profile of every architecture.
func forEachProgram(t *testing.T, check func(t *testing.T, a arch, p filters.Profile, prog program)) {
	for _, a := range arches {
		for _, p := range filters.Names() {
			t.Run(a.name+"/"+string(p), func(t *testing.T) {
				check(t, a, p, decode(t, []byte(readFile(t, "bpf/"+string(p)+"_"+a.name+".bpf"))))
			})
		}
	}
}

// call is struct seccomp_data without the instruction pointer.
type call struct {
	nr, arch uint32
	args     [6]uint64
}

// word is what the filter reads at an offset of struct seccomp_data, little-endian.
func (c call) word(offset uint32) (word uint32, isArg, ok bool) {
	switch {
	case offset == 0:
		return c.nr, false, true
	case offset == 4:
		return c.arch, false, true
	case offset < 16 || offset >= 64 || offset%4 != 0:
		return 0, false, false
	}
	arg := c.args[(offset-16)/8]
	if offset%8 == 4 {
		arg >>= 32
	}
	return uint32(arg), true, true
}

type insn struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

type program []insn

func decode(t *testing.T, raw []byte) program {
	t.Helper()
	if len(raw) == 0 || len(raw)%8 != 0 {
		t.Fatalf("program of %d bytes; wanted a multiple of 8", len(raw))
	}
	var prog program
	for ; len(raw) > 0; raw = raw[8:] {
		prog = append(prog, insn{binary.LittleEndian.Uint16(raw), raw[2], raw[3], binary.LittleEndian.Uint32(raw[4:])})
	}
	return prog
}

// run evaluates the classic BPF that a seccomp filter is made of, and says
// whether it read an argument. An instruction it does not know fails the test.
func (p program) run(t *testing.T, c call) (verdict uint32, usedArgs bool) {
	t.Helper()
	var acc uint32
	for pc := 0; pc < len(p); pc++ {
		in := p[pc]
		taken := false
		switch in.code {
		case 0x20: // BPF_LD|BPF_W|BPF_ABS
			word, isArg, ok := c.word(in.k)
			if !ok {
				t.Fatalf("instruction %d reads offset %d", pc, in.k)
			}
			acc, usedArgs = word, usedArgs || isArg
			continue
		case 0x54: // BPF_ALU|BPF_AND|BPF_K
			acc &= in.k
			continue
		case 0x05: // BPF_JMP|BPF_JA
			pc += int(in.k)
			continue
		case 0x06: // BPF_RET|BPF_K
			return in.k, usedArgs
		case 0x15: // BPF_JMP|BPF_JEQ|BPF_K
			taken = acc == in.k
		case 0x25: // BPF_JMP|BPF_JGT|BPF_K
			taken = acc > in.k
		case 0x35: // BPF_JMP|BPF_JGE|BPF_K
			taken = acc >= in.k
		default:
			t.Fatalf("instruction %d has code %#x", pc, in.code)
		}
		if taken {
			pc += int(in.jt)
		} else {
			pc += int(in.jf)
		}
	}
	t.Fatalf("the program runs off its end for number %d", c.nr)
	return 0, false
}

func checkVerdict(t *testing.T, prog program, c call, want uint32, what string) {
	t.Helper()
	if got, _ := prog.run(t, c); got != want {
		t.Errorf("%s: number %#x arch %#x args %#x: verdict %#x, wanted %#x", what, c.nr, c.arch, c.args, got, want)
	}
}
