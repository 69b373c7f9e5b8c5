package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// execute runs a check from the top of the repository.
func execute(c check) error {
	if c[0] == "make" {
		return command(c, nil)
	}
	args := append([]string{"test", "-json", "-count=1"}, c[2:]...)
	var events bytes.Buffer
	if err := command(append([]string{c[0]}, args...), &events); err != nil {
		return err
	}
	return passedIn(&events)
}

// command runs the words and returns the end of what they printed as the error. With events it keeps standard output
// there as well.
func command(words []string, events *bytes.Buffer) error {
	var said bytes.Buffer
	c := exec.Command(words[0], words[1:]...)
	c.Stdout, c.Stderr = &said, &said
	if events != nil {
		c.Stdout = events
	}
	err := c.Run()
	if err == nil {
		return nil
	}
	if events != nil {
		outputs(events, &said)
	}
	return fmt.Errorf("%w\n%s", err, indented(said.String()))
}

// maxLines of a failed check are shown: its last ones, where a test runner puts the verdict.
const maxLines = 40

func indented(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > maxLines {
		lines = lines[len(lines)-maxLines:]
	}
	return "     " + strings.Join(lines, "\n     ")
}

// event is what is needed of a line of go test -json (go doc test2json).
type event struct{ Action, Test, Output string }

func each(events *bytes.Buffer, f func(event)) {
	dec := json.NewDecoder(events)
	for {
		var e event
		if dec.Decode(&e) != nil {
			return
		}
		f(e)
	}
}

func outputs(events, to *bytes.Buffer) {
	each(events, func(e event) { to.WriteString(e.Output) })
}

// passedIn wants a test that passed: go test itself is content when nothing matched, or when all was skipped.
func passedIn(events *bytes.Buffer) error {
	passed, skipped := 0, 0
	each(events, func(e event) {
		switch {
		case e.Test == "":
		case e.Action == "pass":
			passed++
		case e.Action == "skip":
			skipped++
		}
	})
	switch {
	case passed > 0:
		return nil
	case skipped > 0:
		return errors.New("the test was skipped: run it as the other of root and an ordinary user")
	}
	return errors.New("no test matches")
}
