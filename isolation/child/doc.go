// Package child is the unsafe part of sovrun, alone: a flat program of raw
// system calls, the interpreter that freshly cloned processes run it with, and
// the image that the sandbox's pid 1 turns into.
//
// Every process here is cloned with CLONE_VM: it shares the launcher's memory and
// runs on a stack of its own, until it executes something and has a memory of its
// own. Nothing is copied, so a launch costs the same from a large process as from
// a small one, and no page of the launcher becomes copy-on-write. It may then not
// allocate, grow its stack, take a lock, run a signal handler or be scheduled:
// the runtime knows nothing of it. So the launcher prepares a Program, every
// argument of every call already in its place, and the processes execute nothing
// but that, in functions that are marked nosplit (the linker proves that they fit
// the stack), norace and nocheckptr, with every signal blocked.
//
//   - The child, in new namespaces, runs Setup, starts the next one, and executes
//     the image: pid 1 of the sandbox.
//   - The provider's process runs the acts and executes the provider, unless the
//     verdict forbids it.
//   - The session copy runs the acts that need a controlling terminal of their own.
//   - The control runs the same acts outside the sandbox.
//
// Nothing that the launcher does not trust runs in its memory: what is shared
// ends at execve.
package child
