package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sovrun/sovrun/probes"
)

// StatusSchema is the schema of the status object.
const StatusSchema = "sovrun/status/v1"

// Status is the outcome as one line of JSON. It is written by hand: the names and
// values are all of sovrun's own making, and this is on the path of every launch
// that asks for a status.
func (o *Outcome) Status() []byte {
	b := append(make([]byte, 0, 512), `{"schema":"`+StatusSchema+`","provider_started":`...)
	b = strconv.AppendBool(b, o.ProviderStarted)
	b = append(b, `,"exit_code":`...)
	if o.ProviderStarted && o.Signal == 0 {
		b = strconv.AppendInt(b, int64(o.ExitCode), 10)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"signal":`...)
	if o.ProviderStarted && o.Signal != 0 {
		b = strconv.AppendInt(b, int64(o.Signal), 10)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"sovrun_exit_code":`...)
	b = strconv.AppendInt(b, int64(o.ExitCode), 10)
	b = append(b, `,"category":`...)
	b = strconv.AppendQuote(b, string(o.Category))
	b = append(b, `,"planes":{`...)
	if o.Reported {
		b = appendPlanes(b, &o.Report)
	}
	return append(b, "}}\n"...)
}

func appendPlanes(b []byte, r *probes.Report) []byte {
	for i := range r.Planes {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, r.Planes[i].Name.String())
		b = append(b, ':')
		b = strconv.AppendQuote(b, string(r.Planes[i].State))
	}
	return b
}

// StatusWriter is where the status goes; it is opened before anything starts, so
// that an outcome that cannot be written down refuses the run.
type StatusWriter struct {
	file  *os.File
	final string // renamed to in the end, "" for a descriptor
}

// OpenStatus opens a file or descriptor for the status; both empty (fd -1) give nil.
func OpenStatus(file string, fd int) (*StatusWriter, error) {
	if file != "" {
		f, err := os.CreateTemp(filepath.Dir(file), ".sovrun-status-*")
		if err != nil {
			return nil, fmt.Errorf("status file: making a file beside %q: %w", file, err)
		}
		return &StatusWriter{file: f, final: file}, nil
	}
	if fd < 0 {
		return nil, nil
	}
	f := os.NewFile(uintptr(fd), "status")
	if _, err := f.Stat(); err != nil {
		return nil, fmt.Errorf("status descriptor %d: %w", fd, err)
	}
	return &StatusWriter{file: f}, nil
}

// Write writes the outcome; a file appears under its name only now, whole.
func (w *StatusWriter) Write(o *Outcome) error {
	if w == nil {
		return nil
	}
	if _, err := w.file.Write(o.Status()); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	if w.final == "" {
		return nil
	}
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	if err := os.Rename(w.file.Name(), w.final); err != nil {
		return fmt.Errorf("status file: %w", err)
	}
	return nil
}

// Discard removes what was not written.
func (w *StatusWriter) Discard() {
	if w != nil && w.final != "" {
		os.Remove(w.file.Name())
	}
}
