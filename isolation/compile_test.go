package isolation

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// samplePlan has one of everything that a program is made of.
func samplePlan() *policy.Plan {
	bind := func(target string, ino uint64, dir bool, a policy.Access) policy.Mount {
		return policy.Mount{Kind: policy.MountBind, Target: target, Source: target, Major: 8, Minor: 1, Inode: ino, Dir: dir, Access: a, MakePoint: true}
	}
	within := func(m policy.Mount) policy.Mount { m.Within, m.MakePoint = true, false; return m }
	usr := bind("/usr", 11, true, policy.Exec)
	work := bind("/srv/w", 12, true, policy.Write)
	return &policy.Plan{
		Identity: policy.Identity{UID: 1000, GID: 1000},
		Command:  policy.Command{Path: "/usr/bin/true", Argv: []string{"true", "argument"}, Cwd: "/srv/w"},
		Mounts: []policy.Mount{
			{Kind: policy.MountDev, Target: "/dev", Dir: true, Access: policy.Write, MakePoint: true, Size: 1 << 20, Inodes: 64, Mode: 0o755},
			bind("/etc/hosts.allow", 13, false, policy.Read),
			{Kind: policy.MountTmpfs, Target: "/home/ada", Dir: true, Access: policy.Write, MakePoint: true, Size: 1 << 20, Inodes: 64, Mode: 0o700},
			{Kind: policy.MountProc, Target: "/proc", Dir: true, Access: policy.Read, MakePoint: true, Masks: []policy.ProcPath{
				{Path: "/proc/kcore"}, {Path: "/proc/acpi", Dir: true}, {Path: "/proc/sys", Dir: true, ReadOnly: true}, {Path: "/sys/firmware", Dir: true},
			}},
			work,
			within(bind("/srv/w/.git/config", 14, false, policy.Read)),
			{Kind: policy.MountMask, Target: "/srv/w/.env", Within: true},
			{Kind: policy.MountMask, Target: "/srv/w/secret", Dir: true, Within: true},
			{Kind: policy.MountTmpfs, Target: "/srv/w/hidden", Dir: true, Access: policy.Hide, Within: true, Size: 4096, Inodes: 16, Mode: 0o111},
			{Kind: policy.MountBind, Target: "/srv/w/hidden/again", Source: "/srv/w/hidden/again", Major: 8, Minor: 1, Inode: 15, Dir: true, Access: policy.Write, Within: true, MakePoint: true},
			usr,
		},
		Dirs:  []policy.Dir{{Path: "/etc", Mode: 0o755}, {Path: "/run", Mode: 0o755}},
		Files: []policy.File{{Path: "/.sovrun/witness", Mode: 0o444, Content: "sovrun\n"}, {Path: "/etc/hosts", Mode: 0o644, Content: "127.0.0.1 localhost\n"}},
		Links: []policy.Link{{Path: "/bin", Target: "usr/bin"}},
		Landlock: []policy.FileRule{
			{Path: "/etc", Dir: true, Access: policy.Read},
			{Path: "/dev", Dir: true, Device: true, Access: policy.Read},
			{Path: "/proc", Dir: true, Access: policy.Read},
			{Path: "/usr", Source: "/usr", Dir: true, Access: policy.Exec},
		},
		Namespaces: policy.NamespacesOf(policy.Policy{}),
		Filter:     "default",
		Limits:     []policy.Limit{{Resource: policy.OpenFiles, Value: 100}, {Resource: policy.FileSize, Value: 1 << 20}},
		Env:        []string{"PATH=/usr/bin", "SOVRUN=1"},
		Streams: [3]policy.Stream{
			{Class: policy.StreamReopen, Path: "/srv/in", Major: 8, Minor: 1, Inode: 16},
			{Class: policy.StreamFeed},
			{Class: policy.StreamNull, Device: "null", Flags: unix.O_RDWR},
		},
	}
}

// variants are the ways in which a provider gets its identity.
var variants = []struct {
	name   string
	change func(p *policy.Plan, in *Inherited)
}{
	{"user", func(*policy.Plan, *Inherited) {}},
	{"handover", func(p *policy.Plan, _ *Inherited) { p.Identity.Changed = true }},
	{"root", func(p *policy.Plan, in *Inherited) {
		p.Identity = policy.Identity{KeepsRoot: true}
		in.Shifted = map[string]int{"/usr": 9}
	}},
	{"nested", func(p *policy.Plan, in *Inherited) { p.Filter, p.OwnSession = "nested", true }},
}

// compiled is the program of a variant, with an act at every mark.
func compiled(t *testing.T, change func(p *policy.Plan, in *Inherited)) *child.Program {
	t.Helper()
	p, in := samplePlan(), &Inherited{
		Report: 5, Launcher: 6, LauncherEnd: 7, Ruleset: 8, RulesetFlags: 4, ABI: 7, CoreHard: 1 << 30, Capabilities: 2,
		OpenFiles: unix.Rlimit{Cur: 1024, Max: 4096}, Offsets: [3]int64{42, 0, 0}, Feeds: [3]int{0, 10, 0}, Filter: "eight by",
	}
	change(p, in)
	b := child.NewBuilder()
	early(b, unix.CLONE_NEWNS|unix.CLONE_NEWNET)
	for m := child.MarkIPC; m <= child.MarkDumpable; m++ {
		b.AddAct(child.Act{Where: child.InSetup, Mark: m, Control: child.Nowhere}, func(b *child.Builder) { b.Decide(unix.SYS_GETPID) }, nil)
	}
	targets := &Targets{Canary: "/tmp/.sovrun-x/canary", LowFD: 9, HighFD: 1024}
	check(t, Compile(b, p, targets, in, b.Vector(p.Env)))
	return b.P
}

// callNames are the calls that programs make, on every machine under one name.
var callNames = map[int]string{
	unix.SYS_CAPSET: "capset", unix.SYS_CHDIR: "chdir", unix.SYS_CLOSE: "close", unix.SYS_CLOSE_RANGE: "close_range",
	unix.SYS_DUP3: "dup3", unix.SYS_EXECVE: "execve", unix.SYS_FCNTL: "fcntl", unix.SYS_IOCTL: "ioctl",
	unix.SYS_LANDLOCK_ADD_RULE: "landlock_add_rule", unix.SYS_LANDLOCK_RESTRICT_SELF: "landlock_restrict_self",
	unix.SYS_LSEEK: "lseek", unix.SYS_MKDIRAT: "mkdirat", unix.SYS_MKNODAT: "mknodat", unix.SYS_MOUNT: "mount",
	unix.SYS_MOUNT_SETATTR: "mount_setattr", unix.SYS_MOVE_MOUNT: "move_mount", unix.SYS_OPEN_TREE: "open_tree",
	unix.SYS_OPENAT: "openat", unix.SYS_OPENAT2: "openat2", unix.SYS_PIVOT_ROOT: "pivot_root", unix.SYS_PPOLL: "ppoll",
	unix.SYS_PRCTL: "prctl", unix.SYS_PRLIMIT64: "prlimit64", unix.SYS_READ: "read", unix.SYS_RT_SIGPROCMASK: "rt_sigprocmask",
	unix.SYS_SECCOMP: "seccomp", unix.SYS_SET_TID_ADDRESS: "set_tid_address", unix.SYS_SETGROUPS: "setgroups",
	unix.SYS_SETRESGID: "setresgid", unix.SYS_SETRESUID: "setresuid", unix.SYS_SETSID: "setsid", unix.SYS_SOCKET: "socket",
	unix.SYS_STATX: "statx", unix.SYS_SYMLINKAT: "symlinkat", unix.SYS_UMOUNT2: "umount2", unix.SYS_UNSHARE: "unshare",
	unix.SYS_WRITE: "write", unix.SYS_SETPGID: "setpgid",
	child.OpCompare: "COMPARE", child.OpAct: "ACT", child.OpControl: "CONTROL", child.OpFind: "FIND",
	child.OpOwnFiles: "OWN FILES", child.OpAwaitInit: "AWAIT INIT", child.OpFail: "FAIL",
}

// wordArgs are the arguments that point at 64-bit words, by call: so many of them.
var wordArgs = map[int]map[int]int{
	unix.SYS_MOUNT_SETATTR:     {3: 2},
	unix.SYS_LANDLOCK_ADD_RULE: {2: 1},
	unix.SYS_PRLIMIT64:         {2: 2},
	unix.SYS_SECCOMP:           {2: 1},
	child.OpCompare:            {1: 1},
}

// arguments counts those of a call that are printed; the rest are zero.
func arguments(o *child.Op) int {
	n := len(o.Args)
	for n > 0 && o.Args[n-1] == 0 && (o.Ptrs|o.Slots)>>(n-1)&1 == 0 {
		n--
	}
	return n
}

// listing prints a list of ops: stage, object, call and arguments, no addresses.
func listing(p *child.Program, name string, ops []child.Op) string {
	var b strings.Builder
	fmt.Fprintf(&b, "== %s\n", name)
	last := ""
	for i := range ops {
		o := &ops[i]
		if head := fmt.Sprintf("%s: %s", o.Stage, p.Objects[o.Object]); head != last {
			fmt.Fprintf(&b, "-- %s\n", head)
			last = head
		}
		call, ok := callNames[int(o.Nr)]
		if !ok {
			call = "system call " + strconv.Itoa(int(o.Nr))
		}
		args := make([]string, arguments(o))
		for k := range args {
			args[k] = argument(p, o, k)
		}
		fmt.Fprintf(&b, "%s(%s)%s\n", call, strings.Join(args, ", "), results(o))
	}
	return b.String()
}

func results(o *child.Op) (s string) {
	if o.Want != child.WantAny {
		s += fmt.Sprintf(" = %d", o.Want)
	}
	if o.Save != child.NoSlot {
		s += fmt.Sprintf(" -> s%d", o.Save)
	}
	if o.Store != 0 {
		s += " -> struct"
	}
	if o.Accept != 0 {
		s += " or " + unix.ErrnoName(unix.Errno(o.Accept))
	}
	return s
}

// argument prints one: what a pointer points at, where it is text or known words.
func argument(p *child.Program, o *child.Op, k int) string {
	v := o.Args[k]
	switch {
	case o.Slots>>k&1 != 0:
		return "s" + strconv.FormatUint(v, 10)
	case o.Ptrs>>k&1 == 0 && int64(v) == unix.AT_FDCWD:
		return "AT_FDCWD"
	case o.Ptrs>>k&1 == 0 && o.Nr == unix.SYS_OPENAT && k == 2:
		return openFlags(v)
	case o.Ptrs>>k&1 == 0:
		return "0x" + strconv.FormatUint(v, 16)
	}
	data := p.Arena[v:]
	if o.Nr == unix.SYS_OPENAT2 && k == 2 {
		return "{" + openFlags(words(data, 1)[0]) + " " + fmt.Sprintf("%#x", words(data, 3)[1:]) + "}"
	}
	if n, ok := wordArgs[int(o.Nr)][k]; ok {
		return fmt.Sprintf("%#x", words(data, n))
	}
	if o.Nr == unix.SYS_WRITE {
		return text(data[:min(o.Args[2], 24)])
	}
	if o.Nr == unix.SYS_IOCTL || o.Nr == unix.SYS_EXECVE && k > 0 {
		return "&"
	}
	return text(data[:slices.Index(data, 0)])
}

// words reads 64-bit words of the arena.
func words(data []byte, n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = binary.NativeEndian.Uint64(data[8*i:])
	}
	return out
}

// openFlags names the flags of open(2), whose numbers are not the same everywhere.
func openFlags(v uint64) string {
	names := []string{[]string{"O_RDONLY", "O_WRONLY", "O_RDWR"}[v&unix.O_ACCMODE]}
	v &^= unix.O_ACCMODE
	for _, f := range []struct {
		bit  uint64
		name string
	}{
		{unix.O_CLOEXEC, "O_CLOEXEC"}, {unix.O_CREAT, "O_CREAT"}, {unix.O_EXCL, "O_EXCL"},
		{unix.O_NOFOLLOW, "O_NOFOLLOW"}, {unix.O_PATH, "O_PATH"}, {unix.O_DIRECTORY, "O_DIRECTORY"},
	} {
		if v&f.bit != 0 {
			names, v = append(names, f.name), v&^f.bit
		}
	}
	if v != 0 {
		names = append(names, strconv.FormatUint(v, 16))
	}
	return strings.Join(names, "|")
}

// text is a string in quotes, or a mark where it is none.
func text(b []byte) string {
	for _, c := range b {
		if (c < ' ' || c > '~') && c != '\n' {
			return "&"
		}
	}
	return strconv.Quote(string(b))
}

// TestProgram compares the programs with golden listings. What the order and the
// arguments must be whatever they look like is in the invariants below.
func TestProgram(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			p := compiled(t, v.change)
			got := ""
			for _, l := range []struct {
				name string
				ops  []child.Op
			}{{"early", p.Early}, {"setup", p.Setup}, {"provider", p.Provider}, {"exec", p.Exec}, {"init", p.Init}, {"prelude of the control", p.Prelude}} {
				got += listing(p, l.name, l.ops)
			}
			// The image of pid 1 is another one on each machine.
			got = strings.ReplaceAll(got, fmt.Sprintf("0x%x) = %d\n", len(child.InitImage()), len(child.InitImage())), "whole image)\n")
			wantGolden(t, "program-"+v.name+".golden", got)
		})
	}
}

func wantGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		check(t, os.MkdirAll("testdata", 0o755))
		check(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	check(t, err)
	a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s, line %d:\n  have %q\nwanted %q\n(-update writes it anew)", path, i+1, at(b, i), at(a, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "the end"
}
