package escapes

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// snapshot is every planted file: kind, mode, owner, times of files, and contents.
func (l *lab) snapshot() map[string]string {
	l.t.Helper()
	out := map[string]string{}
	for _, root := range []string{l.dir, "/tmp/" + l.name, "/dev/shm/" + l.name} {
		l.must(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if path == l.dir+"/status" {
				return fs.SkipDir // sovrun writes there
			}
			if filepath.Dir(path) == l.ws && strings.HasPrefix(d.Name(), "jobs-") {
				return nil
			}
			out[path] = l.describe(path, d)
			return nil
		}))
	}
	return out
}

func (l *lab) describe(path string, d fs.DirEntry) string {
	l.t.Helper()
	info, err := d.Info()
	l.must(err)
	st := info.Sys().(*syscall.Stat_t)
	text := fmt.Sprintf("%v %d:%d %d links", info.Mode(), st.Uid, st.Gid, st.Nlink)
	switch {
	case info.Mode().IsRegular():
		b, err := os.ReadFile(path)
		l.must(err)
		text += fmt.Sprintf(" %d bytes of %v, %x", st.Size, info.ModTime(), sha256.Sum256(b))
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		l.must(err)
		text += " to " + to
	}
	return text
}
