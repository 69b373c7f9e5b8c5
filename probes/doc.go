// Package probes holds what is tried in every sandbox before a program runs in
// it, and what may be said afterwards.
//
// Acts turns a plan into acts: short lists of system calls that the child's
// process makes itself, after its last restriction, and that the sandbox must
// refuse. Each act has a control, the same attempt by the same user where the
// restriction is not in force, which must succeed: else the refusal would show
// nothing, and the act is inconclusive. Beside them stand twins, which must
// work: a plane that refuses everything is broken, not safe.
//
// Judge turns what came back into a Report. It is pure. A plane is ENFORCED
// only if every conclusive act was refused, no twin failed, one at least worked, and
// as many acts were conclusive as the hand-written table of minimum.go asks for; the child
// has come to the same judgement before (child.Judge) and executes nothing
// otherwise.
//
// Each mechanism has a witness: an act, and an errno, by which only that
// mechanism refuses. A report names a mechanism only if an act saw it refuse.
//
// No act and no control leaves anything behind, even if the launcher is killed
// in its middle, and none writes to the user's terminal, keyring or files. Many
// ask for something invalid on purpose: outside, the kernel answers that the
// request is invalid (it was reached), inside, that it is forbidden.
package probes
