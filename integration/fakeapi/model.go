package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

// request is what the model needs of a POST to /responses.
type request struct {
	Model string `json:"model"`
	Tools []struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tools"`
	Input []struct {
		Type   string          `json:"type"`
		Output json.RawMessage `json:"output"`
	} `json:"input"`
}

// entry is a line of the log.
type entry struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Status  int               `json:"status"`
	Model   string            `json:"model,omitempty"`
	Tools   []string          `json:"tools,omitempty"`
	Results []json.RawMessage `json:"results,omitempty"` // of the shell tool, as the model is told
}

// model plays the provider. It keeps nothing between requests: how far the session is stands in each of them.
type model struct {
	run  string // the shell command to ask for
	lock sync.Mutex
	log  io.Writer
}

func newModel(run string, log io.Writer) *model { return &model{run: run, log: log} }

// maxBody bounds a request: the first one of a real session has 60 KB.
const maxBody = 8 << 20

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := entry{Method: r.Method, Path: r.URL.Path, Status: http.StatusOK}
	var q request
	switch {
	case r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/responses"):
		e.Status = http.StatusNotFound
	case json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&q) != nil:
		e.Status = http.StatusBadRequest
	}
	q.describe(&e)
	var answer item
	if e.Status == http.StatusOK {
		var ok bool
		if answer, ok = m.next(&q); !ok {
			e.Status = http.StatusUnprocessableEntity
		}
	}
	m.record(e)
	if e.Status != http.StatusOK {
		http.Error(w, http.StatusText(e.Status), e.Status)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	stream(w, answer)
}

func (q *request) describe(e *entry) {
	e.Model = q.Model
	for _, t := range q.Tools {
		e.Tools = append(e.Tools, t.Name)
	}
	for _, i := range q.Input {
		if i.Type == "function_call_output" {
			e.Results = append(e.Results, i.Output)
		}
	}
}

// record writes before the answer goes out: what the client has seen is in the log.
func (m *model) record(e entry) {
	line, err := json.Marshal(e)
	if err == nil {
		m.lock.Lock()
		_, err = m.log.Write(append(line, '\n'))
		m.lock.Unlock()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakeapi: log of requests:", err)
	}
}

// next is the model's mind: the tool first, then the end. false: no shell tool is offered.
func (m *model) next(q *request) (item, bool) {
	for _, i := range q.Input {
		if i.Type == "function_call_output" {
			return message("done"), true
		}
	}
	for _, t := range q.Tools {
		if arguments, ok := shellArguments(t.Name, m.run); ok {
			return call(t.Name, arguments), true
		}
	}
	return nil, false
}

// shellArguments are the arguments of the shell tools that versions of codex offer; false: it is none of them.
func shellArguments(tool, run string) (map[string]any, bool) {
	switch tool {
	case "exec_command":
		return map[string]any{"cmd": run}, true
	case "shell_command":
		return map[string]any{"command": run}, true
	case "shell":
		return map[string]any{"command": []string{"bash", "-c", run}}, true
	}
	return nil, false
}
