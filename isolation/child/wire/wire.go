// Package wire is the form in which the processes of a sandbox tell the launcher what
// they saw: messages on a pipe, and observations in memory that is shared until
// something is executed. It decodes what a process that was taken over could have
// written.
package wire

import (
	"encoding/binary"
	"errors"
	"io"
)

// Kinds of messages.
const (
	Failure = 1 + iota // A: op, B: errno, Value: result
	Verdict            // A: planes that stand, B: number of acts
	Exit               // A: wait status of the provider; written by the image
)

// Header is a message: there is nothing more to one.
type Header struct {
	Kind  uint32
	A     uint32
	B     uint32
	_     uint32
	Value int64
}

// HeaderSize is what a message takes, in bytes.
const HeaderSize = 24

// ErrShort is a message that ends in its middle: its writer was killed.
var ErrShort = errors.New("the child's report ends in the middle")

// ReadHeader reads the next message; io.EOF when the last writer has closed the pipe.
func ReadHeader(r io.Reader) (Header, error) {
	var b [HeaderSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = ErrShort
		}
		return Header{}, err
	}
	ne := binary.NativeEndian
	return Header{Kind: ne.Uint32(b[:]), A: ne.Uint32(b[4:]), B: ne.Uint32(b[8:]), Value: int64(ne.Uint64(b[16:]))}, nil
}

// State is how far an act came.
type State uint8

// States of an observation.
const (
	NotRun   State = iota
	Prepared       // a preparing op failed, Errno says how
	Done           // the decisive op returned
)

// Observation is what came back.
type Observation struct {
	Value int64
	Errno int16
	State State
	_     uint8
	Op    uint32 // index in ActOps of the op that decided
}

// ObservationSize is what one takes, in bytes.
const ObservationSize = 16

// Observations decodes n of them. What memory does not hold, and what has a state
// that is none, did not run.
func Observations(memory []byte, n int) []Observation {
	out := make([]Observation, n)
	for i := range out {
		if len(memory) < (i+1)*ObservationSize {
			break
		}
		b, ne := memory[i*ObservationSize:], binary.NativeEndian
		if s := State(b[10]); s <= Done {
			out[i] = Observation{Value: int64(ne.Uint64(b)), Errno: int16(ne.Uint16(b[8:])), State: s, Op: ne.Uint32(b[12:])}
		}
	}
	return out
}
