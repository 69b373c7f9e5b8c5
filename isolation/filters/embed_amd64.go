package filters

import _ "embed" // the programs below

//go:embed bpf/default_amd64.bpf
var defaultBPF string

//go:embed bpf/debug_amd64.bpf
var debugBPF string

//go:embed bpf/nested_amd64.bpf
var nestedBPF string
