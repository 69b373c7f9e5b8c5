package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// machineFacts says what the numbers depend on: nothing that names the machine.
func machineFacts(t tools, bwrap string) [][]string {
	return [][]string{
		{"date", time.Now().UTC().Format(time.DateOnly)},
		{"kernel", strings.TrimSpace(readOr("/proc/sys/kernel/osrelease", "unknown"))},
		{"Landlock ABI", landlockABI()},
		{"architecture", runtime.GOARCH},
		{"processor", cpuField("model name") + virtual()},
		{"cores", strconv.Itoa(runtime.NumCPU())},
		{"Go", runtime.Version()},
		{"C compiler", t.compiler + ", " + firstLine("gcc", "--version")},
		{"bubblewrap", firstLine(bwrap, "--version")},
		{"waiting for a processor, last minute", pressure()},
	}
}

func readOr(name, otherwise string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return otherwise
	}
	return string(text)
}

func cpuField(name string) string {
	for line := range strings.Lines(readOr("/proc/cpuinfo", "")) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func virtual() string {
	if strings.Contains(cpuField("flags"), " hypervisor") {
		return ", a virtual machine"
	}
	return ""
}

// landlockABI asks the kernel: landlock_create_ruleset(NULL, 0,
// LANDLOCK_CREATE_RULESET_VERSION), landlock(7).
func landlockABI() string {
	const createRuleset, version = 444, 1
	abi, _, errno := syscall.Syscall(createRuleset, 0, 0, version)
	if errno != 0 {
		return "none"
	}
	return strconv.Itoa(int(abi))
}

func firstLine(tool string, args ...string) string {
	out, err := exec.Command(tool, args...).Output()
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}

// pressure returns the share of time in which something waited for a processor
// (/proc/pressure/cpu, "some", avg60), an idle machine's being near 0.
func pressure() string {
	for _, field := range strings.Fields(readOr("/proc/pressure/cpu", "")) {
		if value, ok := strings.CutPrefix(field, "avg60="); ok {
			return fmt.Sprintf("%s %%", value)
		}
	}
	return "unknown"
}
