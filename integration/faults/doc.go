// Package faults holds the test that breaks a launch at every single step: the
// step fails, or the process is killed before it.
package faults
