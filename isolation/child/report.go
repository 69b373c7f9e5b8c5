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

// Message is one of the three things that the child reports.
type Message struct {
	Failure *Failure
	Verdict *Verdict
	Exit    *syscall.WaitStatus
}

// errShort is a message that ends in its middle: the child was killed.
var errShort = errors.New("the child's report ends in the middle")

// ReadMessage reads the next message; io.EOF when the child has closed the pipe.
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
		return p.readVerdict(r, uint16(a), int(n))
	case msgExit:
		ws := syscall.WaitStatus(a)
		return Message{Exit: &ws}, nil
	}
	return Message{}, fmt.Errorf("the child's report holds an unknown message %d", kind)
}

func (p *Program) readVerdict(r io.Reader, standing uint16, n int) (Message, error) {
	if n != len(p.Acts) {
		return Message{}, fmt.Errorf("the child judged %d acts, wanted %d", n, len(p.Acts))
	}
	raw := make([]byte, 2*n*observationSize)
	if _, err := io.ReadFull(r, raw); err != nil {
		return Message{}, errShort
	}
	v := &Verdict{Standing: standing}
	v.Observations = decode(raw[:n*observationSize])
	v.Controls = decode(raw[n*observationSize:])
	return Message{Verdict: v}, nil
}

func decode(raw []byte) []Observation {
	out := make([]Observation, len(raw)/observationSize)
	for i := range out {
		b := raw[i*observationSize:]
		out[i] = Observation{
			Value: int64(binary.NativeEndian.Uint64(b)), Errno: int16(binary.NativeEndian.Uint16(b[8:])),
			State: State(b[10]), Op: binary.NativeEndian.Uint32(b[12:]),
		}
	}
	return out
}
