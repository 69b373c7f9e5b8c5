package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

// job is one attempt: which act, and on what.
type job struct {
	Key  string   `json:"key"`
	Act  string   `json:"act"`
	Args []string `json:"args"`
}

// result is what came of a job.
type result struct {
	Key     string `json:"key"`
	Outcome string `json:"outcome"`
	Errno   int    `json:"errno"`
	Detail  string `json:"detail"`
}

// Outcomes of a job. broken is neither: the attempt was not made as it should
// have been, and says nothing about the sandbox.
const (
	through = "through"
	refused = "refused"
	absent  = "absent"
	broken  = "broken"
)

// absences are the errnos of what is not there to be refused.
func absences() []syscall.Errno {
	return []syscall.Errno{syscall.ENOENT, syscall.ENXIO, syscall.ENODEV, syscall.ESRCH, syscall.EBADF, syscall.ECONNREFUSED}
}

// act makes one attempt. No error: it got through; a syscall.Errno anywhere in
// the error: it did not; anything else: it could not be made.
type act func(args []string) (detail string, err error)

// acts is every act by name.
func acts() map[string]act {
	all := map[string]act{}
	for _, table := range []map[string]act{fileActs(), linkActs(), mountActs(), procActs(), execActs(), callActs(), foreignActs(), ringActs(), otherActs(), namespaceActs(), netActs(), ipcActs(), terminalActs()} {
		maps.Copy(all, table)
	}
	return all
}

func listActs([]string) error {
	for _, name := range slices.Sorted(maps.Keys(acts())) {
		fmt.Println(name)
	}
	return nil
}

// one makes the attempt that its argument describes.
func one(args []string) error {
	j, err := parse(args)
	if err != nil {
		return err
	}
	return print(attempt(j))
}

// hold keeps the process until the harness has looked at what the attempt did.
func hold(args []string) error {
	if err := one(args); err != nil {
		return err
	}
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return err
}

func parse(args []string) (j job, err error) {
	if len(args) != 1 {
		return j, errors.New("wanted one job")
	}
	err = json.Unmarshal([]byte(args[0]), &j)
	return j, err
}

func print(r result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(line, '\n'))
	return err
}

func attempt(j job) (r result) {
	r.Key = j.Key
	do := acts()[j.Act]
	if do == nil {
		r.Outcome, r.Detail = broken, "no act "+j.Act
		return r
	}
	// A missing argument is the catalogue's fault and shows as broken.
	defer func() {
		if p := recover(); p != nil {
			r.Outcome, r.Detail = broken, fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	detail, err := do(j.Args)
	r.Detail = detail
	r.Outcome, r.Errno = outcome(err)
	if err != nil {
		r.Detail = strings.TrimSpace(detail + " " + err.Error())
	}
	return r
}

func outcome(err error) (string, int) {
	var errno syscall.Errno
	switch {
	case err == nil:
		return through, 0
	case !errors.As(err, &errno):
		return broken, 0
	case slices.Contains(absences(), errno):
		return absent, int(errno)
	default:
		return refused, int(errno)
	}
}

// patience is how long one attempt may take on a busy machine.
const patience = 60 * time.Second

// batch makes every attempt of a file: those that only look in this process,
// every other in one of its own, so that what it does to itself says nothing about
// the next.
func batch(args []string) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var jobs []job
	if err := json.Unmarshal(text, &jobs); err != nil {
		return fmt.Errorf("%q: %w", args[0], err)
	}
	for _, j := range jobs {
		if onlyLooks(j.Act) {
			err = print(attempt(j))
		} else {
			err = inProcess(j)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// onlyLooks tells which acts leave the process as it was and do not look at
// descriptors that it was started with, among which are its own by now.
func onlyLooks(name string) bool {
	switch name {
	case "descriptor", "descriptor_at", "descriptor_write", "descriptor_link", "working_dir", "path_fchdir":
		return false
	}
	for _, table := range []map[string]act{fileActs(), linkActs(), procActs(), netActs(), ipcActs()} {
		if table[name] != nil {
			return true
		}
	}
	return false
}

// inProcess passes on the line that the process prints, or says that it died.
func inProcess(j job) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	var out, trouble bytes.Buffer
	cmd := exec.CommandContext(ctx, os.Args[0], "one", string(text))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, &out, &trouble
	cmd.WaitDelay = patience
	if err := cmd.Run(); err != nil || out.Len() == 0 {
		return print(result{Key: j.Key, Outcome: broken, Detail: fmt.Sprintf("%v: %s", err, &trouble)})
	}
	_, err = os.Stdout.Write(out.Bytes())
	return err
}

// inChild makes an act in a child that is started with the attributes.
func inChild(name string, args []string, attr *syscall.SysProcAttr) (string, error) {
	text, err := json.Marshal(job{Act: name, Args: args})
	if err != nil {
		return "", err
	}
	var trouble bytes.Buffer
	cmd := exec.Command(os.Args[0], "one", string(text))
	cmd.Stdin, cmd.Stderr, cmd.SysProcAttr = os.Stdin, &trouble, attr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("starting a child: %w %s", err, &trouble)
	}
	var r result
	if err := json.Unmarshal(out, &r); err != nil {
		return "", fmt.Errorf("the child said %q", out)
	}
	switch {
	case r.Outcome == broken:
		return "", errors.New(r.Detail)
	case r.Errno != 0:
		return r.Detail, syscall.Errno(r.Errno)
	}
	return r.Detail, nil
}
