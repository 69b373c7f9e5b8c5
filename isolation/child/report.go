package child

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"syscall"
)

// Failure is an op that did not do what it had to.
type Failure struct {
	Index  int
	Op     Op
	Errno  syscall.Errno // 0: the result was not the wanted one
	Result int64
}

// Verdict is what the child judged, and from what.
type Verdict struct {
	Standing     uint16 // bit per plane
	Observations []Observation
	Controls     []Observation
}

// Message is one of the three things that the sandbox reports.
type Message struct {
	Failure *Failure
	Verdict *Verdict
	Exit    *syscall.WaitStatus
}

// errShort is a message that ends in its middle: its writer was killed.
var errShort = errors.New("the child's report ends in the middle")

// ReadMessage reads the next message; io.EOF when the last writer has closed the pipe.
func (p *Program) ReadMessage(r io.Reader) (Message, error) {
	var b [headerSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return Message{}, errShort
		}
		return Message{}, err
	}
	ne := binary.NativeEndian
	kind, a, n := ne.Uint32(b[:]), ne.Uint32(b[4:]), ne.Uint32(b[8:])
	switch kind {
	case msgFailure:
		f := &Failure{Index: int(a), Errno: syscall.Errno(n), Result: int64(ne.Uint64(b[16:]))}
		f.Op, _ = p.Op(f.Index)
		return Message{Failure: f}, nil
	case msgVerdict:
		if int(n) != len(p.Acts) {
			return Message{}, fmt.Errorf("the child judged %d acts, wanted %d", n, len(p.Acts))
		}
		v := &Verdict{Standing: uint16(a), Observations: p.observations(p.obs), Controls: p.observations(p.ctl)}
		return Message{Verdict: v}, nil
	case msgExit:
		ws := syscall.WaitStatus(a)
		return Message{Exit: &ws}, nil
	}
	return Message{}, fmt.Errorf("the child's report holds an unknown message %d", kind)
}
