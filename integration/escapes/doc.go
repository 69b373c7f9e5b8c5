// Package escapes is a catalogue of what a program in a sandbox tries in order to
// get out, and the judge of it.
//
// A row is a class of escapes; a technique is one way to try it. Each is made
// outside by the same user, where it must succeed, and inside, where it must not:
// "refused" alone may only mean "broken". A plane that a report calls ENFORCED
// while a technique of its rows gets through is a false claim.
//
// Where success is not to be had outside either, the kernel may be reached and
// answer otherwise than the sandbox; a technique names those answers. What shows
// nothing at all stands, with the reason and the errno, in a table that the tests
// hold: an entry whose technique turns out to show something is an error.
//
// The program that makes the attempts is in directory agent.
package escapes
