package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// tracer records a launch with the kernel's own event tracing (tracefs, Linux
// 4.1; Documentation/trace/events.rst). An event costs about a microsecond and
// stops nobody, where a debugger's stops cost more than the launch itself.
type tracer struct {
	instance string // a ring buffer of the bench's own
	mounted  string // the mount point, where the bench mounted tracefs itself
}

const tracefsPoint = "/sys/kernel/tracing"

func newTracer() (*tracer, error) {
	t := &tracer{instance: filepath.Join(tracefsPoint, "instances", "sovrun-bench-"+strconv.Itoa(os.Getpid()))}
	if !exists(filepath.Join(tracefsPoint, "instances")) {
		if err := syscall.Mount("tracefs", tracefsPoint, "tracefs", 0, ""); err != nil {
			return nil, fmt.Errorf("mount tracefs on %q: %w; the kernel needs event tracing", tracefsPoint, err)
		}
		t.mounted = tracefsPoint
	}
	err := os.Mkdir(t.instance, 0o700)
	if err == nil {
		err = t.configure()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("set up event tracing: %w", err), t.close())
	}
	return t, nil
}

func (t *tracer) configure() error {
	return errors.Join(
		t.set("trace_clock", "mono"), // the default clock differs between processors
		t.set("options/event-fork", "1"),
		t.set("events/sched/sched_process_fork/enable", "1"),
		t.set("events/sched/sched_process_exec/enable", "1"),
		t.set("events/sched/sched_process_exit/enable", "1"),
		t.set("events/raw_syscalls/sys_enter/enable", "1"))
}

func (t *tracer) set(file, value string) error {
	return os.WriteFile(filepath.Join(t.instance, file), []byte(value), 0)
}

// record returns the events of what run starts. Events are followed from the
// thread that forks, so run has to start its command on the thread it is
// called on.
func (t *tracer) record(run func() error) (string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := errors.Join(
		t.set("trace", ""),
		t.set("set_event_pid", strconv.Itoa(syscall.Gettid())),
		t.set("tracing_on", "1"))
	if err != nil {
		return "", err
	}
	err = run()
	if err := errors.Join(err, t.set("tracing_on", "0"), t.set("set_event_pid", "")); err != nil {
		return "", err
	}
	log, err := os.ReadFile(filepath.Join(t.instance, "trace"))
	return string(log), err
}

// close removes the instance and what else newTracer made.
func (t *tracer) close() error {
	var errs []error
	if exists(t.instance) {
		errs = append(errs, syscall.Rmdir(t.instance))
	}
	if t.mounted != "" {
		errs = append(errs, syscall.Unmount(t.mounted, syscall.MNT_DETACH))
	}
	return errors.Join(errs...)
}
