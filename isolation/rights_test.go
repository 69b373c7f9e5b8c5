package isolation

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// rightNames are Landlock's file rights by their bit (landlock(7)), one letter each.
const rightNames = "xwrldfcDRSFBYotI"

// bits are the rights that letters stand for.
func bits(letters string) (b uint64) {
	for _, l := range letters {
		b |= 1 << strings.IndexRune(rightNames, l)
	}
	return b
}

// TestRights by hand: x execute, w write, r read, l list, d rmdir, f unlink, c char
// device, D mkdir, R regular file, S socket, F FIFO, B block device, Y link, o refer,
// t truncate, I ioctl on devices. Devices are never made.
func TestRights(t *testing.T) {
	for _, row := range []struct {
		name string
		rule policy.FileRule
		abi  map[int]string // by the ABI that changed it
	}{
		{"hidden", policy.FileRule{Access: policy.Hide, Dir: true}, map[int]string{1: ""}},
		{"read a directory", policy.FileRule{Access: policy.Read, Dir: true}, map[int]string{1: "rl"}},
		{"read a file", policy.FileRule{Access: policy.Read}, map[int]string{1: "r"}},
		{"execute in a directory", policy.FileRule{Access: policy.Exec, Dir: true}, map[int]string{1: "xrl"}},
		{"execute a file", policy.FileRule{Access: policy.Exec}, map[int]string{1: "xr"}},
		{"write a directory", policy.FileRule{Access: policy.Write, Dir: true}, map[int]string{
			1: "xwrldfDRSFY", 2: "xwrldfDRSFYo", 3: "xwrldfDRSFYot",
		}},
		{"write a file", policy.FileRule{Access: policy.Write}, map[int]string{1: "xwr", 3: "xwrt"}},
		{"devices", policy.FileRule{Access: policy.Read, Device: true, Dir: true}, map[int]string{1: "wrl", 3: "wrlt", 5: "wrltI"}},
		{"a device", policy.FileRule{Access: policy.Read, Device: true}, map[int]string{1: "wr", 3: "wrt", 5: "wrtI"}},
	} {
		want := ""
		for abi := 1; abi <= 12; abi++ {
			if w, ok := row.abi[abi]; ok {
				want = w
			}
			if got := rights(row.rule, abi); got != bits(want) {
				t.Errorf("%s with ABI %d: %016b, wanted %016b (%s)", row.name, abi, got, bits(want), want)
			}
		}
	}
}

// TestRightsOnFiles: what only makes sense on a directory is EINVAL on a file
// (landlock_add_rule(2)). The kernel is the judge.
func TestRightsOnFiles(t *testing.T) {
	abi := landlockABI(0)
	if abi < 1 {
		t.Fatal("this kernel has no Landlock; start the tests where it has")
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: supported(abi)}
	ruleset := landlockCall(t, unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(ptr(&attr)), unsafeSize(attr), 0)
	defer unix.Close(ruleset)
	for _, path := range []string{"/dev/null", "/etc/passwd", "/etc"} {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		check(t, err)
		defer unix.Close(fd)
		for _, a := range []policy.Access{policy.Read, policy.Exec, policy.Write} {
			for _, device := range []bool{false, true} {
				r := policy.FileRule{Access: a, Device: device, Dir: path == "/etc"}
				beneath := unix.LandlockPathBeneathAttr{Allowed_access: rights(r, abi), Parent_fd: int32(fd)}
				landlockCall(t, unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(ptr(&beneath)))
			}
		}
	}
}

// TestRulesetHandlesAll: whatever an ABI can refuse is refused unless a rule grants
// it, sockets by their path (ABI 9) among it, and from ABI 6 on abstract sockets and
// signals beyond the domain.
func TestRulesetHandlesAll(t *testing.T) {
	const resolveUnix = 1 << 16
	for abi, c := range configs() {
		files, scopes := uint64(0), uint64(0)
		if abi >= 1 {
			files = supported(abi)
		}
		if abi >= 6 {
			scopes = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		}
		if abi >= 9 {
			files |= resolveUnix
		}
		if uint64(c.HandledAccessFS) != files || uint64(c.Scoped) != scopes {
			t.Errorf("ABI %d handles %b and %b, wanted %b and %b", abi, c.HandledAccessFS, c.Scoped, files, scopes)
		}
	}
}

// TestRulesetIsStrict: for an ABI with rights that the kernel does not have there
// is no ruleset at all, rather than one that enforces less.
func TestRulesetIsStrict(t *testing.T) {
	have := landlockABI(0)
	f := newResolver().fact("/usr")
	usr := policy.FileRule{Path: "/usr", Source: "/usr", Dir: true, Access: policy.Exec, Inode: f.Inode, Major: f.Major, Minor: f.Minor}
	plan := &policy.Plan{Landlock: []policy.FileRule{usr}}
	if fd, _, err := Ruleset(plan, 0); fd != -1 || err != nil {
		t.Errorf("without Landlock: %d, %v", fd, err)
	}
	known := configs()
	for abi := 1; abi < len(known); abi++ {
		mine, more := known[min(have, len(known)-1)], known[abi]
		lacks := more.HandledAccessFS&^mine.HandledAccessFS != 0 || more.Scoped&^mine.Scoped != 0
		fd, _, err := Ruleset(plan, abi)
		if lacks != (err != nil) || lacks != (fd < 0) {
			t.Errorf("ABI %d on a kernel with %d: %d, %v", abi, have, fd, err)
		}
		closeAll([]int{fd})
	}
	plan.Landlock[0].Inode++
	if fd, _, err := Ruleset(plan, have); fd >= 0 || err == nil || !strings.Contains(err.Error(), `"/usr"`) {
		t.Errorf("a rule about what was exchanged: %d, %v", fd, err)
	}
}

// TestExplanations: every one is found by its stage and errno, says what it means
// and what to do.
func TestExplanations(t *testing.T) {
	p := child.NewBuilder().P
	p.Objects = append(p.Objects, "/an/object")
	for _, x := range explanations() {
		f := &child.Failure{Errno: x.errno, Op: child.Op{Stage: x.stage, Object: 1}}
		e := Explain(p, f)
		text := e.Error()
		for _, part := range []string{x.stage.String(), `"/an/object"`, unix.ErrnoName(x.errno), x.meaning} {
			if part == "" || !strings.Contains(text, part) {
				t.Errorf("%q does not hold %q", text, part)
			}
		}
		if e.Remedy != x.remedy || e.Remedy == "" || e.Unwrap() != x.errno {
			t.Errorf("%q: remedy %q, errno %v", text, e.Remedy, e.Unwrap())
		}
	}
}

// TestFailuresWithoutExplanation still name stage, object, errno and what to do.
func TestFailuresWithoutExplanation(t *testing.T) {
	p := child.NewBuilder().P
	p.Objects = append(p.Objects, "/x")
	for _, row := range []struct {
		f    child.Failure
		want string
	}{
		{child.Failure{Errno: unix.EIO, Op: child.Op{Stage: child.StageMounts, Object: 1}}, `setting up mounts ("/x"): input/output error (EIO)`},
		{child.Failure{Errno: unix.EIO, Op: child.Op{Stage: child.StageFilter}}, `setting up filter: input/output error (EIO)`},
		{child.Failure{Result: 3, Op: child.Op{Stage: child.StageEtc, Object: 1, Want: 7}}, `setting up etc ("/x"): the result was 3, wanted 7`},
	} {
		e := Explain(p, &row.f)
		if e.Error() != row.want || e.Remedy == "" {
			t.Errorf("%q, remedy %q, wanted %q", e.Error(), e.Remedy, row.want)
		}
	}
}

// TestUnforeseen: an error of the launcher's own steps is told like one of the child's.
func TestUnforeseen(t *testing.T) {
	_, _, err := Ruleset(&policy.Plan{Landlock: []policy.FileRule{{Source: "/nonexistent"}}}, 1)
	e := Unforeseen(err)
	if e.Stage != "landlock" || !strings.Contains(e.Error(), `opening "/nonexistent": no such file`) || e.Remedy == "" {
		t.Errorf("%q, stage %q, remedy %q", e.Error(), e.Stage, e.Remedy)
	}
	if r := Unforeseen(&SetupError{Stage: "x", Errno: unix.EMFILE}).Remedy; !strings.Contains(r, "ulimit -n") {
		t.Errorf("too many files: %q", r)
	}
}

// TestCloneFailures: a clone that failed is told like an op that failed.
func TestCloneFailures(t *testing.T) {
	for errno, want := range map[unix.Errno]string{
		unix.ENOSPC: "a limit on namespaces is reached",
		unix.EPERM:  "does not let this user make user namespaces",
		unix.EUSERS: "nested too deeply",
	} {
		var e *SetupError
		err := cloneFailure(&child.StartError{What: "child", Errno: errno})
		if !errors.As(err, &e) || e.Stage != "clone" || e.Object != "child" || !errors.Is(err, errno) || !strings.Contains(err.Error(), want) || e.Remedy == "" {
			t.Errorf("%v: %v", errno, err)
		}
	}
	other := errors.New("something else")
	if err := cloneFailure(other); err != other {
		t.Errorf("%v became %v", other, err)
	}
}

// TestRemedies of what a launcher runs out of, at whatever stage.
func TestRemedies(t *testing.T) {
	for errno, want := range map[unix.Errno]string{
		unix.EMFILE: "ulimit -n", unix.ENFILE: "fs.file-max", unix.EAGAIN: "ulimit -u", unix.ENOMEM: "free memory", unix.ENOBUFS: "free memory", unix.EIO: "sovrun plan",
	} {
		f := &child.Failure{Errno: errno, Op: child.Op{Stage: child.StageEtc}}
		if got := Explain(child.NewBuilder().P, f).Remedy; !strings.Contains(got, want) {
			t.Errorf("%v: %q, wanted %q in it", errno, got, want)
		}
	}
}
