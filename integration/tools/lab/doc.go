// Package lab runs real programs through the sovrun binary and beside it, for tests.
//
// A Box is what one test needs: a caller, a home for the caller that is not the real one, a workspace, and a file
// outside of it that the sandbox must not show. Inside runs a command through sovrun; Outside runs the same command,
// as the same user, in the same directory, with the same environment, and without sovrun: the control.
package lab
