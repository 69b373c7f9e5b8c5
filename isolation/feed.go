package isolation

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// feed is one of descriptors 0 to 2 whose file has no name that leads to it any
// more (a here-document, a file that was removed or lies in another mount
// namespace). It cannot be opened again through a read-only mount, so the command
// gets a pipe, and the launcher copies the file into it.
type feed struct {
	from int // descriptor of the file
	to   int // write end of the pipe
}

// feeds makes the pipes.
func (l *Launch) feeds(*Host) error {
	for n, s := range l.plan.Streams {
		if s.Class != policy.StreamFeed {
			continue
		}
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			return fmt.Errorf("launcher: making a pipe for descriptor %d: %w", n, err)
		}
		l.in.Feeds[n] = ends[0]
		l.ours = append(l.ours, ends[0])
		l.feeding = append(l.feeding, feed{n, ends[1]})
	}
	return nil
}

// startFeeds begins to copy. Each copy ends with its file or with its reader, or
// with the launcher.
func (l *Launch) startFeeds() {
	for _, f := range l.feeding {
		go f.copy()
	}
	l.feeding = nil
}

// feedSize is how much is copied at once: what a pipe holds (pipe(7)).
const feedSize = 64 << 10

func (f feed) copy() {
	defer unix.Close(f.to)
	b := make([]byte, feedSize)
	for {
		n, err := unix.Read(f.from, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 || !f.write(b[:n]) {
			return
		}
	}
}

// write reports whether the reader is still there.
func (f feed) write(b []byte) bool {
	for len(b) > 0 {
		n, err := unix.Write(f.to, b)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return false
		default:
			b = b[n:]
		}
	}
	return true
}
