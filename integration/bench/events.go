package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// event is one line of a trace.
type event struct {
	pid  int // the thread that it happened to
	us   float64
	kind eventKind
	nr   int    // eventCall: the system call's number
	made int    // eventFork, eventForkCall: the new thread
	file string // eventExec: what is executed
}

type eventKind int

const (
	eventCall     eventKind = iota
	eventForkCall           // an eventCall that made a thread
	eventFork
	eventExec
	eventExit
)

var (
	// COMMAND-PID [CPU] FLAGS SECONDS: EVENT: FIELDS
	traceLine = regexp.MustCompile(`-(\d+)\s+\[\d+\]\s+\S+\s+(\d+\.\d+): (\w+): (.*)$`)
	callLine  = regexp.MustCompile(`^NR (-?\d+) `)
	forkLine  = regexp.MustCompile(`child_pid=(\d+)`)
	execLine  = regexp.MustCompile(`^filename=(.*) pid=\d+ old_pid=\d+$`)
)

// parseTrace reads the trace file of tracefs.
func parseTrace(log string) ([]event, error) {
	var all []event
	lastCall := map[int]int{} // by thread, the index of its last call
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		f := traceLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if f == nil {
			return nil, fmt.Errorf("trace: wanted an event, got %q", line)
		}
		e, err := parseEvent(f[3], f[4])
		if err != nil {
			return nil, fmt.Errorf("trace: %w in %q", err, line)
		}
		seconds, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			return nil, err
		}
		e.us = seconds * 1e6
		if e.pid, err = strconv.Atoi(f[1]); err != nil {
			return nil, err
		}
		switch e.kind {
		case eventCall:
			lastCall[e.pid] = len(all)
		case eventFork:
			if i, ok := lastCall[e.pid]; ok {
				all[i].kind, all[i].made = eventForkCall, e.made
			}
		}
		all = append(all, e)
	}
	return all, nil
}

func parseEvent(name, fields string) (event, error) {
	switch name {
	case "sys_enter":
		nr, err := number(callLine, fields)
		return event{kind: eventCall, nr: nr}, err
	case "sched_process_fork":
		made, err := number(forkLine, fields)
		return event{kind: eventFork, made: made}, err
	case "sched_process_exec":
		f := execLine.FindStringSubmatch(fields)
		if f == nil {
			return event{}, fmt.Errorf("no file name")
		}
		return event{kind: eventExec, file: f[1]}, nil
	case "sched_process_exit":
		return event{kind: eventExit}, nil
	}
	return event{}, fmt.Errorf("unknown event")
}

func number(pattern *regexp.Regexp, fields string) (int, error) {
	f := pattern.FindStringSubmatch(fields)
	if f == nil {
		return 0, fmt.Errorf("no number")
	}
	return strconv.Atoi(f[1])
}

// family is the processes that a launch goes through.
type family struct {
	launcher       int
	cloner         int // the launcher's thread that made init
	init, provider int
}

// findFamily starts from the process that executed target and goes up.
func findFamily(events []event, launcher, target string) (family, error) {
	var f family
	creator := map[int]int{}
	for _, e := range events {
		switch {
		case e.kind == eventFork:
			creator[e.made] = e.pid
		case e.kind == eventExec && e.file == launcher && f.launcher == 0:
			f.launcher = e.pid
		case e.kind == eventExec && e.file == target:
			f.provider = e.pid
		}
	}
	f.init = creator[f.provider]
	f.cloner = creator[f.init]
	if f.launcher == 0 || f.provider == 0 || f.init == 0 || f.cloner == 0 {
		return f, fmt.Errorf("trace: wanted a launcher, its init and a process that executes %q, found %+v", target, f)
	}
	return f, nil
}
