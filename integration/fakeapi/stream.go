package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// item is an output item of a response.
type item map[string]any

func message(text string) item {
	content := []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}
	return item{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
}

func call(name string, arguments map[string]any) item {
	text, _ := json.Marshal(arguments) // of strings alone, which cannot fail
	return item{"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": string(text), "status": "completed"}
}

// stream sends one response with one item as server-sent events (WHATWG HTML, section 9.2), in the order in which
// the Responses protocol has them.
func stream(w io.Writer, it item) {
	const id = "resp_1"
	usage := map[string]any{
		"input_tokens": 1, "input_tokens_details": map[string]any{"cached_tokens": 0},
		"output_tokens": 1, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 2,
	}
	started := map[string]any{"id": id, "status": "in_progress", "output": []any{}}
	finished := map[string]any{"id": id, "status": "completed", "output": []any{it}, "usage": usage}
	for _, e := range []map[string]any{
		{"type": "response.created", "response": started},
		{"type": "response.output_item.added", "output_index": 0, "item": it},
		{"type": "response.output_item.done", "output_index": 0, "item": it},
		{"type": "response.completed", "response": finished},
	} {
		data, _ := json.Marshal(e) // of strings and numbers alone, which cannot fail
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
}
