package runs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/sovrun/sovrun/isolation/child"
)

// execFailed turns the errno of execve(2) into the exit status that shells use
// and a sentence that names what is missing.
func (r *run) execFailed(f *child.Failure) {
	path := r.out.Plan.Command.Path
	errno := f.Errno
	code, category := ExitNotExecutable, NotExecutable
	hint := ""
	why := errno.Error()
	switch errno {
	case syscall.ENOENT:
		code, category = ExitNotFound, NotFound
		why, hint = "it is no longer there", "start again"
		if needs := interpreter(path); needs != "" {
			why, hint = missingInterpreter(needs)
		}
	case syscall.EACCES:
		why = "it may not be executed there"
		hint = "grant the directory with --exec, or see the mode of the file"
	case syscall.E2BIG:
		why = "its arguments and environment are larger than the kernel takes (128 KiB for one, a quarter of the stack limit for all; execve(2))"
		hint = "pass the data in a file or on standard input"
	case syscall.ENOEXEC:
		why = "it is neither a program of this machine nor a script with a #! line"
		hint = "name the program that runs it, as in sh " + path
	default:
		hint = "see execve(2) for what that means"
	}
	r.refuse(category, code, fmt.Errorf("cannot execute %q: %s", path, why), hint)
}

// missingInterpreter says what a program lacks to be run, and what helps.
func missingInterpreter(needs string) (why, hint string) {
	if _, err := os.Stat(needs); err != nil {
		return fmt.Sprintf("the program that runs it, %q, does not exist", needs), "install it, or correct what names it: the first line of a script, or how the program was built"
	}
	return fmt.Sprintf("the program that runs it, %q, is not in the sandbox", needs), "grant it with --exec " + filepath.Dir(needs)
}

// interpreter is what the kernel runs a file with: the word after #!, or the
// loader that the ELF header names. "" where it needs none or that exists.
func interpreter(path string) string {
	needs, err := scriptInterpreter(path)
	if err != nil {
		needs = elfInterpreter(path)
	}
	return needs
}

func scriptInterpreter(path string) (string, error) {
	f, err := openProgram(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	line := make([]byte, 256) // BINPRM_BUF_SIZE, execve(2)
	n, _ := f.Read(line)
	text, ok := strings.CutPrefix(string(line[:n]), "#!")
	if !ok {
		return "", errors.New("no script")
	}
	text, _, _ = strings.Cut(text, "\n")
	if words := strings.Fields(text); len(words) > 0 {
		return words[0], nil
	}
	return "", errors.New("an empty #! line")
}

// openProgram opens what could not be executed. It may lie where others write: a FIFO
// in its place would hold sovrun up for ever, a device may act when it is opened, and
// a link may lead root to either. So what it is is known before it is opened.
func openProgram(path string) (*os.File, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	const pathOnly = 0x200000 // O_PATH, which does not open what it finds
	fd, err := syscall.Open(path, pathOnly|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, errors.New("no regular file")
	}
	return os.OpenFile("/proc/self/fd/"+strconv.Itoa(fd), os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// elfInterpreter reads the PT_INTERP segment of a 64-bit ELF file of this
// machine's byte order, elf(5).
func elfInterpreter(path string) string {
	f, err := openProgram(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := f.Read(head)
	head = head[:n]
	if len(head) < 64 || string(head[:5]) != "\x7fELF\x02" {
		return ""
	}
	ne := binary.NativeEndian
	offset, size, count := ne.Uint64(head[32:]), uint64(ne.Uint16(head[54:])), uint64(ne.Uint16(head[56:]))
	for i := range count {
		at := offset + i*size
		if at+56 > uint64(len(head)) {
			return ""
		}
		p := head[at:]
		if ne.Uint32(p) != 3 { // PT_INTERP
			continue
		}
		name := make([]byte, min(ne.Uint64(p[32:]), 4096))
		if _, err := f.ReadAt(name, int64(ne.Uint64(p[8:]))); err != nil {
			return ""
		}
		return strings.TrimRight(string(name), "\x00")
	}
	return ""
}
