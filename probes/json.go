package probes

import (
	"strconv"
	"unicode/utf8"

	"github.com/sovrun/sovrun/policy"
)

// AppendJSON appends the report as one JSON object, without a final newline. It
// is written out by hand: linked in, encoding/json costs every launch 0.08 ms (2 %)
// and 100 KiB, also where nobody asks for a report.
func (r *Report) AppendJSON(out []byte) []byte {
	w := writer{out}
	w.open('{')
	w.text("schema", Schema)
	w.text("tier", r.Tier)
	w.optional("kernel", r.Kernel)
	w.key("planes")
	w.open('[')
	for i := range r.Planes {
		w.separate()
		r.Planes[i].write(&w)
	}
	w.close(']')
	w.planes("require", r.Require)
	w.planes("missing", r.Missing)
	w.close('}')
	return w.b
}

func (p *PlaneReport) write(w *writer) {
	w.open('{')
	w.text("name", p.Name.String())
	w.text("state", string(p.State))
	w.optional("reason", string(p.Reason))
	w.optional("evidence", p.Evidence)
	w.optional("remedy", p.Remedy)
	w.text("sentence", p.Sentence)
	w.list("mechanisms", p.Mechanisms)
	w.number("acts_refused", p.Refused)
	w.number("acts_tried", p.Tried)
	w.key("acts")
	w.open('[')
	for i := range p.Acts {
		w.separate()
		p.Acts[i].write(w)
	}
	w.close(']')
	w.list("facts", p.Facts)
	w.list("not_covered", p.NotCovered)
	w.close('}')
}

func (a *ActReport) write(w *writer) {
	w.open('{')
	w.text("name", a.Name)
	w.optional("object", a.Object)
	w.text("what", a.What)
	w.optional("control", a.Control)
	w.flag("must_work", a.MustWork)
	w.text("outcome", outcomeNames[a.Outcome])
	w.result("result", a.Run, a.Errno, a.ReadBack)
	w.result("control_result", a.ControlRun, a.ControlErrno, a.ReadBack)
	w.optional("mechanism", a.Mechanism)
	w.close('}')
}

// writer writes JSON.
type writer struct{ b []byte }

func (w *writer) open(c byte)  { w.b = append(w.b, c) }
func (w *writer) close(c byte) { w.b = append(w.b, c) }

// separate writes a comma unless an object or a list has just begun.
func (w *writer) separate() {
	if last := w.b[len(w.b)-1]; last != '{' && last != '[' {
		w.b = append(w.b, ',')
	}
}

func (w *writer) key(k string) {
	w.separate()
	w.b = append(append(append(w.b, '"'), k...), '"', ':')
}

func (w *writer) text(k, v string) {
	w.key(k)
	w.quote(v)
}

// optional leaves out what is empty.
func (w *writer) optional(k, v string) {
	if v != "" {
		w.text(k, v)
	}
}

func (w *writer) number(k string, n int) {
	w.key(k)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

func (w *writer) flag(k string, v bool) {
	w.key(k)
	w.b = strconv.AppendBool(w.b, v)
}

func (w *writer) list(k string, l []string) {
	w.key(k)
	w.open('[')
	for _, s := range l {
		w.separate()
		w.quote(s)
	}
	w.close(']')
}

func (w *writer) planes(k string, l []policy.Plane) {
	w.key(k)
	w.open('[')
	for _, p := range l {
		w.separate()
		w.quote(p.String())
	}
	w.close(']')
}

// result writes how a call ended: success, an errno's symbol, not_tried, and
// for what was only read found or not_found.
func (w *writer) result(k string, run bool, errno int16, readBack bool) {
	switch {
	case !run:
		w.text(k, "not_tried")
	case readBack && errno == 0:
		w.text(k, "found")
	case readBack:
		w.text(k, "not_found")
	case errno == 0:
		w.text(k, "success")
	default:
		w.text(k, ErrnoName(errno))
	}
}

const hexDigits = "0123456789abcdef"

// quote writes a string (RFC 8259, 7). Bytes that are no UTF-8, as names of
// files may hold, become U+FFFD; DEL and the C1 controls are escaped too.
func (w *writer) quote(s string) {
	w.b = append(w.b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.b = append(w.b, '\\', byte(r))
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			w.b = append(w.b, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
		default:
			w.b = utf8.AppendRune(w.b, r)
		}
	}
	w.b = append(w.b, '"')
}
