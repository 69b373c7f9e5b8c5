package filters

import _ "embed" // the programs below

//go:embed bpf/default_arm64.bpf
var defaultBPF string

//go:embed bpf/debug_arm64.bpf
var debugBPF string

//go:embed bpf/nested_arm64.bpf
var nestedBPF string
