//go:build cgo

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/opencontainers/runtime-spec/specs-go"
	"github.com/sovrun/sovrun/cmd/sovrun-seccomp/profiles"
)

// generate writes what generated returns below dir.
func generate(dir string) error {
	files, err := generated()
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("generate: %w", err)
		}
		if err := replaceFile(path, f.data); err != nil {
			return err
		}
	}
	return nil
}

type file struct {
	path string // below isolation/filters
	data []byte
}

// generated returns every generated file of isolation/filters.
func generated() ([]file, error) {
	var files []file
	for _, name := range profiles.Names() {
		spec, err := profiles.Spec(name)
		if err != nil {
			return nil, err
		}
		text, err := json.MarshalIndent(spec, "", "\t")
		if err != nil {
			return nil, fmt.Errorf("generate %q: %w", name, err)
		}
		files = append(files, file{"profiles/" + name + ".json", append(text, '\n')})
		programs, err := programs(name, spec)
		if err != nil {
			return nil, err
		}
		files = append(files, programs...)
	}
	return files, nil
}

func programs(name string, spec *specs.LinuxSeccomp) ([]file, error) {
	var files []file
	for _, arch := range []string{"amd64", "arm64"} {
		prog, err := compile(spec, arch)
		if err != nil {
			return nil, fmt.Errorf("generate %q for %s: %w", name, arch, err)
		}
		files = append(files, file{"bpf/" + name + "_" + arch + ".bpf", slices.Clip(prog)})
	}
	return files, nil
}

// replaceFile writes a new file and renames it to path: a reader sees the old
// contents or the new, and a link at path is replaced, not followed.
func replaceFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".sovrun-seccomp-*")
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return nil
}
