package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// milestone is what ends a stage of a launch: a call, a fork, an execution or an
// exit of one of its processes.
type milestone struct {
	stage string
	who   func(family) int
	kind  eventKind
	nr    int // of an eventCall
}

func ofCloner(f family) int   { return f.cloner }
func ofLauncher(f family) int { return f.launcher }
func ofInit(f family) int     { return f.init }
func ofProvider(f family) int { return f.provider }

// landlock_restrict_self and seccomp; the syscall package is older than both.
const nrLandlockRestrictSelf = 446

var nrSeccomp = map[string]int{"amd64": 317, "arm64": 277}[runtime.GOARCH]

// milestones are in the order of a launch. The first such event of that process
// after the last milestone ends the stage; where there is none, the time goes
// to the next stage, under both names.
var milestones = []milestone{
	{"launcher: start, policy, plan, controls begun", ofCloner, eventForkCall, 0},
	{"clone with its namespaces", ofCloner, eventFork, 0},
	{"id maps, loopback", ofInit, eventCall, syscall.SYS_MOUNT},
	{"sources, mounts, /dev, /proc, masks", ofInit, eventCall, syscall.SYS_PIVOT_ROOT},
	{"pivot", ofInit, eventCall, syscall.SYS_UMOUNT2},
	{"old root gone, terminal, limits, bounding set", ofInit, eventCall, syscall.SYS_CAPSET},
	{"capabilities, Landlock rules", ofInit, eventCall, nrLandlockRestrictSelf},
	{"Landlock domain, descriptors, act before the filter", ofInit, eventCall, nrSeccomp},
	{"filter", ofInit, eventForkCall, 0},
	{"fork of the provider's process", ofInit, eventFork, 0},
	{"acts, verdict, execve", ofProvider, eventExec, 0},
	{"the program", ofProvider, eventExit, 0},
	{"end of init", ofInit, eventExit, 0},
	{"end of the namespaces, launcher: wait, report, end", ofLauncher, eventExit, 0},
}

// stage is the part of a launch up to one milestone.
type stage struct {
	name  string
	us    float64
	calls int // recorded calls of all that runs meanwhile
}

// cutStages divides a launch's events at the milestones, from the execution of
// the launcher on.
func cutStages(events []event, f family) []stage {
	from := slices.IndexFunc(events, func(e event) bool { return e.pid == f.launcher && e.kind == eventExec })
	var stages []stage
	pending := ""
	for _, m := range milestones {
		length := slices.IndexFunc(events[from+1:], func(e event) bool { return m.reached(e, f) }) + 1
		if length == 0 {
			pending += m.stage + "; "
			continue
		}
		to := from + length
		stages = append(stages, stage{pending + m.stage, events[to].us - events[from].us, countCalls(events[from:to])})
		from, pending = to, ""
	}
	return stages
}

// reached tells whether e is m; a fork is one only if it made the launch's next
// process.
func (m milestone) reached(e event, f family) bool {
	next := map[int]int{f.cloner: f.init, f.init: f.provider}
	switch {
	case e.pid != m.who(f) || e.kind != m.kind:
		return false
	case e.kind == eventFork || e.kind == eventForkCall:
		return e.made == next[e.pid]
	}
	return e.kind != eventCall || e.nr == m.nr
}

func countCalls(events []event) int {
	n := 0
	for _, e := range events {
		if e.kind == eventCall || e.kind == eventForkCall {
			n++
		}
	}
	return n
}

// trace records one launch.
func (l *lab) trace(t *tracer) ([]stage, error) {
	target := l.inWorkspace("true")
	c := l.launcher(nameSovrun, target)
	log, err := t.record(func() error {
		_, err := l.output(c.argv)
		return err
	})
	if err != nil {
		return nil, err
	}
	events, err := parseTrace(log)
	if err != nil {
		return nil, err
	}
	f, err := findFamily(events, c.argv[0], target)
	if err != nil {
		return nil, err
	}
	return cutStages(events, f), nil
}

const stageLaunches = 40

// stages shows where a launch spends its time.
func (r *report) stages(l *lab) {
	r.floorStages(l)
	if os.Geteuid() != 0 {
		r.tables = append(r.tables, table{
			title: "Stages of a launch by sovrun",
			head:  []string{"not measured: only root may record events; run the bench as root"},
		})
		return
	}
	t, err := stageTable(l)
	if err != nil {
		r.invalid("stages of a launch", l.who, err)
		return
	}
	r.tables = append(r.tables, t)
}

func stageTable(l *lab) (table, error) {
	tracer, err := newTracer()
	if err != nil {
		return table{}, err
	}
	launches, err := l.traceAll(tracer)
	if err = errors.Join(err, tracer.close()); err != nil {
		return table{}, err
	}
	t := table{
		title: "Stages of a launch by sovrun, by " + l.who,
		notes: []string{fmt.Sprintf("Medians of %d launches, recorded by the kernel's event tracing: forks, executions, exits and all system calls, which costs each of them about a microsecond. The calls are those of the launcher with its threads, of init, of the provider's process and of the controls, whoever ran in that stage.", len(launches))},
		head:  []string{"stage", "microseconds", "share, %", "system calls"},
	}
	var total float64
	for _, s := range launches[0] {
		total += medianStage(launches, s.name, stageTime)
	}
	for _, s := range launches[0] {
		us, calls := medianStage(launches, s.name, stageTime), medianStage(launches, s.name, stageCalls)
		t.rows = append(t.rows, []string{s.name, format(us, ""), format(100*us/total, ""), format(calls, "")})
	}
	t.rows = append(t.rows, []string{"all", format(total, ""), "100", ""})
	return t, nil
}

func (l *lab) traceAll(t *tracer) ([][]stage, error) {
	var launches [][]stage
	for range stageLaunches {
		s, err := l.trace(t)
		if err != nil {
			return nil, err
		}
		launches = append(launches, s)
	}
	return launches, nil
}

func stageTime(s stage) float64  { return s.us }
func stageCalls(s stage) float64 { return float64(s.calls) }

// medianStage returns the median of what value says of the stage called name,
// over the launches that had it.
func medianStage(launches [][]stage, name string, value func(stage) float64) float64 {
	var all []float64
	for _, stages := range launches {
		for _, s := range stages {
			if s.name == name {
				all = append(all, value(s))
			}
		}
	}
	return median(all)
}

// floorStages shows the same for the C launcher, which takes its own times.
func (r *report) floorStages(l *lab) {
	const what, launches = "stages of the C floor", 60
	sums := map[string][]float64{}
	var order []string
	for range launches {
		marks, err := l.floorMarks()
		if err != nil {
			r.invalid(what, l.who, err)
			return
		}
		for _, m := range marks {
			if sums[m.name] == nil {
				order = append(order, m.name)
			}
			sums[m.name] = append(sums[m.name], m.us)
		}
	}
	t := table{
		title: "Stages of a launch by the C floor, by " + l.who,
		notes: []string{fmt.Sprintf("Microseconds, %d launches, no tracing: the launcher reads the clock itself. Its own start is not in it.", launches)},
		head:  []string{"stage", "min", "median"},
	}
	for _, name := range order {
		t.rows = append(t.rows, []string{name, format(quantile(sums[name], 0), ""), format(median(sums[name]), "")})
	}
	r.tables = append(r.tables, t)
}

// floorMarks runs the C floor once and returns its stages. They come over the
// descriptor that stands for pace's results.
func (l *lab) floorMarks() ([]stage, error) {
	ctx, cancel := context.WithTimeout(l.ctx, singleLimit)
	defer cancel()
	extra := []string{"marks", strconv.Itoa(resultFD)}
	cmd, err := l.command(ctx, floorArgv(l.path("floor"), l.layout, extra, []string{l.inWorkspace("true")}))
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	cmd.ExtraFiles[resultFD-3].Close()
	cmd.ExtraFiles[resultFD-3] = write
	out, err := collect(cmd, read, write)
	if err != nil {
		return nil, fmt.Errorf("run the C floor: %w", err)
	}
	return parseMarks(out)
}

func parseMarks(out []byte) ([]stage, error) {
	var all []stage
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		number, name, _ := strings.Cut(lines.Text(), " ")
		ns, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, fmt.Errorf("wanted a mark, got %q", lines.Text())
		}
		all = append(all, stage{name: name, us: ns / 1e3})
	}
	return all, nil
}
