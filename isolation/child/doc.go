// Package child is the unsafe part of sovrun, alone: a flat program of raw
// system calls, the interpreter that a freshly cloned process runs it with, and
// the loop of the sandbox's pid 1.
//
// Between clone(2) and execve(2) a copy of a Go process may not allocate, grow
// its stack, take a lock or be scheduled: the other threads that the runtime
// counts on do not exist in it. So the launcher prepares a Program, every
// argument of every call already in its place, and the child executes nothing
// but that, in functions that are marked nosplit (the linker proves that they
// fit the stack), norace and nocheckptr.
//
// Three kinds of process run programs:
//
//   - the child, a copy of the launcher in new namespaces, runs Setup and becomes
//     pid 1; its fork runs the acts and turns into the provider;
//   - the control, which shares the launcher's memory but neither its descriptors
//     nor its credentials, runs the same acts outside the sandbox;
//   - the session copy, a fork of the provider's process, runs the acts that need
//     a controlling terminal of their own.
package child
