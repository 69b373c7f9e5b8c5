// Command sovrun-seccomp compiles a system call profile in the runtime-spec's
// JSON form (LinuxSeccomp) to the program that seccomp(2) loads: an array of
// struct sock_filter, eight bytes each, little-endian.
//
//	sovrun-seccomp [-arch amd64|arm64] -o FILE [PROFILE.json]
//	sovrun-seccomp [-arch amd64|arm64] -o FILE -profile default|debug|nested
//	sovrun-seccomp -generate DIR
//
// Without PROFILE.json, or with "-", the profile comes from standard input. -o
// "-" is standard output; a file appears complete or not at all. -generate
// writes every built-in profile below DIR, as JSON and as a program for each
// architecture. Exit status: 0, or 125 with one line on standard error.
//
// # What a profile means
//
// Profiles are read strictly: an unknown key, name, action, flag or operator, a
// second unconditional rule of another action for one name, two conditions on
// one argument and a masked value outside its mask are errors, as are actions
// that need another process (SCMP_ACT_TRACE, SCMP_ACT_NOTIFY) and loader flags.
//
//   - One architecture, the one asked for. Calls of any other ABI (i386 and x32
//     on amd64, 32-bit arm on arm64) get ENOSYS whatever the profile's default;
//     entries of "architectures" that name one are accepted and change nothing.
//   - A name this architecture lacks (open on arm64) is skipped; a name that
//     nobody knows is an error.
//   - A rule with arguments beats a rule without for the same name, whatever
//     their order. libseccomp alone, and so runc, forgets the rule with
//     arguments in that case, and a filter whose default refuses cannot say
//     "all but this value" for half a register at all. Two rules with arguments
//     that both match are left to the library: do not write them.
//
// The program is therefore several libseccomp filters in a row: the first decides
// by number, and jumps to a later one only for calls that have argument rules.
//
// The command needs cgo and libseccomp 2.5 or later (Debian: libseccomp-dev)
// and is a command of its own so that the launcher needs neither.
package main
