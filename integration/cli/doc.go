// Package cli holds the tests of the command line: what a person or a script sees
// of sovrun, from exit statuses to messages.
package cli

//go:generate go test -run ^TestCaseIndex$ -update .
