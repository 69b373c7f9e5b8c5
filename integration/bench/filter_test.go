package main

import (
	"slices"
	"syscall"
	"testing"
)

// verdict runs the filter on one call.
func verdict(t *testing.T, code []syscall.SockFilter, arch, nr uint32) uint32 {
	t.Helper()
	var acc uint32
	for pc := 0; pc < len(code); pc++ {
		in := code[pc]
		jump := false
		switch in.Code {
		case opLoad:
			acc = map[uint32]uint32{offNr: nr, offArch: arch}[in.K]
			continue
		case opReturn:
			return in.K
		case opEqual:
			jump = acc == in.K
		case opAbove:
			jump = acc >= in.K
		default:
			t.Fatalf("instruction %d: unknown code %#x", pc, in.Code)
		}
		if jump {
			pc += int(in.Jt)
		} else {
			pc += int(in.Jf)
		}
	}
	t.Fatal("the filter ends without a verdict")
	return 0
}

func TestFilterHasSixtyRules(t *testing.T) {
	numbers := slices.Clone(refusedCalls[:])
	slices.Sort(numbers)
	if n := len(slices.Compact(numbers)); n != 60 {
		t.Errorf("%d different calls are refused, want 60", n)
	}
}

func TestFilterVerdicts(t *testing.T) {
	code, err := buildFilter()
	if err != nil {
		t.Fatal(err)
	}
	arch, err := auditArch()
	if err != nil {
		t.Fatal(err)
	}
	for nr := range uint32(1024) {
		want := uint32(retAllow)
		if slices.Contains(refusedCalls[:], nr) {
			want = retErrno | uint32(syscall.EPERM)
		}
		if got := verdict(t, code, arch, nr); got != want {
			t.Errorf("call %d: %#x, want %#x", nr, got, want)
		}
	}
	enosys := retErrno | uint32(syscall.ENOSYS)
	for _, c := range []struct{ arch, nr uint32 }{{arch, x32Bit}, {arch, ^uint32(0)}, {arch ^ 1, 0}, {0x40000003, 1}} {
		if got := verdict(t, code, c.arch, c.nr); got != enosys {
			t.Errorf("architecture %#x, call %#x: %#x, want ENOSYS", c.arch, c.nr, got)
		}
	}
}

// bubblewrap wants whole instructions of eight bytes (struct sock_filter).
func TestEncodeFilter(t *testing.T) {
	content, err := encodeFilter([]syscall.SockFilter{{Code: opReturn, Jt: 1, Jf: 2, K: 3}, {Code: opLoad}})
	if err != nil {
		t.Fatal(err)
	}
	if len(content) != 16 || content[2] != 1 || content[3] != 2 {
		t.Errorf("encoded to % x", content)
	}
}
