package isolation

import (
	"fmt"
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
)

// Event is one thing that happened while the launcher waited: a message of the
// child, signals that were caught, or the end of the time allowed.
type Event struct {
	Message child.Message
	Signals []child.Caught
	Late    bool
}

// CatchSignals makes signals for the launcher events.
func (l *Launch) CatchSignals(signals []syscall.Signal) error {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return fmt.Errorf("launcher: making a pipe for signals: %w", err)
	}
	l.signals = ends[0]
	l.kept = append(l.kept, ends[0])
	if err := child.Catch(ends[1], signals); err != nil {
		return fmt.Errorf("launcher: catching signals: %w", err)
	}
	return nil
}

// Next waits for the next event; io.EOF when the child will report no more. A
// limit below 0 is none. It waits in the calling thread alone: a timer or a
// reading goroutine would wake others.
func (l *Launch) Next(limit time.Duration) (Event, error) {
	fds := []unix.PollFd{{Fd: int32(l.reportFD), Events: unix.POLLIN}, {Fd: int32(l.signals), Events: unix.POLLIN}}
	var ts *unix.Timespec
	if limit >= 0 {
		t := unix.NsecToTimespec(int64(limit))
		ts = &t
	}
	n, err := unix.Ppoll(fds, ts, nil)
	switch {
	case err == unix.EINTR:
		return Event{}, nil
	case err != nil:
		return Event{}, fmt.Errorf("launcher: waiting for the sandbox: %w", err)
	case n == 0:
		return Event{Late: true}, nil
	case fds[1].Revents != 0:
		return Event{Signals: l.caught()}, nil
	}
	m, err := l.builder.P.ReadMessage(pipe(l.reportFD))
	if m.Verdict != nil {
		closeAll(l.aims)
		l.aims = nil
	}
	return Event{Message: m}, err
}

func (l *Launch) caught() []child.Caught {
	var b [128 * child.CaughtSize]byte
	n, _ := unix.Read(l.signals, b[:])
	return child.ReadCaught(b[:max(n, 0)])
}

// pipe reads from a descriptor.
type pipe int

func (p pipe) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(int(p), b)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}
