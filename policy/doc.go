// Package policy holds what a user may write (flags, files, the built-in
// defaults), the facts of the host as plain data, and Resolve, the pure
// function that turns both into a Plan. Nothing here makes a system call that
// changes anything; reading the policy file that a flag names is all the input
// and output there is.
package policy
