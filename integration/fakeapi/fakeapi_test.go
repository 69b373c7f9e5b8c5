package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestModel(t *testing.T) {
	const post, path = http.MethodPost, "/v1/responses"
	cases := []struct {
		name, method, path, body string
		status                   int
		answer, logged           string
	}{
		{"the first request asks for the tool", post, path, `{"model":"m","tools":[{"name":"view_image"},{"name":"exec_command"}],"input":[{"type":"message"}]}`,
			200, `"arguments":"{\"cmd\":\"id -u\"}"`, `"tools":["view_image","exec_command"]`},
		{"another name of the tool", post, path, `{"tools":[{"name":"shell"}]}`, 200, `{\"command\":[\"bash\",\"-c\",\"id -u\"]}`, `"tools":["shell"]`},
		{"the second request ends the session", post, path, `{"tools":[{"name":"exec_command"}],"input":[{"type":"function_call_output","output":"0"}]}`,
			200, `"text":"done"`, `"results":["0"]`},
		{"no shell tool", post, path, `{"tools":[{"name":"view_image"}]}`, 422, "Unprocessable", `"status":422`},
		{"no JSON", post, path, `{`, 400, "Bad Request", `"status":400`},
		{"another path", post, "/v1/models", `{}`, 404, "Not Found", `"path":"/v1/models"`},
		{"another method", http.MethodGet, path, "", 404, "Not Found", `"method":"GET"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			w := httptest.NewRecorder()
			newModel("id -u", &log).ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
			// The events hold the item as JSON within JSON.
			answer := strings.ReplaceAll(w.Body.String(), `\\\"`, `\"`)
			if w.Code != c.status || !strings.Contains(answer, c.answer) {
				t.Errorf("wanted %d with %s, got %d %s", c.status, c.answer, w.Code, answer)
			}
			if !strings.Contains(log.String(), c.logged) || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("wanted one line with %s, got %s", c.logged, log.String())
			}
		})
	}
}

func TestEventsComeInOrder(t *testing.T) {
	var b strings.Builder
	stream(&b, message("done"))
	var got []string
	for line := range strings.Lines(b.String()) {
		if event, ok := strings.CutPrefix(line, "event: "); ok {
			got = append(got, strings.TrimSpace(event))
		}
	}
	want := "response.created response.output_item.added response.output_item.done response.completed"
	if strings.Join(got, " ") != want {
		t.Errorf("wanted %s, got %s", want, got)
	}
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	code, err := serve("127.0.0.1:0", "id", filepath.Join(dir, "log"), []string{"/bin/sh", "-c", "echo {url} > " + out + "; exit 7"})
	if err != nil || code != 7 {
		t.Errorf("wanted the command's status 7, got %d, %v", code, err)
	}
	if got, _ := os.ReadFile(out); !strings.HasPrefix(string(got), "http://127.0.0.1:") {
		t.Errorf("wanted the server's address, got %q", got)
	}
	if code, err := serve("127.0.0.1:0", "id", filepath.Join(dir, "log"), []string{"/bin/true"}); err == nil || code != exitFailed {
		t.Errorf("wanted a log that exists to be refused, got %d, %v", code, err)
	}
	if code, err := serve("127.0.0.1:0", "", "", nil); err == nil || code != exitFailed {
		t.Errorf("wanted the usage, got %d, %v", code, err)
	}
}
