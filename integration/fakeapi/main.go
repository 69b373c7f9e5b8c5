// Command fakeapi stands in for a model provider: it serves the OpenAI Responses protocol on a loopback address,
// starts the command it is given, and exits as that does.
//
//	fakeapi -run SHELL_COMMAND -log FILE -- PROGRAM ARGUMENT...
//
// "{url}" in an argument becomes the server's address. The model that it plays asks once to run SHELL_COMMAND with
// the shell tool that the request offers, and then says that it is done. Every request goes to the log as a line of
// JSON, so that a test sees which tools were offered and what the model would have been told.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

// exitFailed is the status of fakeapi's own failures.
const exitFailed = 125

func main() {
	run := flag.String("run", "", "the shell command that the model asks for")
	log := flag.String("log", "", "file for a line of JSON a request")
	listen := flag.String("listen", "127.0.0.1:0", "address")
	flag.Parse()
	code, err := serve(*listen, *run, *log, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakeapi:", err)
	}
	os.Exit(code)
}

// serve answers until the command has ended and returns its exit status.
func serve(address, run, log string, argv []string) (int, error) {
	if run == "" || log == "" || len(argv) == 0 {
		return exitFailed, errors.New("wanted -run SHELL_COMMAND, -log FILE, and a program to start")
	}
	requests, err := os.OpenFile(log, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return exitFailed, fmt.Errorf("log of requests: %w", err)
	}
	defer requests.Close()
	l, err := net.Listen("tcp", address)
	if err != nil {
		return exitFailed, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: newModel(run, requests)}
	go server.Serve(l)
	defer server.Close()
	return command(argv, "http://"+l.Addr().String())
}

// command runs the program on fakeapi's own streams.
func command(argv []string, url string) (int, error) {
	for i, a := range argv {
		argv[i] = strings.ReplaceAll(a, "{url}", url)
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return exitFailed, fmt.Errorf("run %q: %w", argv[0], err)
	}
	return c.ProcessState.ExitCode(), nil
}
