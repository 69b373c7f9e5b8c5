package main

import (
	"errors"

	"github.com/sovrun/sovrun/policy"
	"github.com/sovrun/sovrun/runs"
)

// request reads flags and policy files. false: the answer has been given, and the
// exit status is code.
func request(verb string, args []string) (req runs.Request, opt policy.Options, code int, ok bool) {
	flags, rest, opt, err := policy.ParseFlags(args)
	if err != nil {
		return req, opt, refusal(err), false
	}
	if opt.Help {
		text := "Usage: sovrun " + verb + " [flags] [--] COMMAND [ARGUMENT...]\n\nFlags:\n" + policy.Usage()
		return req, opt, answer([]byte(text), 0), false
	}
	p, err := policy.Compose(flags, opt)
	if err != nil {
		return req, opt, refusal(err), false
	}
	return runs.Request{Policy: p, Argv: rest}, opt, 0, true
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
