package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// record is a snapshot with the scope it was taken of, so that compare looks at the same places.
type record struct {
	Scope   scope
	Entries map[string]entry
}

func writeRecord(file string, r record) (err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	if err := json.NewEncoder(w).Encode(r); err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	return w.Flush()
}

func readRecord(file string) (record, error) {
	var r record
	f, err := os.Open(file)
	if err != nil {
		return r, fmt.Errorf("read the record: %w", err)
	}
	defer f.Close()
	if err := json.NewDecoder(bufio.NewReader(f)).Decode(&r); err != nil {
		return r, fmt.Errorf("read the record %q: %w", file, err)
	}
	return r, nil
}

// diff tells what was added, removed or changed, sorted by path.
func diff(before, now map[string]entry) []string {
	var out []string
	for p, b := range before {
		n, ok := now[p]
		switch {
		case !ok:
			out = append(out, fmt.Sprintf("%q: removed", p))
		case n != b:
			out = append(out, fmt.Sprintf("%q: %s", p, differences(b, n)))
		}
	}
	for p := range maps.Keys(now) {
		if _, ok := before[p]; !ok {
			out = append(out, fmt.Sprintf("%q: added", p))
		}
	}
	slices.Sort(out)
	return out
}

func differences(b, n entry) string {
	var out []string
	add := func(differs bool, format string, args ...any) {
		if differs {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(b.Content != n.Content, "contents %.12s, was %.12s", or(n.Content), or(b.Content))
	add(b.Mode != n.Mode, "mode %v, was %v", n.Mode, b.Mode)
	add(b.UID != n.UID || b.GID != n.GID, "owner %d:%d, was %d:%d", n.UID, n.GID, b.UID, b.GID)
	add(b.Size != n.Size, "%d bytes, was %d", n.Size, b.Size)
	add(b.Mtime != n.Mtime, "modified %s, was %s", when(n.Mtime), when(b.Mtime))
	return strings.Join(out, "; ")
}

func or(content string) string {
	if content == "" {
		return "none"
	}
	return content
}

func when(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }
