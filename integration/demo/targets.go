package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// secretName is a file of place.outside.
const secretName = "id_ed25519"

// targets are what the acts aim at. Nothing of it outlives the demo.
type targets struct {
	secret   string   // a private key that only its owner may read
	startup  string   // a shell's start-up file
	outside  *os.File // the directory of both, open
	victim   *exec.Cmd
	hold     io.Closer // the victim lives until it is closed
	port     int       // of a listener on 127.0.0.1
	abstract string    // name of a listener in the abstract namespace
	sockets  []int
	segment  int // id of a shared memory segment
}

func newTargets(p *place) (*targets, error) {
	t := &targets{secret: filepath.Join(p.outside, secretName), startup: filepath.Join(p.outside, ".bashrc")}
	for _, set := range []func(*place) error{t.files, t.process, t.tcp, t.unix, t.memory} {
		if err := set(p); err != nil {
			t.close()
			return nil, fmt.Errorf("what the escapes aim at: %w", err)
		}
	}
	return t, nil
}

func (t *targets) files(p *place) error {
	err := errors.Join(
		os.WriteFile(t.secret, []byte(secret), 0o600), os.Chown(t.secret, p.uid, p.gid),
		os.WriteFile(t.startup, nil, 0o644), os.Chown(t.startup, p.uid, p.gid))
	if err != nil {
		return err
	}
	t.outside, err = os.Open(p.outside)
	return err
}

// process starts another program of the same user, with a secret in its environment.
func (t *targets) process(p *place) error {
	t.victim = p.control([]string{p.helper, "victim"})
	t.victim.Env = append(t.victim.Env, "API_KEY="+secret)
	in, err := t.victim.StdinPipe()
	if err != nil {
		return err
	}
	out, err := t.victim.StdoutPipe()
	if err != nil {
		return err
	}
	if err := t.victim.Start(); err != nil {
		return err
	}
	t.hold = in
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("the host process: %w", err)
	}
	return nil
}

// beVictim lets everybody of its user trace it, also where the Yama module keeps that to ancestors, and lives until
// its standard input ends.
func beVictim() int {
	_ = unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0) // PR_SET_PTRACER_ANY; without Yama EINVAL, and no need
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	return 0
}

func (t *targets) tcp(*place) error {
	fd, err := t.listen(unix.AF_INET, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err != nil {
		return err
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return err
	}
	t.port = name.(*unix.SockaddrInet4).Port
	return nil
}

func (t *targets) unix(p *place) error {
	t.abstract = filepath.Base(p.dir)
	_, err := t.listen(unix.AF_UNIX, &unix.SockaddrUnix{Name: "@" + t.abstract})
	return err
}

// listen needs nobody to accept: the kernel completes connections into the backlog.
func (t *targets) listen(family int, address unix.Sockaddr) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	t.sockets = append(t.sockets, fd)
	if err := unix.Bind(fd, address); err != nil {
		return -1, err
	}
	return fd, unix.Listen(fd, 16)
}

// memory makes a segment that goes away with the demo, however that ends: it is removed at once and lives, reachable
// by its id, while it is attached here (shmctl(2), IPC_RMID).
func (t *targets) memory(*place) error {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, os.Getpagesize(), 0o666)
	if err != nil {
		return err
	}
	segment, err := unix.SysvShmAttach(id, 0, 0)
	_, rmErr := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	copy(segment, secret)
	t.segment = id
	return errors.Join(err, rmErr)
}

func (t *targets) pid() string { return strconv.Itoa(t.victim.Process.Pid) }

func (t *targets) close() {
	if t.hold != nil {
		t.hold.Close()
		t.victim.Wait()
	}
	if t.outside != nil {
		t.outside.Close()
	}
	for _, fd := range t.sockets {
		unix.Close(fd)
	}
}
