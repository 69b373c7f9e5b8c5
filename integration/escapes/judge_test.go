package escapes

import (
	"strings"
	"syscall"
	"testing"
)

func TestJudge(t *testing.T) {
	plain := Technique{Row: "X01", Name: "plain"}
	proof := Technique{Row: "X01", Name: "proof", Proof: true, Good: errnos(syscall.EBADF)}
	reached := Technique{Row: "X01", Name: "reached", Root: errnos(syscall.EINVAL, syscall.EPERM), User: errnos(syscall.EFAULT)}
	works := Technique{Row: "X01", Name: "works", Works: true}
	through, canary := Result{Outcome: Through}, Result{Outcome: Through, Detail: "a canary here"}
	no := func(e syscall.Errno) Result { return Result{Outcome: Refused, Errno: e} }
	for _, c := range []struct {
		name            string
		t               Technique
		who             Identity
		outside, inside Result
		shown           bool
		err             string
	}{
		{"refused inside alone", plain, AsRoot, through, no(syscall.EACCES), true, ""},
		{"through inside", plain, AsRoot, through, through, false, "got through"},
		{"through inside, refused outside", plain, AsRoot, no(syscall.EACCES), through, false, "got through"},
		{"refused on both sides", plain, AsRoot, no(syscall.EPERM), no(syscall.EPERM), false, ""},
		{"refused otherwise outside, unknown", plain, AsRoot, no(syscall.EINVAL), no(syscall.EPERM), false, ""},
		{"another errno inside", plain, AsRoot, through, no(syscall.EIO), false, "another errno"},
		{"not tried inside", plain, AsRoot, through, Result{Outcome: Broken}, false, "not tried"},
		{"no result inside", plain, AsRoot, through, Result{}, false, "not tried"},
		{"no control", plain, AsRoot, Result{Outcome: Broken}, no(syscall.EPERM), false, "control was not made"},
		{"no result outside", plain, AsRoot, Result{}, no(syscall.EPERM), false, "control was not made"},
		{"proof", proof, AsRoot, canary, no(syscall.EBADF), true, ""},
		{"proof without canary", proof, AsRoot, through, no(syscall.EBADF), false, "without the canary"},
		{"its own errno", proof, AsRoot, canary, no(syscall.EPERM), false, "another errno"},
		{"reached", reached, AsRoot, no(syscall.EINVAL), no(syscall.EPERM), true, ""},
		{"reached by the same errno", reached, AsRoot, no(syscall.EPERM), no(syscall.EPERM), false, ""},
		{"reached as the other", reached, AsUser, no(syscall.EINVAL), no(syscall.EPERM), false, ""},
		{"reached as a user", reached, AsUser, no(syscall.EFAULT), no(syscall.EPERM), true, ""},
		{"works", works, AsUser, no(syscall.EEXIST), through, true, ""},
		{"must work", works, AsUser, through, no(syscall.EPERM), false, "must work"},
	} {
		t.Run(c.name, func(t *testing.T) {
			shown, err := c.t.Judge(c.who, "canary", c.outside, c.inside)
			if shown != c.shown {
				t.Errorf("shown %t, wanted %t", shown, c.shown)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, wanted %q", err, c.err)
			}
		})
	}
}
