module github.com/sovrun/sovrun

go 1.26.0

require (
	github.com/landlock-lsm/go-landlock v0.11.2 // rulesets
	github.com/opencontainers/runtime-spec v1.3.0 // types of seccomp profiles
	github.com/pelletier/go-toml/v2 v2.4.3 // policy files, with line and column
	github.com/seccomp/libseccomp-golang v0.11.1 // compiles the filters, when they are generated
	golang.org/x/sys v0.50.0 // system calls
)

// Test dependencies.
require (
	github.com/rogpeppe/go-internal v1.16.0 // testscript
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // holds what --json prints against docs/schema
	golang.org/x/net v0.62.0 // interprets the filters
)

require (
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	kernel.org/pub/linux/libs/security/libcap/psx v1.2.78 // indirect
)
