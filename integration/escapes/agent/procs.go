package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func procActs() map[string]act {
	return map[string]act{
		"proc_scan":    procScan,
		"environ_scan": environScan,
		"unconfined":   unconfinedTask,
		"environment":  ownVariable,
		"printenv":     childVariable,
	}
}

// processes are the numeric names in /proc, the caller's own left out.
func processes() []string {
	paths, _ := filepath.Glob("/proc/[0-9]*")
	var out []string
	for _, p := range paths {
		if p != "/proc/"+strconv.Itoa(os.Getpid()) {
			out = append(out, p)
		}
	}
	return out
}

// procScan reads a path through a link of every process: root or cwd.
func procScan(a []string) (string, error) {
	last := error(unix.ENOENT)
	tried := processes()
	for _, p := range tried {
		text, err := readPath([]string{p + "/" + a[0] + "/" + a[1]})
		if err == nil {
			return p + ": " + text, nil
		}
		last = err
	}
	return fmt.Sprintf("%d processes tried", len(tried)), last
}

// environScan looks for a variable in the environment of every other process.
func environScan(a []string) (string, error) {
	last := error(unix.ENOENT)
	tried := processes()
	for _, p := range tried {
		env, err := os.ReadFile(p + "/environ")
		if err != nil {
			last = err
			continue
		}
		if v, ok := variable(env, a[0]); ok {
			return p + ": " + v, nil
		}
	}
	return fmt.Sprintf("%d processes tried", len(tried)), last
}

func variable(env []byte, name string) (string, bool) {
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if text, ok := bytes.CutPrefix(v, []byte(name+"=")); ok {
			return string(text), true
		}
	}
	return "", false
}

// ownVariable looks into what the kernel keeps of the process's own environment.
func ownVariable(a []string) (string, error) {
	env, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return "", err
	}
	for _, known := range [][]byte{env, []byte(strings.Join(os.Environ(), "\x00"))} {
		if v, ok := variable(known, a[0]); ok {
			return v, nil
		}
	}
	return "", unix.ENOENT
}

// childVariable asks a program, which inherits what there is.
func childVariable(a []string) (string, error) {
	out, err := output(a[1])
	if err != nil {
		return "", fmt.Errorf("%s: %v", a[1], err)
	}
	if v, ok := variable(bytes.ReplaceAll(out, []byte("\n"), []byte{0}), a[0]); ok {
		return v, nil
	}
	return "", unix.ENOENT
}

// unconfinedTask looks for a thread in sight without a filter.
func unconfinedTask([]string) (string, error) {
	paths, _ := filepath.Glob("/proc/[0-9]*/task/[0-9]*/status")
	tried := 0
	for _, p := range paths {
		status, err := os.ReadFile(p)
		if err != nil {
			continue
		}
		tried++
		if mode := field(status, "Seccomp"); mode != "2" {
			return fmt.Sprintf("%s: Seccomp %s", p, mode), nil
		}
	}
	return fmt.Sprintf("%d tasks, all with a filter", tried), unix.ENOENT
}

// field is a line of /proc/PID/status without its name, proc_pid_status(5).
func field(status []byte, name string) string {
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
