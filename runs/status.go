package runs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sovrun/sovrun/policy"
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

// StatusWriter is where the status goes. It is opened before anything starts, so
// that an outcome that cannot be written down refuses the run.
type StatusWriter struct {
	file *os.File // the descriptor, nil where a file was asked for
	dir  *os.Root // the file's directory, held: the command may be able to move it or put a link in its place
	name string
}

// OpenStatus opens a file or descriptor for the status; both empty (fd -1) give
// nil. Nothing is left in the directory meanwhile: what lies there the command may
// be able to change. An error is a *policy.RefusedError.
func OpenStatus(file string, fd int) (*StatusWriter, error) {
	switch {
	case file != "" && fd >= 0:
		return nil, &policy.RefusedError{Category: policy.InvalidPolicy, Message: "--status-file and --status-fd exclude each other", Hint: "leave one of them out"}
	case file != "":
		return openStatusFile(file)
	case fd < 0:
		return nil, nil
	}
	f := os.NewFile(uintptr(fd), "status")
	if _, err := f.Stat(); err != nil {
		return nil, &policy.RefusedError{Category: policy.InvalidPolicy, Message: "--status-fd: descriptor " + strconv.Itoa(fd) + " is not open", Hint: "open it for sovrun, as in " + strconv.Itoa(fd) + ">status.json"}
	}
	return &StatusWriter{file: f}, nil
}

func openStatusFile(file string) (*StatusWriter, error) {
	refused := func(err error) (*StatusWriter, error) {
		return nil, &policy.RefusedError{Category: policy.InvalidPolicy, Message: fmt.Sprintf("--status-file: making %q: %v", file, cause(err)), Hint: "name a file in a directory that you can write to"}
	}
	dir, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return refused(err)
	}
	w := &StatusWriter{dir: dir, name: filepath.Base(file)}
	// The file takes the name over: a device, a pipe or a link would be gone.
	if st, err := dir.Lstat(w.name); err == nil && !st.Mode().IsRegular() {
		return nil, &policy.RefusedError{Category: policy.InvalidPolicy, Message: fmt.Sprintf("--status-file: %q is there and not a regular file", file), Hint: "name another file; --status-fd writes to what is open already"}
	}
	f, name, err := w.create()
	if err != nil {
		return refused(err)
	}
	f.Close()
	if err := dir.Remove(name); err != nil {
		return refused(err)
	}
	// What an earlier run left there would pass for this one's, should this one be killed.
	if err := dir.Remove(w.name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return refused(err)
	}
	return w, nil
}

// cause is an error without the names of the files that sovrun made for itself.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// create makes a file beside the status file.
func (w *StatusWriter) create() (*os.File, string, error) {
	name := ".sovrun-status-" + strconv.FormatUint(rand.Uint64(), 16)
	f, err := w.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	return f, name, err
}

// Write writes the outcome; a file appears under its name only now, whole, when
// nothing of the command is alive any more.
func (w *StatusWriter) Write(o *Outcome) error {
	switch {
	case w == nil:
		return nil
	case w.dir == nil:
		if _, err := w.file.Write(o.Status()); err != nil {
			return fmt.Errorf("writing the status: %w", cause(err))
		}
		return nil
	}
	if err := w.writeFile(o.Status()); err != nil {
		return fmt.Errorf("status file %q: %w", w.name, cause(err))
	}
	return nil
}

func (w *StatusWriter) writeFile(text []byte) error {
	f, name, err := w.create()
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = w.dir.Rename(name, w.name)
	}
	if err != nil {
		_ = w.dir.Remove(name)
	}
	return err
}
