//go:build cgo

package main

import (
	"fmt"
	"syscall"

	"github.com/opencontainers/runtime-spec/specs-go"
	seccomp "github.com/seccomp/libseccomp-golang"
)

// rule is one call of a profile in the library's terms.
type rule struct {
	name   string
	call   seccomp.ScmpSyscall
	action seccomp.ScmpAction
	conds  []seccomp.ScmpCondition
}

// addTo adds r to a filter. The library refuses a rule that repeats the
// filter's default, and such a rule adds nothing.
func (r rule) addTo(filter *seccomp.ScmpFilter, fallback seccomp.ScmpAction) error {
	if r.action == fallback {
		return nil
	}
	if len(r.conds) == 0 {
		return filter.AddRule(r.call, r.action)
	}
	return filter.AddRuleConditional(r.call, r.action, r.conds)
}

// part is the rules with arguments of all calls that answer fallback when none
// of them matches.
type part struct {
	fallback seccomp.ScmpAction
	rules    []rule
}

// rules translates a profile for arch, leaving out calls that arch lacks, and
// refuses two answers to one call.
func rules(spec *specs.LinuxSeccomp, arch string) ([]rule, error) {
	var all []rule
	first := make(map[string]seccomp.ScmpAction)
	for i, s := range spec.Syscalls {
		for _, name := range s.Names {
			r, present, err := makeRule(s, name, arch)
			if err != nil {
				return nil, fmt.Errorf("syscalls[%d] %q: %w", i, name, err)
			}
			before, twice := first[name]
			if len(r.conds) == 0 && twice && before != r.action {
				return nil, fmt.Errorf("syscalls[%d] %q: an earlier rule gives it another action; remove one", i, name)
			}
			if len(r.conds) == 0 {
				first[name] = r.action
			}
			if present {
				all = append(all, r)
			}
		}
	}
	return all, nil
}

// split separates what the number decides from what arguments decide: a call
// with argument rules goes on to the part whose fallback is the action of its
// rule without arguments, or the profile's default.
func split(all []rule, fallback seccomp.ScmpAction) (numbers []rule, parts []part) {
	plain := make(map[string]seccomp.ScmpAction)
	ruled := make(map[string][]rule)
	for _, r := range all {
		if len(r.conds) > 0 {
			ruled[r.name] = append(ruled[r.name], r)
		} else {
			plain[r.name] = r.action
		}
	}
	done := make(map[string]bool)
	for _, r := range all {
		switch {
		case done[r.name]:
			continue
		case ruled[r.name] == nil:
			numbers = append(numbers, r)
		default:
			act, given := plain[r.name]
			if !given {
				act = fallback
			}
			i := partFor(&parts, act)
			parts[i].rules = append(parts[i].rules, ruled[r.name]...)
			numbers = append(numbers, rule{name: r.name, call: r.call, action: goOn(i)})
		}
		done[r.name] = true
	}
	return numbers, parts
}

// partFor returns the index of the part with that fallback, making it if needed.
func partFor(parts *[]part, fallback seccomp.ScmpAction) int {
	for i, p := range *parts {
		if p.fallback == fallback {
			return i
		}
	}
	*parts = append(*parts, part{fallback: fallback})
	return len(*parts) - 1
}

func makeRule(s specs.LinuxSyscall, name, arch string) (rule, bool, error) {
	act, err := action(s.Action, s.ErrnoRet)
	if err != nil {
		return rule{}, false, err
	}
	conds, err := conditions(s.Args)
	if err != nil {
		return rule{}, false, err
	}
	call, present, err := resolve(name, arch)
	return rule{name: name, call: call, action: act, conds: conds}, present, err
}

// actions that a filter can carry out with nobody's help. KILL kills the
// thread, as in the runtime-spec.
var actions = map[specs.LinuxSeccompAction]seccomp.ScmpAction{
	specs.ActAllow:       seccomp.ActAllow,
	specs.ActErrno:       seccomp.ActErrno,
	specs.ActKill:        seccomp.ActKillThread,
	specs.ActKillThread:  seccomp.ActKillThread,
	specs.ActKillProcess: seccomp.ActKillProcess,
	specs.ActTrap:        seccomp.ActTrap,
	specs.ActLog:         seccomp.ActLog,
}

// action translates an action and its errno, which is EPERM when not given.
func action(a specs.LinuxSeccompAction, errno *uint) (seccomp.ScmpAction, error) {
	act, known := actions[a]
	switch {
	case a == specs.ActTrace || a == specs.ActNotify:
		return 0, fmt.Errorf("action %q needs a process that answers, and sovrun has none; use SCMP_ACT_ERRNO", a)
	case !known:
		return 0, fmt.Errorf("unknown action %q", a)
	case act != seccomp.ActErrno && errno != nil:
		return 0, fmt.Errorf("action %q takes no errno; remove it", a)
	case act != seccomp.ActErrno:
		return act, nil
	case errno == nil:
		return act.SetReturnCode(int16(syscall.EPERM)), nil
	case *errno > maxErrno:
		return 0, fmt.Errorf("errno %d is above the limit of %d", *errno, maxErrno)
	}
	return act.SetReturnCode(int16(*errno)), nil
}

var operators = map[specs.LinuxSeccompOperator]seccomp.ScmpCompareOp{
	specs.OpNotEqual:     seccomp.CompareNotEqual,
	specs.OpLessThan:     seccomp.CompareLess,
	specs.OpLessEqual:    seccomp.CompareLessOrEqual,
	specs.OpEqualTo:      seccomp.CompareEqual,
	specs.OpGreaterEqual: seccomp.CompareGreaterEqual,
	specs.OpGreaterThan:  seccomp.CompareGreater,
	specs.OpMaskedEqual:  seccomp.CompareMaskedEqual,
}

func conditions(args []specs.LinuxSeccompArg) ([]seccomp.ScmpCondition, error) {
	var conds []seccomp.ScmpCondition
	for _, a := range args {
		op, known := operators[a.Op]
		if !known {
			return nil, fmt.Errorf("argument %d: unknown operator %q", a.Index, a.Op)
		}
		conds = append(conds, seccomp.ScmpCondition{
			Argument: a.Index, Op: op, Operand1: a.Value, Operand2: a.ValueTwo})
	}
	return conds, nil
}
