package child

import (
	"fmt"
	"io"
	"syscall"

	"github.com/sovrun/sovrun/isolation/child/wire"
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

// ReadMessage reads the next message; io.EOF when the last writer has closed the pipe.
func (p *Program) ReadMessage(r io.Reader) (Message, error) {
	h, err := wire.ReadHeader(r)
	if err != nil {
		return Message{}, err
	}
	switch h.Kind {
	case wire.Failure:
		f := &Failure{Index: int(h.A), Errno: syscall.Errno(h.B), Result: h.Value}
		f.Op, _ = p.Op(f.Index)
		return Message{Failure: f}, nil
	case wire.Verdict:
		if int(h.B) != len(p.Acts) {
			return Message{}, fmt.Errorf("the child judged %d acts, wanted %d", h.B, len(p.Acts))
		}
		v := &Verdict{Standing: uint16(h.A), Observations: p.observations(p.obs), Controls: p.observations(p.ctl)}
		return Message{Verdict: v}, nil
	case wire.Exit:
		ws := syscall.WaitStatus(h.A)
		return Message{Exit: &ws}, nil
	}
	return Message{}, fmt.Errorf("the child's report holds an unknown message %d", h.Kind)
}
