package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	pass   = `{"Action":"run","Package":"p","Test":"T"}{"Action":"output","Package":"p","Test":"T","Output":"=== RUN   T\n"}{"Action":"output","Package":"p","Test":"T","Output":"quiet\n"}{"Action":"pass","Package":"p","Test":"T"}{"Action":"pass","Package":"p","Elapsed":0.5}`
	skip   = `{"Action":"run","Package":"p","Test":"T"}{"Action":"output","Package":"p","Test":"T","Output":"    t_test.go:5: needs root\n"}{"Action":"output","Package":"p","Test":"T","Output":"--- SKIP: T (0.00s)\n"}{"Action":"skip","Package":"p","Test":"T"}{"Action":"pass","Package":"p","Elapsed":0.5}`
	fail   = `{"Action":"run","Package":"p","Test":"T"}{"Action":"output","Package":"p","Test":"T","Output":"    t_test.go:5: bad\n"}{"Action":"fail","Package":"p","Test":"T"}{"Action":"output","Package":"p","Output":"FAIL\n"}{"Action":"fail","Package":"p","Elapsed":0.5}`
	died   = `{"Action":"run","Package":"p","Test":"T"}{"Action":"output","Package":"p","Test":"T","Output":"panic: x\n"}{"Action":"output","Package":"p","Output":"exit status 2\n"}{"Action":"fail","Package":"p","Elapsed":0.5}`
	broken = `{"ImportPath":"p","Action":"build-output","Output":"undefined: x\n"}{"ImportPath":"p","Action":"build-fail"}{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}{"Action":"fail","Package":"p","FailedBuild":"p"}`
	none   = `{"Action":"output","Package":"p","Output":"?   \tp\t[no test files]\n"}{"Action":"skip","Package":"p"}`
	half   = `{"Action":"run","Package":"p","Test":"T"}`
	other  = `{"Action":"run","Package":"q","Test":"T"}{"Action":"pass","Package":"q","Test":"T"}{"Action":"pass","Package":"q"}`
)

func TestWatch(t *testing.T) {
	cases := []struct {
		name, in, want string
		err            error
	}{
		{"a passing test is quiet", pass, "ok  \tp\t0.500s\n", nil},
		{"a skipping one too", skip, "ok  \tp\t0.500s\n", nil},
		{"a failing one is told", fail, "    t_test.go:5: bad\nFAIL\tp\t0.500s\n", errFailed},
		{"one that died is told", died, "exit status 2\npanic: x\nFAIL\tp\t0.500s\n", errFailed},
		{"no build", broken, "undefined: x\nFAIL\tp [build failed]\n", errFailed},
		{"no tests", none, "?   \tp\t[no test files]\n", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if err := watch(strings.NewReader(c.in), &out); err != c.err {
				t.Errorf("wanted error %v, got %v", c.err, err)
			}
			if out.String() != c.want {
				t.Errorf("wanted %q, got %q", c.want, out.String())
			}
		})
	}
}

func TestTotal(t *testing.T) {
	cases := []struct {
		name     string
		runs     []string
		complete bool
		want     string
		err      string
	}{
		{"passed in one, skipped in the other", []string{skip, pass}, true, "1 passed, 0 failed, 0 skipped\n", ""},
		{"passed in one, failed in the other", []string{pass, fail}, true, "failed: p T\n0 passed, 1 failed, 0 skipped\n", "tests failed"},
		{"skipped in both", []string{skip + other, skip}, true, "skipped in every run: p T: t_test.go:5: needs root\n1 passed, 0 failed, 1 skipped\n", "skipped in every run"},
		{"skipped in the only run", []string{skip + other}, false, "1 passed, 0 failed, 1 skipped\n", ""},
		{"nothing but skips", []string{skip}, false, "0 passed, 0 failed, 1 skipped\n", "no test passed"},
		{"no build", []string{pass, broken}, true, "failed: p\n1 passed, 1 failed, 0 skipped\n", "tests failed"},
		{"a test that took its process along", []string{died}, true, "failed: p T\n0 passed, 1 failed, 0 skipped\n", "tests failed"},
		{"a record that breaks off", []string{other + half}, true, "failed: p T\n1 passed, 1 failed, 0 skipped\n", "tests failed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"total"}
			if c.complete {
				args = append(args, "-complete")
			}
			for _, text := range c.runs {
				args = append(args, record(t, text))
			}
			var out strings.Builder
			wantError(t, run(args, nil, &out), c.err)
			if out.String() != c.want {
				t.Errorf("wanted %q, got %q", c.want, out.String())
			}
		})
	}
}

func TestWatchKeepsARecord(t *testing.T) {
	name := filepath.Join(t.TempDir(), "record")
	if err := run([]string{"watch", name}, strings.NewReader(pass), &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != pass {
		t.Errorf("wanted the events as they came, got %q, %v", got, err)
	}
}

func TestGarbageIsAnError(t *testing.T) {
	wantError(t, watch(strings.NewReader("ok p 0.1s\n"), &strings.Builder{}), "read go test -json")
	wantError(t, run([]string{"total", record(t, "ok")}, nil, &strings.Builder{}), "read go test -json")
	wantError(t, run([]string{"total", "/nonexistent"}, nil, &strings.Builder{}), "no such file")
	wantError(t, run(nil, nil, nil), "usage")
}

func record(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "record")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("wanted an error with %q, got %v", want, err)
	}
}
