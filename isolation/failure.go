package isolation

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
)

// SetupError is a launch that did not get as far as the provider: what failed,
// why, and what can be done.
type SetupError struct {
	Stage, Object string
	Errno         unix.Errno
	Meaning       string
	Remedy        string
}

// Error is one sentence with stage, object, errno and meaning.
func (e *SetupError) Error() string {
	s := "setting up " + e.Stage
	if e.Object != "" {
		s += fmt.Sprintf(" (%q)", e.Object)
	}
	if e.Errno != 0 {
		s += fmt.Sprintf(": %s (%s)", e.Errno.Error(), unix.ErrnoName(e.Errno))
	}
	if e.Meaning != "" {
		s += ": " + e.Meaning
	}
	return s
}

// Unwrap gives the errno.
func (e *SetupError) Unwrap() error {
	if e.Errno == 0 {
		return nil
	}
	return e.Errno
}

// explanation is what an errno means at a stage. The first line that fits counts;
// a line without an errno fits all.
type explanation struct {
	stage   child.Stage
	errno   unix.Errno
	meaning string
	remedy  string
}

func explanations() []explanation {
	return []explanation{
		{child.StageClone, unix.ENOSPC, "a limit on namespaces is reached or zero", "raise the sysctl user.max_user_namespaces (or that of the namespace named in the limit)"},
		{child.StageClone, unix.EPERM, "this host does not let this user make user namespaces", "allow them for sovrun: an AppArmor profile with the userns rule, or a container profile that permits clone with CLONE_NEWUSER"},
		{child.StageClone, unix.ENOSYS, "the kernel, or a filter around sovrun, does not have the call", "start sovrun outside of the other sandbox, or on a kernel since Linux 5.12"},
		{child.StageClone, unix.EUSERS, "user namespaces are nested too deeply", "start sovrun outside of the outermost sandboxes"},
		{child.StageIDMap, unix.EPERM, "the kernel refused the id map", "see whether a security module or an outer sandbox restricts user namespaces"},
		{child.StageSources, unix.ESTALE, "it was exchanged between the check and its use", "start again when nothing renames it; if nobody should, find out who does"},
		{child.StageSources, unix.ELOOP, "a component became a symbolic link between the check and its use", "start again when nothing renames it; if nobody should, find out who does"},
		{child.StageSources, unix.ENOENT, "it vanished between the check and its use", "start again when nothing removes it"},
		{child.StageSources, unix.EACCES, "the user that the command runs as may not reach it", "give that user search permission on the directories above it, or name another path"},
		// The first call about mounts is where another domain shows.
		{child.StagePropagation, unix.EPERM, "the kernel refuses mounts here, as it does inside another Landlock domain", "start sovrun outside of the other sandbox"},
		{child.StageMounts, unix.ENOENT, "what it lies in was renamed or removed meanwhile", "start again when nothing renames it; if nobody should, find out who does"},
		{child.StageMounts, unix.ELOOP, "what it lies in became a symbolic link meanwhile", "start again when nothing renames it; if nobody should, find out who does"},
		{child.StageDirectory, unix.ENOENT, "it was renamed or removed meanwhile", "start again in a directory that stays"},
		{child.StageDev, unix.ESTALE, "it is not the device of that name", "make it again as root with mknod(1), and find out what replaced it"},
		{child.StageProc, unix.EPERM, "the kernel refuses a fresh /proc where parts of the present one are masked", "start sovrun in a container whose /proc is unmasked, or outside of it"},
		{child.StageLandlock, unix.E2BIG, "this process already has the largest number of Landlock layers", "start sovrun outside of the sandboxes that it is nested in"},
		{child.StageLandlock, unix.EOPNOTSUPP, "Landlock is built into this kernel but not switched on", "add landlock to the lsm= boot parameter"},
		{child.StageLandlock, unix.ENOSYS, "this kernel has no Landlock", "use a kernel with CONFIG_SECURITY_LANDLOCK (Linux 5.13 or later)"},
		{child.StageNetwork, unix.EPERM, "the kernel refuses to configure the new network namespace", "see whether a security module takes capabilities away inside user namespaces"},
		{child.StageInit, unix.EAGAIN, "the limit on processes is reached", "raise --limit processes, or the limit of the shell that starts sovrun"},
	}
}

// Explain turns a failure of the child into a sentence.
func Explain(p *child.Program, f *child.Failure) *SetupError {
	e := &SetupError{Stage: f.Op.Stage.String(), Errno: f.Errno, Object: p.Objects[f.Op.Object]}
	if f.Errno == 0 {
		e.Meaning = fmt.Sprintf("the result was %d, wanted %d", f.Result, f.Op.Want)
	}
	e.explain(f.Op.Stage)
	return e
}

func (e *SetupError) explain(s child.Stage) {
	for _, x := range explanations() {
		if x.stage == s && x.errno == e.Errno {
			e.Meaning, e.Remedy = x.meaning, x.remedy
			return
		}
	}
	e.Remedy = remedyOf(e.Errno)
}

// remedyOf is what to do about an errno whose stage says nothing more special:
// for the most part it is something that the launcher ran out of.
func remedyOf(e unix.Errno) string {
	switch e {
	case unix.EMFILE:
		return "raise the limit on open files of the shell that starts sovrun (ulimit -n)"
	case unix.ENFILE:
		return "close programs that hold many files, or raise the sysctl fs.file-max"
	case unix.EAGAIN:
		return "raise the limit on processes of the shell that starts sovrun (ulimit -u)"
	case unix.ENOMEM, unix.ENOBUFS:
		return "free memory, or raise the memory limit of the control group that sovrun is in"
	}
	return "see sovrun plan for what was to be done"
}

// Unforeseen turns an error of the launcher's own steps, which begins with the
// name of its stage, into a SetupError.
func Unforeseen(err error) *SetupError {
	stage, meaning, _ := strings.Cut(err.Error(), ": ")
	e := &SetupError{Stage: stage, Meaning: meaning}
	var errno unix.Errno
	errors.As(err, &errno)
	e.Remedy = remedyOf(errno)
	return e
}

// cloneFailure explains a clone that failed.
func cloneFailure(err error) error {
	var s *child.StartError
	if !errors.As(err, &s) {
		return err
	}
	e := &SetupError{Stage: child.StageClone.String(), Object: s.What, Errno: s.Errno}
	e.explain(child.StageClone)
	return e
}

// Program gives the running program, whose failures Explain reads.
func (l *Launch) Program() *child.Program { return l.builder.P }
