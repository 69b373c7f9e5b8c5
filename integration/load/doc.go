// Package load holds the tests of many launches: at once on a machine kept busy, and
// one after the other in one process.
package load
