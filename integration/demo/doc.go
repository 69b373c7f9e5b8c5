// Command demo shows in under a minute what sovrun does on this machine: the report, real work in one sandbox, and ten
// escapes, each first tried without sovrun, where it must succeed, and then inside, where it must not. It fails on
// any surprise.
//
// It works in a temporary directory of its own and removes it at the end. The toolchain's build cache is the one
// thing of the user's that it uses, as go build does.
//
// Inside the sandbox it runs itself: "demo act NAME ARGUMENT..." makes one attempt, "demo work ..." does the work.
package main
