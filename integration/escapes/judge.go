package escapes

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// Outcomes of an attempt, as the agent writes them.
const (
	Through = "through"
	Refused = "refused"
	Absent  = "absent"
	Broken  = "broken" // it was not made as it should have been
)

// Result is what the agent says about one attempt.
type Result struct {
	Key     string        `json:"key"`
	Outcome string        `json:"outcome"`
	Errno   syscall.Errno `json:"errno"`
	Detail  string        `json:"detail"`
}

// String is for people who read a failed test.
func (r Result) String() string {
	if r.Outcome == Through || r.Outcome == Broken {
		return fmt.Sprintf("%s (%s)", r.Outcome, r.Detail)
	}
	return fmt.Sprintf("%s, errno %d (%s)", r.Outcome, int(r.Errno), r.Detail)
}

// Judge compares what the same user got outside and inside. An error is a fault of
// the sandbox or of the technique. Otherwise shown says whether the comparison
// shows anything: a refusal inside is one only where the attempt succeeds outside,
// or the kernel answers it there in another, known way.
func (t Technique) Judge(who Identity, canary string, outside, inside Result) (shown bool, err error) {
	if err := t.judgeInside(inside); err != nil || t.Works {
		return err == nil, err
	}
	switch {
	case outside.Outcome == Broken || outside.Outcome == "":
		return false, fmt.Errorf("the control was not made: %v", outside)
	case outside.Outcome == Through && t.Proof && !strings.Contains(outside.Detail, canary):
		return false, fmt.Errorf("the control succeeded without the canary: %q", outside.Detail)
	case outside.Outcome == Through:
		return true, nil
	}
	return slices.Contains(t.reaches(who), outside.Errno) && outside.Errno != inside.Errno, nil
}

func (t Technique) judgeInside(r Result) error {
	switch {
	case r.Outcome == Broken || r.Outcome == "":
		return fmt.Errorf("inside it was not tried: %v", r)
	case t.Works && r.Outcome != Through:
		return fmt.Errorf("inside it must work: %v", r)
	case !t.Works && r.Outcome == Through:
		return fmt.Errorf("got through: %s", r.Detail)
	case !t.Works && !slices.Contains(t.good(), r.Errno):
		return fmt.Errorf("refused by another errno than %v: %v", t.good(), r)
	}
	return nil
}

func (t Technique) good() []syscall.Errno {
	if t.Good != nil {
		return t.Good
	}
	return errnos(syscall.EACCES, syscall.EPERM, syscall.ENOENT)
}

func (t Technique) reaches(who Identity) []syscall.Errno {
	if who == AsRoot {
		return t.Root
	}
	return t.User
}
