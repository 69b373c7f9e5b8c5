package readme

import (
	"fmt"
	"strings"
)

// step is one command of the session with what it must print.
type step struct {
	line    int // in the README
	command string
	want    string
	file    bool // want is written to the file named by command
}

// parse returns the steps of a README in order.
func parse(text string) ([]step, error) {
	var out []step
	var fence string
	var body []string
	start := 0
	for i, line := range strings.Split(text, "\n") {
		info, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && start == 0:
			fence, body, start = info, nil, i+1
		case isFence:
			steps, err := block(fence, body, start)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", start, err)
			}
			out, start = append(out, steps...), 0
		case start != 0:
			body = append(body, line)
		}
	}
	if start != 0 {
		return nil, fmt.Errorf("line %d: the block does not end", start)
	}
	return out, nil
}

func block(fence string, body []string, start int) ([]step, error) {
	words := strings.Fields(fence)
	switch {
	case len(words) == 1 && words[0] == "console":
		return console(body, start)
	case len(words) == 2 && words[0] != "console":
		return []step{{line: start, command: words[1], want: strings.Join(body, "\n") + "\n", file: true}}, nil
	}
	return nil, fmt.Errorf("a block %q is not run: wanted \"console\", or a kind and a file name", fence)
}

func console(body []string, start int) ([]step, error) {
	var out []step
	continues := false // the line before was a command
	for i, line := range body {
		command, isCommand := strings.CutPrefix(line, "$ ")
		more, isMore := strings.CutPrefix(line, "> ")
		switch {
		case isCommand:
			out = append(out, step{line: start + i + 1, command: command})
		case len(out) == 0:
			return nil, fmt.Errorf("a console block starts with %q: wanted a command after \"$ \"", line)
		case isMore && continues:
			out[len(out)-1].command += "\n" + more
		default:
			out[len(out)-1].want += line + "\n"
		}
		continues = isCommand || isMore && continues
	}
	return out, nil
}
