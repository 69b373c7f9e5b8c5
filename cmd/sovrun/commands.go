package main

import (
	"cmp"
	"os"

	"github.com/sovrun/sovrun/policy"
	"github.com/sovrun/sovrun/probes"
	"github.com/sovrun/sovrun/runs"
)

// runCommand is sovrun run.
func runCommand(args []string) int {
	req, opt, err := request(args)
	if err == nil && opt.Help {
		return help("run")
	}
	// First of all, so that what a run before left does not pass for this one's.
	status, bad := runs.OpenStatus(opt.StatusFile, opt.StatusFD)
	if err == nil && bad == nil && len(req.Argv) == 0 {
		err = &policy.RefusedError{Category: policy.InvalidPolicy, Message: "there is no command to run", Hint: "write sovrun run -- COMMAND; sovrun explain reports without one"}
	}
	if err := cmp.Or(err, bad); err != nil {
		refusal(err)
		return ended(status, &runs.Outcome{ExitCode: exitRefused, Category: categoryOf(err)})
	}
	req.Execute, req.Report, req.Note = true, status != nil, note
	out := runs.Do(req)
	if out.Err != nil {
		problem(out.Err.Error(), out.Hint)
	}
	return ended(status, &out)
}

// ended writes the outcome down and gives the exit status.
func ended(status *runs.StatusWriter, out *runs.Outcome) int {
	if err := status.Write(out); err != nil {
		problem(err.Error(), "the outcome stands in the exit status alone")
		return exitRefused
	}
	return out.ExitCode
}

// explainCommand is sovrun explain.
func explainCommand(args []string) int {
	req, opt, err := request(args)
	switch {
	case err != nil:
		return refusal(err)
	case opt.Help:
		return help("explain")
	}
	out := runs.Do(req)
	if !out.Reported {
		problem(out.Err.Error(), out.Hint)
		return exitRefused
	}
	code := answer(reportText(&out.Report, opt), out.ExitCode)
	for _, n := range out.Plan.Notes {
		note(n)
	}
	if c := out.Plan.Command; len(req.Argv) > 0 && c.NotFound != "" {
		note(c.NotFound)
	}
	if out.Err != nil {
		problem(out.Err.Error(), out.Hint)
	}
	return code
}

func reportText(r *probes.Report, opt policy.Options) []byte {
	if opt.JSON {
		return append(r.AppendJSON(nil), '\n')
	}
	return []byte(r.Text(probes.TextOptions{Color: colored(opt.Color, os.Stdout), Acts: opt.Verbose}))
}

// planCommand is sovrun plan.
func planCommand(args []string) int {
	req, opt, err := request(args)
	switch {
	case err != nil:
		return refusal(err)
	case opt.Help:
		return help("plan")
	}
	plan, err := runs.Plan(req)
	if err != nil {
		return refusal(err)
	}
	if opt.JSON {
		return answer(jsonOf(&plan), 0)
	}
	return answer([]byte(plan.Text()), 0)
}
