package isolation

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/isolation/child/atstart"
	"github.com/sovrun/sovrun/isolation/filters"
	"github.com/sovrun/sovrun/policy"
)

// Launch is one launch, from the descriptors that it needs to the end of the
// provider. The sandbox dies with the thread that calls Begin: where goroutines end
// that are locked to their threads, the caller must be locked to one that stays.
type Launch struct {
	Targets Targets

	plan       *policy.Plan
	in         Inherited
	reportFD   int // read end of the report pipe
	signals    int // read end of the pipe of caught signals, -1: none are caught
	builder    *child.Builder
	started    *child.Launch
	namespaces policy.Namespaces
	ours       []int // descriptors that are closed when the child has been started
	aims       []int // sockets that acts aim at, closed when there is a verdict
	kept       []int // descriptors that are closed at the end
	feeding    []feed
}

// Begin starts the child, which makes its namespaces while the launcher finds out
// the rest.
func Begin(n policy.Namespaces) (*Launch, error) {
	// An earlier launch left this process non-dumpable, and so does a file that may
	// only be executed; the child could not write its own id maps then (proc(5)).
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("launcher: becoming dumpable for the set-up: %w", err)
	}
	l := &Launch{builder: child.NewBuilder(), namespaces: n, signals: -1}
	if err := l.pipes(); err != nil {
		l.Close()
		return nil, err
	}
	var unshared uintptr
	p := l.builder.P
	p.ErrorFD = l.in.Report
	p.CloneFlags, unshared = namespaceFlags(n)
	early(l.builder, unshared)
	started, err := p.Begin()
	if err != nil {
		l.Close()
		return nil, cloneFailure(err)
	}
	l.started = started
	l.builder.Prefault()
	return l, nil
}

// Prepare makes what a launch of this plan needs: the sockets and descriptors
// that acts aim at, the Landlock ruleset, id-mapped trees.
func (l *Launch) Prepare(p *policy.Plan, h *Host) error {
	if p.Namespaces != l.namespaces {
		return errors.New("launcher: the plan is for other namespaces than those that were made")
	}
	l.plan = p
	for _, step := range []func(*Host) error{l.limitsAsStarted, l.targets, l.environment, l.ruleset, l.shifted, l.feeds, l.filter} {
		if err := step(h); err != nil {
			return err
		}
	}
	l.in.Offsets = h.offsets
	return nil
}

// Builder is where the acts go.
func (l *Launch) Builder() *child.Builder { return l.builder }

// pipes makes the two pipes of a launch; all of them close on exec.
func (l *Launch) pipes() error {
	var ends [2][2]int
	for i := range ends {
		if err := unix.Pipe2(ends[i][:], unix.O_CLOEXEC); err != nil {
			return fmt.Errorf("launcher: making a pipe: %w", err)
		}
	}
	l.reportFD, l.in.Report = ends[0][0], ends[0][1]
	l.in.Launcher, l.in.LauncherEnd = ends[1][0], ends[1][1]
	l.ours = append(l.ours, l.in.Report, l.in.Launcher)
	l.kept = append(l.kept, l.reportFD, l.in.LauncherEnd)
	return nil
}

// limitsAsStarted reads what the runtime or sovrun changed for themselves.
func (l *Launch) limitsAsStarted(*Host) error {
	var core unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_CORE, nil, &core); err != nil {
		return fmt.Errorf("limits: reading the core limit: %w", err)
	}
	l.in.CoreHard = core.Max
	l.in.Capabilities = capabilities()
	soft, hard := atstart.OpenFiles()
	l.in.OpenFiles = unix.Rlimit{Cur: soft, Max: hard}
	return nil
}

// capabilities counts those that the kernel has: 41 since Linux 5.9.
// PR_CAPBSET_READ is EINVAL for a number that is none (prctl(2)).
func capabilities() int {
	n := 41
	for n > 0 && !hasCapability(n-1) {
		n--
	}
	for n < 64 && hasCapability(n) {
		n++
	}
	return n
}

func hasCapability(n int) bool {
	_, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(n), 0, 0, 0)
	return err == nil
}

func (l *Launch) ruleset(h *Host) error {
	l.in.ABI = h.Facts.Landlock
	fd, flags, err := Ruleset(l.plan, h.Facts.Landlock)
	if err != nil {
		return err
	}
	l.in.Ruleset, l.in.RulesetFlags = fd, flags
	if fd >= 0 {
		l.ours = append(l.ours, fd)
	}
	return nil
}

func (l *Launch) filter(*Host) error {
	code, ok := filters.Program(filters.Profile(l.plan.Filter))
	if !ok {
		return fmt.Errorf("filter: there is no profile %q for this machine", l.plan.Filter)
	}
	l.in.Filter = code
	return nil
}

// Start compiles the program and lets the child run it. The acts must be in the
// builder; env is the vector that they inspect.
func (l *Launch) Start(env uint32) error {
	if err := Compile(l.builder, l.plan, &l.Targets, &l.in, env); err != nil {
		return err
	}
	if err := l.started.Continue(); err != nil {
		return cloneFailure(err)
	}
	closeAll(l.ours)
	l.ours = nil
	if err := l.holdMounts(); err != nil {
		return err
	}
	l.startFeeds()
	if l.plan.Identity.Changed {
		return l.writeMaps()
	}
	return nil
}

// holdMounts keeps the sandbox's mount namespace until everything inside is gone. A
// process of a nested command may be in another one, and outlives pid 1 by a moment:
// when the namespace went with pid 1 (fs/namespace.c, umount_tree), what the process
// had opened there lay bare of every mask and read-only mount.
func (l *Launch) holdMounts() error {
	if !l.plan.Nested() || child.Off("mounts-held") {
		return nil
	}
	path := "/proc/" + strconv.Itoa(l.started.PID) + "/ns/mnt"
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT || err == unix.ESRCH {
		return nil // the child is gone, and its report says why
	}
	if err != nil {
		return fmt.Errorf("mounts: holding them until the end: %w", err)
	}
	l.kept = append(l.kept, fd)
	return nil
}

// writeMaps gives a child that changes its identity its maps, then the word to go on.
func (l *Launch) writeMaps() error {
	id := l.plan.Identity
	dir := "/proc/" + strconv.Itoa(l.started.PID)
	for _, m := range []struct {
		file string
		id   int
	}{{"uid_map", id.UID}, {"gid_map", id.GID}} {
		n := strconv.Itoa(m.id)
		if err := os.WriteFile(dir+"/"+m.file, []byte(n+" "+n+" 1"), 0); err != nil {
			e := &SetupError{Stage: child.StageIDMap.String(), Object: m.file + " for " + n, Errno: errnoOf(err)}
			e.explain(child.StageIDMap)
			return e
		}
	}
	// A broken pipe: the child is gone, and its report says why.
	if _, err := unix.Write(l.in.LauncherEnd, []byte{1}); err != nil && err != unix.EPIPE {
		return fmt.Errorf("id map: telling the child: %w", err)
	}
	return nil
}

// Wait waits for pid 1 of the sandbox, and with it for everything inside.
func (l *Launch) Wait() (unix.WaitStatus, error) {
	var ws unix.WaitStatus
	for {
		_, err := unix.Wait4(l.started.PID, &ws, unix.WALL, nil)
		if err == nil {
			l.started.Release()
			return ws, nil
		}
		if err != unix.EINTR {
			return 0, fmt.Errorf("launcher: waiting for the sandbox: %w", err)
		}
	}
}

// Signal sends a signal to pid 1 of the sandbox, which passes it on.
func (l *Launch) Signal(s unix.Signal) error {
	return unix.PidfdSendSignal(l.started.PIDFD, s, nil, 0)
}

// Kill ends the sandbox at once, with all that runs in it.
func (l *Launch) Kill() { _ = l.Signal(unix.SIGKILL) }

// Abandon kills a sandbox that shall not come to a verdict and waits for its end.
func (l *Launch) Abandon() {
	l.Kill()
	_, _ = l.Wait()
}

// Close gives up what the launch still holds. The sandbox must be gone.
func (l *Launch) Close() {
	closeAll(l.ours)
	closeAll(l.aims)
	closeAll(l.kept)
	l.ours, l.aims, l.kept = nil, nil, nil
	for _, f := range l.feeding {
		unix.Close(f.to)
	}
	if l.started != nil {
		unix.Close(l.started.PIDFD)
	}
}
