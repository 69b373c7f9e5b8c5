// Package readme runs the fenced blocks of README.md as a newcomer would and compares what they print.
//
// All console blocks are one session: one shell, started in an empty directory with an empty home, that runs the
// commands in order, so that a cd in one block counts in the next. A line that starts with "$ " is a command, lines
// that start with "> " right after it continue it, and all others up to the next command are what it must print,
// standard output and standard error together. A command must exit 0 unless the next one is "echo $?".
//
// A block whose fence names a file (```toml sovrun.toml) is written to that file in the directory where the session
// is then. Any other block is an error: nobody would notice when it no longer holds.
//
// Both sides are normalised before they are compared (see replacements), and a line "..." in the README stands for
// any number of lines, also none.
package readme
