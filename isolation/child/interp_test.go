package child

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// failing is how the last op of a row is to fail.
type failing struct {
	errno  syscall.Errno
	result int64
}

// opRows are ops of the child. After the last one a marker is stored, which
// must be there exactly if no op was to fail.
var opRows = []struct {
	name  string
	ops   func(b *Builder)
	fails *failing
}{
	{"immediate arguments", func(b *Builder) {
		b.Setup(syscall.SYS_UMASK, Imm(0o27))
		b.Setup(syscall.SYS_UMASK, Imm(0)).Want = 0o27
	}, nil},
	{"pointers into the arena and results of earlier ops", func(b *Builder) {
		fd, text, got := memfd(b), b.Bytes("sovereign", 1), b.Alloc(9, 1)
		b.Setup(syscall.SYS_WRITE, Slot(fd), Ptr(text), Imm(9)).Want = 9
		b.Setup(syscall.SYS_PREAD64, Slot(fd), Ptr(got), Imm(9), Imm(3)).Want = 6
		b.Setup(OpCompare, Ptr(got), Ptr(text+3), Imm(6))
	}, nil},
	{"six arguments", func(b *Builder) {
		from, to := memfd(b), memfd(b)
		b.Setup(syscall.SYS_WRITE, Slot(from), Ptr(b.Bytes("abcdef", 1)), Imm(6)).Want = 6
		b.Setup(unix.SYS_COPY_FILE_RANGE, Slot(from), Ptr(b.Words(2)), Slot(to), Ptr(b.Words(1)), Imm(3), Imm(0)).Want = 3
		got := b.Alloc(8, 8)
		b.Setup(syscall.SYS_PREAD64, Slot(to), Ptr(got), Imm(8), Imm(0)).Want = 4
		b.Setup(OpCompare, Ptr(got), Ptr(b.Bytes("\x00cde", 1)), Imm(4))
	}, nil},
	{"the sixth argument counts", func(b *Builder) {
		fd := memfd(b)
		b.Setup(unix.SYS_COPY_FILE_RANGE, Slot(fd), Imm(0), Slot(fd), Imm(0), Imm(0), Imm(1))
	}, &failing{syscall.EINVAL, 0}},
	{"an address that the launcher relocated", func(b *Builder) {
		fd, text := memfd(b), b.Bytes("vector", 1)
		iov := b.Words(0, 6)
		b.Relocate(iov, text)
		b.Setup(syscall.SYS_WRITEV, Slot(fd), Ptr(iov), Imm(1)).Want = 6
	}, nil},
	{"an errno", func(b *Builder) { b.Setup(syscall.SYS_CLOSE, Imm(-1)) }, &failing{syscall.EBADF, 0}},
	{"an accepted errno", func(b *Builder) {
		b.Setup(syscall.SYS_CLOSE, Imm(-1)).Accept = int16(syscall.EBADF)
	}, nil},
	{"another errno than the accepted one", func(b *Builder) {
		b.Setup(syscall.SYS_CLOSE, Imm(-1)).Accept = int16(syscall.EINVAL)
	}, &failing{syscall.EBADF, 0}},
	{"no other result than the wanted one", func(b *Builder) {
		b.Setup(syscall.SYS_UMASK, Imm(0o31))
		b.Setup(syscall.SYS_UMASK, Imm(0)).Want = 0o30
	}, &failing{0, 0o31}},
	{"an accepted errno is no wanted result", func(b *Builder) {
		o := b.Setup(syscall.SYS_CLOSE, Imm(-1))
		o.Accept, o.Want = int16(syscall.EBADF), 0
	}, &failing{syscall.EBADF, 0}},
	{"an op that failed leaves no result behind", func(b *Builder) {
		s := b.NewSlot()
		o := b.Setup(syscall.SYS_FCNTL, Imm(-1), Imm(syscall.F_DUPFD), Imm(3))
		o.Save, o.Accept = s, int16(syscall.EBADF)
		b.Setup(syscall.SYS_FCNTL, Slot(s), Imm(syscall.F_GETFD)) // 0 would be the standard input
	}, &failing{syscall.EBADF, 0}},
	{"the same bytes", func(b *Builder) { compareOp(b, "same text", "same text", 9) }, nil},
	{"no bytes at all", func(b *Builder) { compareOp(b, "one", "two", 0) }, nil},
	{"another first byte", func(b *Builder) { compareOp(b, "aame text", "same text", 9) }, &failing{syscall.ESTALE, 0}},
	{"another last byte", func(b *Builder) { compareOp(b, "same texT", "same text", 9) }, &failing{syscall.ESTALE, 0}},
	{"another byte after the last", func(b *Builder) { compareOp(b, "same texT", "same text", 8) }, nil},
	{"nothing but zeros", func(b *Builder) { b.Setup(OpAllZero, Ptr(b.Alloc(24, 8)), Imm(24)) }, &failing{syscall.EPERM, 0}},
	{"a last byte that is not zero", func(b *Builder) {
		b.Setup(OpAllZero, Ptr(b.Bytes("\x00\x00\x00\x01", 1)), Imm(4)).Want = 3
	}, nil},
	{"a byte that is not zero after the last", func(b *Builder) {
		b.Setup(OpAllZero, Ptr(b.Bytes("\x00\x00\x00\x01", 1)), Imm(3))
	}, &failing{syscall.EPERM, 0}},
	{"the entry that starts with the prefix", func(b *Builder) {
		lookFor(b, []string{"A=1", "CAN", "CANARY=1"}, "CANARY=").Want = 2
	}, nil},
	{"the entry that is the prefix", func(b *Builder) { lookFor(b, []string{"A=", "B="}, "B=").Want = 1 }, nil},
	{"the first entry that any prefix fits", func(b *Builder) {
		lookFor(b, []string{"X", "B", "A"}, "A", "B").Want = 1
	}, nil},
	{"an entry shorter than the prefix", func(b *Builder) { lookFor(b, []string{"CANAR"}, "CANARY") }, &failing{syscall.ENOENT, 0}},
	{"no entry with the prefix", func(b *Builder) { lookFor(b, []string{"XCANARY"}, "CANARY") }, &failing{syscall.ENOENT, 0}},
	{"no entry", func(b *Builder) { lookFor(b, nil, "A") }, &failing{syscall.ENOENT, 0}},
	{"no prefix", func(b *Builder) { lookFor(b, []string{"A"}) }, &failing{syscall.ENOENT, 0}},
	{"an empty prefix", func(b *Builder) { lookFor(b, []string{"A"}, "").Want = 0 }, nil},
	{"a refusal", func(b *Builder) { b.Setup(OpFail, Imm(int(syscall.ENOTRECOVERABLE))) }, &failing{syscall.ENOTRECOVERABLE, 0}},
	{"an unknown pseudo call", func(b *Builder) { b.Setup(-100) }, &failing{syscall.ENOSYS, 0}},
}

// memfd makes an empty file.
func memfd(b *Builder) int16 {
	return b.Open(unix.SYS_MEMFD_CREATE, Ptr(b.String("test")), Imm(unix.MFD_CLOEXEC))
}

func compareOp(b *Builder, one, other string, n int) {
	b.Setup(OpCompare, Ptr(b.Bytes(one, 1)), Ptr(b.Bytes(other, 1)), Imm(n))
}

func lookFor(b *Builder, entries []string, prefixes ...string) *Op {
	return b.Setup(OpFind, Ptr(b.Vector(entries)), Ptr(b.Vector(prefixes)))
}

func TestOps(t *testing.T) {
	if !alone(t) {
		return
	}
	for _, row := range opRows {
		t.Run(row.name, func(t *testing.T) {
			b := builder()
			b.At(StageMounts, row.name)
			row.ops(b)
			last := len(b.P.Early) + len(b.P.Setup) - 1
			marker := b.Alloc(8, 8)
			b.Setup(syscall.SYS_GETPID).Store = marker
			got := carryOut(t, b)
			if passed := b.word32(marker) != 0; passed != (row.fails == nil) {
				t.Errorf("the op after the last was carried out: %v, failure: %+v", passed, got.failure)
			}
			if row.fails != nil {
				wantFailure(t, b, got, Failure{Index: last, Errno: row.fails.errno, Result: row.fails.result}, StageMounts, row.name)
			}
		})
	}
}

// wantFailure compares a reported failure and how the child ended.
func wantFailure(t *testing.T, b *Builder, got outcome, want Failure, stage Stage, object string) {
	t.Helper()
	f := got.failure
	if f == nil {
		t.Fatalf("no failure was reported, the child ended with %#x", got.status)
	}
	if f.Index != want.Index || f.Errno != want.Errno || f.Errno == 0 && f.Result != want.Result {
		t.Errorf("op %d failed with %d (%v) and result %d, wanted op %d, %d and %d", f.Index, f.Errno, f.Errno, f.Result, want.Index, want.Errno, want.Result)
	}
	if f.Op.Stage != stage || b.P.Objects[f.Op.Object] != object {
		t.Errorf("it belongs to stage %q, object %q, wanted %q, %q", f.Op.Stage, b.P.Objects[f.Op.Object], stage, object)
	}
}

// TestStore: a result goes into a field of a structure and nowhere beside it.
func TestStore(t *testing.T) {
	if !alone(t) {
		return
	}
	const far = 0x123456789 // an offset of more than 32 bits
	for _, row := range []struct {
		name  string
		flags uint8
		want  uint64
	}{
		{"four bytes", 0, 0xffffffff_23456789},
		{"eight bytes", FlagStore64, far},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := builder()
			fd := memfd(b)
			words := b.Words(^uint64(0), ^uint64(0), ^uint64(0))
			o := b.Setup(syscall.SYS_LSEEK, Slot(fd), Imm(uint64(far)), Imm(0))
			o.Store, o.Flags = words+8, row.flags
			b.Setup(syscall.SYS_CLOSE, Imm(-1)).Store = 0
			b.P.Setup[len(b.P.Setup)-1].Accept = int16(syscall.EBADF)
			if got := carryOut(t, b); got.failure != nil {
				t.Fatalf("%+v", got.failure)
			}
			for i, want := range []uint64{^uint64(0), row.want, ^uint64(0)} {
				if got := b.word64(words + uint32(8*i)); got != want {
					t.Errorf("word %d is %#x, wanted %#x", i, got, want)
				}
			}
		})
	}
}
