package main

import (
	"os"

	"github.com/sovrun/sovrun/policy"
	"github.com/sovrun/sovrun/probes"
	"github.com/sovrun/sovrun/runs"
)

// runCommand is sovrun run.
func runCommand(args []string) int {
	req, opt, code, ok := request("run", args)
	if !ok {
		return code
	}
	if len(req.Argv) == 0 {
		problem("there is no command to run", "write sovrun run -- COMMAND; sovrun explain reports without one")
		return exitRefused
	}
	status, err := runs.OpenStatus(opt.StatusFile, opt.StatusFD)
	if err != nil {
		return refusal(err)
	}
	req.Execute, req.Report, req.Note = true, status != nil, note
	out := runs.Do(req)
	if out.Err != nil {
		problem(out.Err.Error(), out.Hint)
	}
	if err := status.Write(&out); err != nil {
		problem(err.Error(), "the outcome stands in the exit status alone")
		return exitRefused
	}
	return out.ExitCode
}

// explainCommand is sovrun explain.
func explainCommand(args []string) int {
	req, opt, code, ok := request("explain", args)
	if !ok {
		return code
	}
	out := runs.Do(req)
	if !out.Reported {
		problem(out.Err.Error(), out.Hint)
		return exitRefused
	}
	code = answer(reportText(&out.Report, opt), out.ExitCode)
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
	req, opt, code, ok := request("plan", args)
	if !ok {
		return code
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
