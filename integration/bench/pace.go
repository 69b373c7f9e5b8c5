package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Descriptors that pace and everything it launches inherit.
const (
	resultFD = 3
	filterFD = 4 // a seccomp program, rewound before each launch
)

// command is one program that is launched again and again.
type command struct {
	name string
	argv []string // argv[0] is a path
}

// series is what a command's launches took, a value for each round.
type series struct {
	name     string
	us       []float64 // wall time, microseconds
	failures int       // launches that did not exit with 0
	peakKiB  int64     // the largest ru_maxrss
}

// pacing says how launches follow each other.
type pacing struct {
	rounds int
	gap    time.Duration // rest before each launch
}

const (
	warmupRounds = 3
	launchLimit  = 100 * time.Millisecond // on average; far above what any peer takes
)

// pace runs the commands in paired rounds and fails if any launch failed: a
// command that gives up early is always the fastest.
func (l *lab) pace(p pacing, commands []command) ([]series, error) {
	out, err := l.runPace(p, commands)
	if err != nil {
		return nil, fmt.Errorf("pace %s: %w", names(commands), err)
	}
	all, err := parseLaunches(out, commands, p.rounds)
	if err != nil {
		return nil, fmt.Errorf("pace %s: %w", names(commands), err)
	}
	for _, s := range all {
		if s.failures > 0 {
			return nil, fmt.Errorf("pace: %d of %d launches of %s failed", s.failures, p.rounds, s.name)
		}
	}
	return all, nil
}

func (l *lab) runPace(p pacing, commands []command) ([]byte, error) {
	launches := (p.rounds + warmupRounds) * len(commands)
	limit := 10*time.Second + time.Duration(launches)*(launchLimit+p.gap)
	ctx, cancel := context.WithTimeout(l.ctx, limit)
	defer cancel()

	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	cmd, err := l.command(ctx, paceArgs(l.path("pace"), p, commands))
	if err != nil {
		write.Close()
		return nil, err
	}
	cmd.ExtraFiles[resultFD-3].Close()
	cmd.ExtraFiles[resultFD-3] = write
	cmd.SysProcAttr.Setpgid = true
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return collect(cmd, read, write)
}

// collect starts cmd and reads what it writes to its own copy of write.
func collect(cmd *exec.Cmd, read, write *os.File) ([]byte, error) {
	err := cmd.Start()
	write.Close()
	closeAll(cmd.ExtraFiles)
	if err != nil {
		return nil, err
	}
	out, readErr := io.ReadAll(read)
	if err := cmd.Wait(); err != nil {
		return nil, err
	}
	return out, readErr
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // a second close of the same file only returns an error
	}
}

func paceArgs(tool string, p pacing, commands []command) []string {
	argv := []string{
		tool, strconv.Itoa(p.rounds), strconv.Itoa(warmupRounds), strconv.FormatInt(p.gap.Microseconds(), 10),
		strconv.Itoa(resultFD), strconv.Itoa(filterFD),
	}
	for _, c := range commands {
		argv = append(argv, strconv.Itoa(len(c.argv)))
		argv = append(argv, c.argv...)
	}
	return argv
}

func parseLaunches(out []byte, commands []command, rounds int) ([]series, error) {
	all := make([]series, len(commands))
	for i, c := range commands {
		all[i].name = c.name
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var round, index, status int
		var ns, kib int64
		if _, err := fmt.Sscan(lines.Text(), &round, &index, &ns, &status, &kib); err != nil || index >= len(all) {
			return nil, fmt.Errorf("wanted a launch, got %q", lines.Text())
		}
		s := &all[index]
		s.us = append(s.us, float64(ns)/1e3)
		s.peakKiB = max(s.peakKiB, kib)
		if status != 0 {
			s.failures++
		}
	}
	for _, s := range all {
		if len(s.us) != rounds {
			return nil, fmt.Errorf("wanted %d launches of %s, got %d", rounds, s.name, len(s.us))
		}
	}
	return all, nil
}

func names(commands []command) string {
	list := make([]string, len(commands))
	for i, c := range commands {
		list[i] = c.name
	}
	return strings.Join(list, ", ")
}
