package probes

import (
	"errors"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/sovrun/sovrun/isolation"
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// launched is one probed launch that executed nothing.
type launched struct {
	plan    policy.Plan
	report  Report
	verdict *child.Verdict
	cat     *Catalogue
}

// launch sets a sandbox up for a policy and probes it.
func launch(t *testing.T, pol policy.Policy) launched {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dir, err := os.MkdirTemp("/var/tmp", "sovrun-probes-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	pol.Workspace = dir
	host := isolation.Detect(pol, isolation.CallerFacts([]string{"/bin/true"}))
	plan, err := policy.Resolve(pol, host.Facts)
	if err != nil {
		t.Fatal(err)
	}
	l, err := isolation.Prepare(&plan, &host)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b := child.NewBuilder()
	cat := Acts(b, &plan, &l.Targets)
	cat.Facts = &host.Facts
	if err := l.Start(b, cat.EnvVector); err != nil {
		t.Fatal(err)
	}
	v := verdictOf(t, l)
	if _, err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	return launched{plan, Judge(cat, &plan, v), v, cat}
}

func verdictOf(t *testing.T, l *isolation.Launch) (v *child.Verdict) {
	t.Helper()
	for {
		m, err := l.Next()
		if errors.Is(err, io.EOF) {
			return v
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.Failure != nil {
			t.Fatalf("op %d: %v", m.Failure.Index, isolation.Explain(l.Program(), m.Failure))
		}
		if m.Verdict != nil {
			v = m.Verdict
		}
	}
}

func TestShow(t *testing.T) {
	l := launch(t, policy.Policy{Require: policy.AllPlanes, Limits: []policy.Limit{{Resource: policy.OpenFiles, Value: 900}, {Resource: policy.FileSize, Value: 1 << 30}}})
	t.Log("\n" + l.report.Text(TextOptions{Acts: true}))
}
