package isolation

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/policy"
)

// TestClassify: what may be one of descriptors 0 to 2, and what leads out.
func TestClassify(t *testing.T) {
	open := func(path string, flags int) int {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	sock := func(family, kind int) int {
		fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(alone[1])
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		fd   int
		want policy.StreamClass
		also string // Device or What
	}{
		{"null", open("/dev/null", unix.O_RDWR), policy.StreamNull, "null"},
		{"zero", open("/dev/zero", unix.O_RDONLY), policy.StreamNull, "zero"},
		{"pipe", pipe[0], policy.StreamPipe, ""},
		{"pair", pair[0], policy.StreamSocket, ""},
		{"pair whose other end is closed", alone[0], policy.StreamSocket, ""},
		{"unconnected", sock(unix.AF_UNIX, unix.SOCK_STREAM), policy.StreamRefused, "a socket that is not connected yet"},
		{"unix datagram", sock(unix.AF_UNIX, unix.SOCK_DGRAM), policy.StreamRefused, "a datagram socket"},
		{"TCP", sock(unix.AF_INET, unix.SOCK_STREAM), policy.StreamRefused, "a network socket"},
		{"pty master", open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY), policy.StreamRefused, "the other side of a terminal"},
		{"directory", open("/", unix.O_RDONLY), policy.StreamRefused, "a directory"},
		{"O_PATH", open("/dev/null", unix.O_PATH), policy.StreamRefused, "a descriptor opened with O_PATH"},
		{"eventfd", event, policy.StreamRefused, "neither a file nor a terminal, pipe or socket"},
		{"closed", 1 << 20, policy.StreamClosed, ""},
	} {
		got := classifyOne(c.fd)
		if got.Class != c.want || got.Device+got.What != c.also {
			t.Errorf("%s is %v %q, wanted %v %q", c.name, got.Class, got.Device+got.What, c.want, c.also)
		}
		unix.Close(c.fd)
	}
	for _, fd := range []int{pair[1], pipe[1]} {
		unix.Close(fd)
	}
}

// TestDevicesOfTheHostStayAsTheyAre: root's device nodes are its own, so without
// any capability it may change their mode, by name and by descriptor. (The mode
// that is asked for is the one that they have.)
func TestDevicesOfTheHostStayAsTheyAre(t *testing.T) {
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if os.Getuid() == 0 {
		if err := null.Chmod(0o666); err != nil {
			t.Fatalf("outside: %v", err)
		}
	}
	const script = `
		chmod 666 /dev/null && exit 1
		chmod 666 /dev/zero && exit 1
		chmod 666 /dev/fd/0 && exit 2
		echo there >/dev/null || exit 3
		test -z "$(cat)" || exit 4
		test -w /dev/shm -a -c /dev/ptmx || exit 5
		exit 0`
	withStdin(t, null)
	if code := start(t, "/bin/sh", "-c", script); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestFileWithoutANameIsFed: a removed file opened for reading, which has another
// name still, can neither be opened for writing through the descriptor nor changed.
func TestFileWithoutANameIsFed(t *testing.T) {
	dir := t.TempDir()
	name, second := dir+"/name", dir+"/second"
	if err := os.WriteFile(name, []byte("text\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(name, second); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	withStdin(t, f)
	if code := start(t, "/bin/sh", "-c", `test -p /dev/stdin || exit 1; test "$(cat)" = text || exit 2; chmod 600 /dev/fd/0; exit 0`); code != 0 {
		t.Errorf("exit status %d", code)
	}
	st, err := os.Stat(second)
	text, err2 := os.ReadFile(second)
	if err != nil || err2 != nil || st.Mode().Perm() != 0o666 || string(text) != "text\n" {
		t.Errorf("the file outside: %v %q, %v %v", st.Mode(), text, err, err2)
	}
}
