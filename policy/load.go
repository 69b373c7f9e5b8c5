package policy

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// maxFile is the largest policy file that is read, in bytes: far above what a
// person writes, and small enough that a mistaken name does no harm.
const maxFile = 1 << 20

// Compose reads the policy files that the flags name and puts the flags on
// top. No other file is read. An error is a *RefusedError.
func Compose(flags Fragment, o Options) (Policy, error) {
	fragments := make([]Fragment, 0, len(o.Config)+1)
	for _, name := range o.Config {
		f, err := loadFile(name)
		if err != nil {
			return Policy{}, err
		}
		fragments = append(fragments, f)
	}
	return Merge(append(fragments, flags)...), nil
}

func loadFile(name string) (Fragment, error) {
	data, err := readFile(name)
	if err != nil {
		return Fragment{}, refuse(InvalidPolicy, "read policy file "+quote(name)+": "+cause(err), "see whether --config names the right file")
	}
	return Load(name, data)
}

// readFile reads no more than maxFile bytes. What is no regular file is fine:
// a shell's process substitution is a pipe.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, errors.New("larger than 1 MiB")
	}
	return data, err
}

// cause is the reason of a file error without the operation and the name.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
