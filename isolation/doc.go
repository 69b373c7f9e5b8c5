// Package isolation turns a plan into a sandbox: it gathers the facts of the host
// (Detect), compiles the plan into the child's program (Compile), starts it and
// watches over it (Start).
package isolation
