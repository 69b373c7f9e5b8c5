//go:build cgo

package main

import (
	"strings"
	"testing"
)

// refusedProfiles are profiles that no filter may be made of, and a word of the
// reason given.
var refusedProfiles = []struct{ name, json, reason string }{
	{"empty", ``, "EOF"},
	{"no object", `[]`, "cannot unmarshal"},
	{"unknown key", `{"defaultAction":"SCMP_ACT_ALLOW","syscall":[]}`, `unknown field "syscall"`},
	{"engine's key", `{"defaultAction":"SCMP_ACT_ALLOW","archMap":[]}`, `unknown field "archMap"`},
	{"unknown key in a rule", `{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["read"],"action":"SCMP_ACT_LOG","excludes":{}}]}`, `unknown field "excludes"`},
	{"two objects", `{"defaultAction":"SCMP_ACT_ALLOW"}{}`, "follows the profile"},
	{"text behind", `{"defaultAction":"SCMP_ACT_ALLOW"} x`, "follows the profile"},
	{"no default action", `{}`, `unknown action ""`},
	{"unknown default action", `{"defaultAction":"ALLOW"}`, `unknown action "ALLOW"`},
	{"unknown action", rules1(`"names":["read"],"action":"SCMP_ACT_DENY"`), `unknown action "SCMP_ACT_DENY"`},
	{"trace", rules1(`"names":["read"],"action":"SCMP_ACT_TRACE"`), "needs a process"},
	{"notify", rules1(`"names":["read"],"action":"SCMP_ACT_NOTIFY"`), "needs a process"},
	{"trace by default", `{"defaultAction":"SCMP_ACT_TRACE"}`, "needs a process"},
	{"errno of no errno", rules1(`"names":["read"],"action":"SCMP_ACT_KILL","errnoRet":1`), "takes no errno"},
	{"default errno of no errno", `{"defaultAction":"SCMP_ACT_ALLOW","defaultErrnoRet":1}`, "takes no errno"},
	{"errno too large", rules1(`"names":["read"],"action":"SCMP_ACT_ERRNO","errnoRet":4095`), "above the limit of 4094"},
	{"unknown name", rules1(`"names":["read","raed"],"action":"SCMP_ACT_LOG"`), `unknown system call "raed"; check`},
	{"empty name", rules1(`"names":[""],"action":"SCMP_ACT_LOG"`), `unknown system call ""`},
	{"no names", rules1(`"names":[],"action":"SCMP_ACT_LOG"`), "no names"},
	{"unknown operator", rules1(`"names":["read"],"action":"SCMP_ACT_LOG","args":[{"index":0,"value":1,"op":"EQ"}]`), `unknown operator "EQ"`},
	{"argument 6", rules1(`"names":["read"],"action":"SCMP_ACT_LOG","args":[{"index":6,"value":1,"op":"SCMP_CMP_EQ"}]`), "arguments 0 to 5"},
	{"one argument twice", rules1(`"names":["read"],"action":"SCMP_ACT_LOG","args":[{"index":1,"value":1,"op":"SCMP_CMP_GE"},{"index":1,"value":9,"op":"SCMP_CMP_LE"}]`), "two conditions on argument 1"},
	{"value outside the mask", rules1(`"names":["read"],"action":"SCMP_ACT_LOG","args":[{"index":1,"value":240,"valueTwo":1,"op":"SCMP_CMP_MASKED_EQ"}]`), "outside the mask"},
	{"second value of nothing", rules1(`"names":["read"],"action":"SCMP_ACT_LOG","args":[{"index":1,"value":240,"valueTwo":1,"op":"SCMP_CMP_EQ"}]`), "means nothing"},
	{"two answers", `{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["read"],"action":"SCMP_ACT_LOG"},{"names":["read"],"action":"SCMP_ACT_ERRNO"}]}`, "another action"},
	{"flags", `{"defaultAction":"SCMP_ACT_ALLOW","flags":["SECCOMP_FILTER_FLAG_LOG"]}`, "belongs to the loader"},
	{"listener", `{"defaultAction":"SCMP_ACT_ALLOW","listenerPath":"/x"}`, "no notification listener"},
	{"other architectures", `{"defaultAction":"SCMP_ACT_ALLOW","architectures":["SCMP_ARCH_RISCV64"]}`, "not among them"},
	{"huge", `{"defaultAction":"` + strings.Repeat("A", maxProfile) + `"}`, "larger than"},
}

// rules1 is a profile of one rule.
func rules1(rule string) string {
	return `{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{` + rule + `}]}`
}

func TestRefusedProfiles(t *testing.T) {
	for _, c := range refusedProfiles {
		spec, err := readSpec("test", strings.NewReader(c.json))
		if err == nil {
			_, err = compile(spec, "amd64")
		}
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v; wanted an error with %q", c.name, err, c.reason)
		}
	}
}

func TestUnknownArchitecture(t *testing.T) {
	spec, err := readSpec("test", strings.NewReader(`{"defaultAction":"SCMP_ACT_ALLOW"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compile(spec, "riscv64"); err == nil || !strings.Contains(err.Error(), `architecture "riscv64"`) {
		t.Errorf("compile for riscv64: %v; wanted a refusal", err)
	}
}
