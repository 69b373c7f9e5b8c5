package isolation

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// ordered is the set-up of a program, for rules about its order.
type ordered struct {
	t   *testing.T
	p   *child.Program
	ops []child.Op
}

func (o ordered) each(match func(op *child.Op) bool) (at []int) {
	for i := range o.ops {
		if match(&o.ops[i]) {
			at = append(at, i)
		}
	}
	return at
}

// calls are the places of some system calls.
func (o ordered) calls(nrs ...int) []int {
	return o.each(func(op *child.Op) bool { return slices.Contains(nrs, int(op.Nr)) })
}

// stages are the places of the ops of some stages.
func (o ordered) stages(stages ...child.Stage) []int {
	return o.each(func(op *child.Op) bool { return slices.Contains(stages, op.Stage) })
}

// before fails the test unless all of one kind come before all of the other, and
// there is one of each.
func (o ordered) before(what string, a, b []int) {
	o.t.Helper()
	if len(a) == 0 || len(b) == 0 {
		o.t.Errorf("%s: there are %d and %d of them", what, len(a), len(b))
	} else if slices.Max(a) > slices.Min(b) {
		o.t.Errorf("%s: op %d comes after op %d", what, slices.Max(a), slices.Min(b))
	}
}

// mountCalls change mounts.
var mountCalls = []int{unix.SYS_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_PIVOT_ROOT, unix.SYS_UMOUNT2}

// opensFiles make descriptors.
var opensFiles = []int{unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_OPEN_TREE, unix.SYS_SOCKET, unix.SYS_DUP3}

func eachProgram(t *testing.T, test func(t *testing.T, name string, o ordered)) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			p := compiled(t, v.change)
			test(t, v.name, ordered{t, p, p.Setup})
		})
	}
}

// prctls are the places of one operation of prctl(2).
func (o ordered) prctls(option int) []int {
	return o.each(func(op *child.Op) bool { return op.Nr == unix.SYS_PRCTL && op.Args[0] == uint64(option) })
}

// TestOrder is what must come before what, and why it must.
func TestOrder(t *testing.T) {
	eachProgram(t, func(t *testing.T, name string, o ordered) {
		mounts := o.calls(mountCalls...)
		o.before("the ids are in place before anything is mounted, whose owner they are", o.stages(child.StageIDMap, child.StageCredentials), mounts)
		o.before("a change of uid clears the parent-death signal", o.stages(child.StageIDMap, child.StageCredentials), o.prctls(unix.PR_SET_PDEATHSIG))
		o.before("and whether the launcher lives is asked after it was set", o.prctls(unix.PR_SET_PDEATHSIG), o.calls(unix.SYS_PPOLL))
		o.before("propagation ends before the first mount", o.stages(child.StagePropagation), o.stages(child.StageSources, child.StageCanary, child.StageRoot))
		if mounts[0] != o.stages(child.StagePropagation)[0] {
			t.Errorf("op %d changes mounts before propagation ends", mounts[0])
		}
		o.before("sources are opened before a tmpfs covers some", o.stages(child.StageSources), o.stages(child.StageCanary))
		o.before("the new root comes after the canary", o.stages(child.StageCanary), o.stages(child.StageRoot))
		o.before("everything is mounted before the pivot", o.stages(child.StageMounts, child.StageDev, child.StageProc, child.StageEtc), o.stages(child.StagePivot))
		o.before("the working directory is taken in the new root", o.stages(child.StagePivot), o.stages(child.StageDirectory))
		o.before("no_new_privs comes after capset", o.calls(unix.SYS_CAPSET), o.prctls(unix.PR_SET_NO_NEW_PRIVS))
		o.before("securebits need a capability", o.prctls(unix.PR_SET_SECUREBITS), o.calls(unix.SYS_CAPSET))
		o.before("so does the bounding set", o.prctls(unix.PR_CAPBSET_DROP), o.calls(unix.SYS_CAPSET))
		o.before("capabilities go after the last mount", mounts, o.prctls(unix.PR_SET_SECUREBITS))
		o.before("the filter comes after no_new_privs, without which it cannot be had", o.prctls(unix.PR_SET_NO_NEW_PRIVS), o.calls(unix.SYS_SECCOMP))
		o.before("descriptors are closed when nothing more is opened", o.calls(opensFiles...), o.calls(unix.SYS_CLOSE_RANGE))
		o.before("limits are set when nothing more is opened", o.calls(opensFiles...), o.calls(unix.SYS_PRLIMIT64))
		o.before("the filter comes after the descriptors", o.calls(unix.SYS_CLOSE_RANGE), o.calls(unix.SYS_SECCOMP))
		if name == "nested" {
			if at := append(o.stages(child.StageUserLimit), o.calls(unix.SYS_LANDLOCK_ADD_RULE)...); len(at) > 0 {
				t.Errorf("op %d stands in the way of namespaces within", at[0])
			}
			return
		}
		o.before("a file domain refuses every mount", mounts, o.calls(unix.SYS_LANDLOCK_RESTRICT_SELF))
		o.before("rules are added before the domain is entered", o.calls(unix.SYS_LANDLOCK_ADD_RULE), o.calls(unix.SYS_LANDLOCK_RESTRICT_SELF))
		o.before("the domain is entered with no_new_privs", o.prctls(unix.PR_SET_NO_NEW_PRIVS), o.calls(unix.SYS_LANDLOCK_RESTRICT_SELF))
		o.before("the limit on namespaces is written through the host's /proc", o.stages(child.StageUserLimit), o.stages(child.StageSources))
	})
}

// TestNothingAfterTheFilter but what turns processes into programs.
func TestNothingAfterTheFilter(t *testing.T) {
	eachProgram(t, func(t *testing.T, _ string, o ordered) {
		if last := o.ops[len(o.ops)-1]; last.Nr != unix.SYS_SECCOMP {
			t.Errorf("the set-up ends with %s", callNames[int(last.Nr)])
		}
		p := o.p
		for _, l := range []struct {
			name string
			ops  []child.Op
			may  []int
			last int
		}{
			{"provider", p.Provider, []int{child.OpAwaitInit, unix.SYS_PRCTL}, 0},
			{"exec", p.Exec, []int{unix.SYS_PRCTL, unix.SYS_RT_SIGPROCMASK, unix.SYS_SETRESUID}, unix.SYS_EXECVE},
			{"init", p.Init, []int{unix.SYS_PRCTL, unix.SYS_DUP3, unix.SYS_FCNTL, unix.SYS_SETRESUID}, unix.SYS_EXECVE},
		} {
			for i := range l.ops {
				nr := int(l.ops[i].Nr)
				if i == len(l.ops)-1 && l.last != 0 {
					if nr != l.last {
						t.Errorf("%s ends with %s", l.name, callNames[nr])
					}
				} else if !slices.Contains(l.may, nr) {
					t.Errorf("%s: %s", l.name, callNames[nr])
				}
			}
		}
	})
}

// TestPivot leaves nothing of the old root: it is detached at once, and the
// working directory is taken anew.
func TestPivot(t *testing.T) {
	eachProgram(t, func(t *testing.T, _ string, o ordered) {
		at := o.calls(unix.SYS_PIVOT_ROOT)
		if len(at) != 1 {
			t.Fatalf("%d pivots", len(at))
		}
		next := o.ops[at[0]+1 : at[0]+3]
		if next[0].Nr != unix.SYS_UMOUNT2 || next[0].Args[1] != unix.MNT_DETACH || next[1].Nr != unix.SYS_CHDIR {
			t.Errorf("after the pivot: %s, %s", callNames[int(next[0].Nr)], callNames[int(next[1].Nr)])
		}
	})
}

// TestEveryBindIsCompared: what is mounted is the object that was resolved, by
// inode and by device, looked at on the very descriptor that is mounted; and its
// attributes go to every mount in it (google/nsjail issue 125).
func TestEveryBindIsCompared(t *testing.T) {
	eachProgram(t, func(t *testing.T, _ string, o ordered) {
		moved := map[uint64]bool{}
		for _, i := range o.calls(unix.SYS_MOVE_MOUNT) {
			moved[o.ops[i].Args[0]] = true
		}
		binds := 0
		for i := range o.ops {
			op := &o.ops[i]
			if op.Stage != child.StageSources || op.Nr != unix.SYS_OPEN_TREE || !moved[uint64(op.Save)] {
				continue
			}
			binds++
			if op.Args[2]&unix.AT_SYMLINK_NOFOLLOW == 0 || op.Args[2]&unix.AT_RECURSIVE == 0 || op.Args[2]&unix.OPEN_TREE_CLONE == 0 {
				t.Errorf("op %d opens %q with %#x", i, o.p.Objects[op.Object], op.Args[2])
			}
			o.comparedAndSealed(i)
		}
		want := 0
		for _, m := range samplePlan().Mounts {
			if m.Kind == policy.MountBind {
				want++
			}
		}
		if shifted := len(o.each(func(op *child.Op) bool { return op.Nr == unix.SYS_FCNTL })); binds+shifted != want {
			t.Errorf("%d binds and %d id-mapped ones, wanted %d", binds, shifted, want)
		}
	})
}

// comparedAndSealed looks at the four ops behind an opened tree.
func (o ordered) comparedAndSealed(i int) {
	o.t.Helper()
	tree := uint64(o.ops[i].Save)
	ops := o.ops[i+1 : i+5]
	for k, nr := range []int{unix.SYS_STATX, child.OpCompare, child.OpCompare, unix.SYS_MOUNT_SETATTR} {
		if int(ops[k].Nr) != nr {
			o.t.Fatalf("op %d behind op %d is %s, wanted %s", k, i, callNames[int(ops[k].Nr)], callNames[nr])
		}
	}
	if ops[0].Args[0] != tree || ops[3].Args[0] != tree || (ops[0].Slots&ops[3].Slots&1) == 0 {
		o.t.Errorf("op %d: what is looked at, or sealed, is not what was opened", i)
	}
	// of the inode and of the device, in the buffer that was just filled
	if ops[1].Args[0] != ops[0].Args[4]+statxIno || ops[2].Args[0] != ops[0].Args[4]+statxDev || ops[1].Args[2] != 8 || ops[2].Args[2] != 8 {
		o.t.Errorf("op %d: compared is something else", i)
	}
	if ops[3].Args[2] != unix.AT_RECURSIVE|unix.AT_EMPTY_PATH {
		o.t.Errorf("op %d: the attributes are set with %#x, wanted on every mount", i, ops[3].Args[2])
	}
}

// TestAttributes of what is bound, by what it grants.
func TestAttributes(t *testing.T) {
	const both = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	for a, want := range map[policy.Access]uint64{
		policy.Read:  both | unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOEXEC,
		policy.Exec:  both | unix.MOUNT_ATTR_RDONLY,
		policy.Write: both,
	} {
		if got := attributes(policy.Mount{Access: a}); got != want {
			t.Errorf("%s: %#x, wanted %#x", a, got, want)
		}
	}
}

// TestEveryTmpfsIsBounded in bytes and in inodes, and none runs set-uid programs
// or opens devices but that of the devices.
func TestEveryTmpfsIsBounded(t *testing.T) {
	eachProgram(t, func(t *testing.T, _ string, o ordered) {
		for _, i := range o.calls(unix.SYS_MOUNT) {
			op := &o.ops[i]
			if op.Ptrs&1 == 0 || argument(o.p, op, 0) != `"tmpfs"` {
				continue
			}
			options, flags := argument(o.p, op, 4), op.Args[3]
			for _, need := range []string{"mode=", "size=", "nr_inodes="} {
				if !strings.Contains(options, need) {
					t.Errorf("%s: %s without %s", argument(o.p, op, 1), options, need)
				}
			}
			if flags&unix.MS_NOSUID == 0 || flags&unix.MS_NODEV == 0 && argument(o.p, op, 1) != `"dev"` {
				t.Errorf("%s: flags %#x", argument(o.p, op, 1), flags)
			}
		}
	})
}

// TestOpsNameThemselves: whatever fails can be told as a sentence.
func TestOpsNameThemselves(t *testing.T) {
	eachProgram(t, func(t *testing.T, _ string, o ordered) {
		for i := range o.p.Ops() {
			op, ok := o.p.Op(i)
			if !ok || op.Stage.String() == "unknown stage" || o.p.Objects[op.Object] == "" || callNames[int(op.Nr)] == "" {
				t.Errorf("op %d: call %d, stage %q, object %q", i, op.Nr, op.Stage, o.p.Objects[op.Object])
			}
		}
	})
}

// TestCompileRefuses a program without a filter.
func TestCompileRefuses(t *testing.T) {
	b := child.NewBuilder()
	if err := Compile(b, samplePlan(), &Targets{}, &Inherited{}, b.Vector(nil)); err == nil {
		t.Error("a program without a filter was made")
	}
}
