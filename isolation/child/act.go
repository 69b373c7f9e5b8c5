package child

import "github.com/sovrun/sovrun/isolation/child/wire"

// MaxPlanes and MaxActs bound what a verdict covers.
const (
	MaxPlanes = 10
	MaxActs   = 512
)

// Where says which process runs an act.
type Where uint8

// Places of acts and of their controls.
const (
	// InProvider: in the process that will become the provider, after the last
	// restriction. For a control: in the control process, outside the sandbox.
	InProvider Where = iota
	// InSetup: at an OpAct or OpControl of Setup.
	InSetup
	// InSession: in the session copy. For a control this is the control process,
	// which leads a session of its own.
	InSession
	// AfterInit: as InProvider, once pid 1 has executed its image. Never a control.
	AfterInit
	// Nowhere: a control that does not exist; the act can only be inconclusive
	// unless it is a twin.
	Nowhere
)

// Mark is a point of the set-up at which acts and controls can be placed.
type Mark uint8

// Marks, in the order in which the set-up passes them.
const (
	MarkNone Mark = iota
	// MarkIPC: in the first ipc namespace, which is left for another one.
	MarkIPC
	// MarkCanary: the canary lies in the old root, the new one is not yet entered.
	MarkCanary
	// MarkCapabilities: every capability of the own user namespace is still held.
	MarkCapabilities
	// MarkDescriptors: the inherited descriptors are still open.
	MarkDescriptors
	// MarkFilter: everything is in force but the filter.
	MarkFilter
	// MarkDumpable: the maps are written, the host's /proc is in view, and the child
	// is dumpable still. It is passed early; its value is the last.
	MarkDumpable
)

// Kind says what an act shows.
type Kind uint8

// Kinds of acts.
const (
	// Forbidden: must be refused here and must succeed in the control.
	Forbidden Kind = iota
	// Working: must succeed here; a twin that shows that the plane refuses what it
	// should and not everything. Where the control fails too, nothing is concluded.
	Working
)

// Span is a range of ActOps.
type Span struct{ First, Last uint16 }

// Act is one thing that is tried. What it means to a person is kept beside it
// by package probes; here is only what the child needs to judge it.
type Act struct {
	Planes   uint16 // bit per plane
	Kind     Kind
	Where    Where
	Control  Where
	Mark     Mark // of an act InSetup
	CtlMark  Mark // of a control InSetup
	Ops      Span
	Controls Span     // the control's ops; empty: the same as Ops
	Refused  [3]int16 // errno values that are a refusal by one of the act's mechanisms
	Allowed  [3]int16 // errno values with which the control counts as having reached its aim, 0 is always one
	Extra    bool     // counts against its planes, never for them: there may be many of its kind
	Gate     uint16   // 1 + index of an act whose control must have succeeded before this one is tried, 0: none
}

// State and Observation are what came back of an act.
type (
	State       = wire.State
	Observation = wire.Observation
)

// States of an observation.
const (
	NotRun   = wire.NotRun
	Prepared = wire.Prepared
	Done     = wire.Done
)

// Outcome is what an observation and that of its control amount to.
type Outcome uint8

// Outcomes.
const (
	Inconclusive Outcome = iota
	Refused              // a Forbidden act was refused while its control succeeded
	Worked               // a Working act succeeded
	Through              // a Forbidden act succeeded
	Broken               // a Working act failed while its control succeeded
)

// Judge is the one judgement of an act. The child runs it before it executes
// anything, the launcher again over what the child reported.
//
//go:nosplit
//go:norace
func Judge(a *Act, o, c *Observation) Outcome {
	control := c.State == Done && (c.Errno == 0 || has(&a.Allowed, c.Errno))
	if a.Kind == Working {
		switch {
		case o.State == Done && o.Errno == 0:
			return Worked
		case control:
			return Broken
		}
		return Inconclusive
	}
	switch {
	case o.State != Done || !control:
		return Inconclusive
	case has(&a.Refused, o.Errno):
		return Refused
	case o.Errno == 0 || has(&a.Allowed, o.Errno):
		// the very errno with which the unconfined caller reached the kernel
		return Through
	}
	return Inconclusive
}

//go:nosplit
//go:norace
func has(set *[3]int16, e int16) bool {
	return e != 0 && (set[0] == e || set[1] == e || set[2] == e)
}
