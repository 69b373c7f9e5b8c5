package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// largeFile is where reading stops paying: a home holds disk images, and two passes over them would take longer
// than the tests.
const largeFile = 64 << 20 // bytes

// scope is what is recorded: everything below the roots but what is skipped.
type scope struct {
	Roots []string
	Skip  []string
}

// entry is one file, directory, link or other thing. Two entries are the same when every field is.
type entry struct {
	Mode    fs.FileMode // kind, permissions, set-id and sticky bits
	UID     uint32
	GID     uint32
	Size    int64  // bytes; 0 for directories, whose size is the file system's affair
	Mtime   int64  // nanoseconds since 1970
	Content string // digest, text of a link, or why there is neither
}

const (
	absent = "absent" // a root that is not there
	unread = "unread" // a file before readAll
)

func (s scope) entries() (map[string]entry, error) {
	out := map[string]entry{}
	for _, root := range s.Roots {
		if _, done := out[root]; done { // below an earlier root
			continue
		}
		if err := s.walk(root, out); err != nil {
			return nil, fmt.Errorf("look at %q: %w", root, err)
		}
	}
	return out, readAll(out)
}

func (s scope) walk(root string, out map[string]entry) error {
	top, err := os.Lstat(root)
	if errors.Is(err, fs.ErrNotExist) {
		out[root] = entry{Content: absent}
		return nil
	}
	if err != nil {
		return err
	}
	device := stat(top).Dev
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if slices.Contains(s.Skip, p) {
			return skip(d)
		}
		if err != nil {
			return s.unreadable(p, d, err, out)
		}
		return s.visit(p, d, device, out)
	})
}

func skip(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// unreadable notes a directory that could not be listed. What vanished meanwhile is simply not there.
func (s scope) unreadable(p string, d fs.DirEntry, err error, out map[string]entry) error {
	if errors.Is(err, fs.ErrNotExist) {
		delete(out, p)
		return nil
	}
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	e := out[p]
	e.Content = "unreadable"
	out[p] = e
	return skip(d)
}

func (s scope) visit(p string, d fs.DirEntry, device uint64, out map[string]entry) error {
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	st := stat(info)
	e := entry{Mode: info.Mode(), UID: st.Uid, GID: st.Gid, Mtime: info.ModTime().UnixNano()}
	if st.Dev != device {
		e.Content = "another file system"
		out[p] = e
		return skip(d)
	}
	if !d.IsDir() {
		e.Size = info.Size()
	}
	e.Content, err = content(p, info)
	out[p] = e
	return err
}

// content tells what an entry holds in a string that differs when the entry does: the text of a link, the change
// time of a large file; unread for a file whose digest readAll fills in.
func content(p string, info fs.FileInfo) (string, error) {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		text, err := os.Readlink(p)
		return text, tolerate(err)
	case !info.Mode().IsRegular():
		return "", nil
	case info.Size() > largeFile:
		return fmt.Sprintf("changed at %d", stat(info).Ctim.Nano()), nil
	}
	return unread, nil
}

// tolerate keeps the walk going over what may not be read or is gone by now.
func tolerate(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func stat(info fs.FileInfo) *syscall.Stat_t { return info.Sys().(*syscall.Stat_t) }
