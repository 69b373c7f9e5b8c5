package main

import (
	"errors"

	"github.com/sovrun/sovrun/policy"
	"github.com/sovrun/sovrun/runs"
)

// request reads flags and policy files. The options are those that were read before
// an error. With Help among them the request is empty.
func request(args []string) (runs.Request, policy.Options, error) {
	flags, rest, opt, err := policy.ParseFlags(args)
	if err != nil || opt.Help {
		return runs.Request{}, opt, err
	}
	p, err := policy.Compose(flags, opt)
	return runs.Request{Policy: p, Argv: rest}, opt, err
}

// help answers for the flags of a verb.
func help(verb string) int {
	return answer([]byte("Usage: sovrun "+verb+" [flags] [--] COMMAND [ARGUMENT...]\n\nFlags:\n"+policy.Usage()), 0)
}

// categoryOf is what a status object calls an error.
func categoryOf(err error) policy.Category {
	var why *policy.RefusedError
	if errors.As(err, &why) {
		return why.Category
	}
	return policy.InternalError
}

// refusal prints why nothing was started.
func refusal(err error) int {
	var why *policy.RefusedError
	if errors.As(err, &why) {
		problem(why.Message, why.Hint)
	} else {
		problem(err.Error(), "")
	}
	return exitRefused
}
