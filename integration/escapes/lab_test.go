package escapes

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// variable is the name of the variable that the caller of sovrun has and the
// program may not see; its value is the canary that lies in every planted file.
const variable = "SOVRUN_ESCAPES_CANARY"

// lab is a small host: a home with secrets, a directory that no rule names, a
// workspace, listeners, a process and IPC objects, all of one owner's.
type lab struct {
	t      *testing.T
	owner  person
	dir    string
	ws     string
	canary string
	name   string            // of what is not a file below dir
	names  map[string]string // what the catalogue's {names} stand for
	net    *listeners
	host   *sleeper
}

func newLab(t *testing.T, owner person) *lab {
	t.Helper()
	dir, err := os.MkdirTemp(scratch(), "sovrun-escapes-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l := &lab{t: t, owner: owner, dir: dir, ws: dir + "/ws", canary: "canary-" + token(t), name: filepath.Base(dir)}
	l.names = map[string]string{
		"lab": dir, "ws": l.ws, "home": dir + "/home", "secret": dir + "/secret", "grant": dir + "/grant",
		"outer": l.ws + "/outer", "inner": l.ws + "/outer/inner", "tmp": "/tmp/" + l.name, "variable": variable,
	}
	l.files()
	l.plant()
	l.own()
	l.outsideFiles()
	l.disk()
	l.handle()
	l.ipcObjects()
	l.net = listen(l)
	l.host = startSleeper(l)
	return l
}

// in is the lab as a subtest uses it.
func (l *lab) in(t *testing.T) *lab {
	c := *l
	c.t = t
	return &c
}

func token(t *testing.T) string {
	b := make([]byte, 8)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}

func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) write(path, text string, mode fs.FileMode) {
	l.t.Helper()
	l.must(os.MkdirAll(filepath.Dir(path), 0o755))
	l.must(os.WriteFile(path, []byte(text), mode))
}

func (l *lab) install(name, path string, mode fs.FileMode) {
	l.t.Helper()
	text, err := os.ReadFile(name)
	l.must(err)
	l.write(path, string(text), mode)
	l.must(os.Chmod(path, mode)) // past the umask, and set-uid
}

// files makes the tree. Modes are wide: what is refused inside is not refused by
// them, except for secrets, which their owner tries to read.
func (l *lab) files() {
	l.must(os.Chmod(l.dir, 0o755))
	for path, name := range map[string]string{l.dir + "/bin/sovrun": "sovrun", l.ws + "/agent": "agent", l.dir + "/secret/agent": "agent"} {
		l.install(program(l.t, name), path, 0o755)
	}
	for _, path := range []string{"home/notes.txt", "secret/canary", "grant/file", "grant/below/file", "ws/own", "ws/outer/inner/file"} {
		l.write(filepath.Join(l.dir, path), l.canary+"\n", 0o644)
	}
	for _, path := range SecretFiles() {
		l.write(filepath.Join(l.dir, "home", path), l.canary+"\n", 0o600)
	}
	for path, to := range map[string]string{
		"ws/link": l.dir + "/secret/canary", "ws/relative": "../secret/canary", "ws/directory": l.dir + "/secret", "secret/link": "canary",
	} {
		l.must(os.Symlink(to, filepath.Join(l.dir, path)))
	}
	l.must(os.MkdirAll(l.dir+"/status", 0o755))
}

// own gives the tree to its owner, except for what only root could have made.
func (l *lab) own() {
	if os.Geteuid() != 0 {
		return
	}
	l.must(filepath.WalkDir(l.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || l.planted(path) {
			return err
		}
		return os.Lchown(path, l.owner.uid, l.owner.gid)
	}))
}

// outsideFiles are those that do not lie below dir.
func (l *lab) outsideFiles() {
	for _, path := range []string{"/tmp/" + l.name, "/dev/shm/" + l.name} {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		l.must(err)
		l.t.Cleanup(func() { os.Remove(path) })
		_, err = f.WriteString(l.canary + "\n")
		l.must(err)
		l.must(f.Close())
	}
}

// plants are files whose owner or kind only root can give.
func (l *lab) planted(path string) bool {
	switch strings.TrimPrefix(path, l.ws+"/") {
	case "set-uid", "with-caps", "zero":
		return true
	}
	return false
}

// plant makes a set-uid program of another user's, a program with file
// capabilities, and a device node that anyone may read.
func (l *lab) plant() {
	if os.Geteuid() != 0 {
		return
	}
	other := 0
	if l.owner.uid == 0 {
		other = stranger(l.t).uid
	}
	l.install("/usr/bin/id", l.ws+"/set-uid", 0o755)
	l.must(os.Chown(l.ws+"/set-uid", other, other))
	l.must(unix.Chmod(l.ws+"/set-uid", 0o4755)) // chown(2) clears the bit
	l.install(program(l.t, "agent"), l.ws+"/with-caps", 0o755)
	// struct vfs_cap_data, revision 2 with the effective bit; CAP_NET_RAW permitted.
	caps := []byte{1, 0, 0, 2, 0, 1 << 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	l.must(unix.Setxattr(l.ws+"/with-caps", "security.capability", caps, 0))
	l.must(unix.Mknod(l.ws+"/zero", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))))
	l.must(unix.Chmod(l.ws+"/zero", 0o666))
}

// disk is the first block device that the kernel lists, or one that exists nowhere.
func (l *lab) disk() {
	l.names["disk"], l.names["disk_device"] = "vda", strconv.FormatUint(unix.Mkdev(254, 0), 10)
	text, err := os.ReadFile("/proc/partitions")
	l.must(err)
	for line := range strings.Lines(string(text)) {
		var major, minor uint32
		var blocks uint64
		var name string
		if n, _ := fmt.Sscan(line, &major, &minor, &blocks, &name); n == 4 {
			l.names["disk"], l.names["disk_device"] = name, strconv.FormatUint(unix.Mkdev(major, minor), 10)
			return
		}
	}
}

// handle is what the host knows of a file out of view, name_to_handle_at(2).
func (l *lab) handle() {
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, l.dir+"/secret/canary", 0)
	l.must(err)
	l.names["handle_type"], l.names["handle"] = strconv.Itoa(int(h.Type())), hex.EncodeToString(h.Bytes())
}

// fill puts the lab's names into a technique's arguments.
func (l *lab) fill(t Technique, inside bool) []string {
	names := maps.Clone(l.names)
	names["init"] = l.names["host"]
	if inside {
		names["init"] = "1"
	}
	var pairs []string
	for name, value := range names {
		pairs = append(pairs, "{"+name+"}", value)
	}
	r := strings.NewReplacer(pairs...)
	out := make([]string, 0, len(t.Args))
	for _, a := range t.Args {
		out = append(out, r.Replace(a))
	}
	return out
}

// environment is the caller's, built from nothing; the proxies lead nowhere.
func (l *lab) environment() []string {
	return []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + l.dir + "/home", "LANG=C.UTF-8", "TERM=xterm", variable + "=" + l.canary,
		"http_proxy=http://127.0.0.1:1", "https_proxy=http://127.0.0.1:1", "ALL_PROXY=http://127.0.0.1:1",
	}
}

// outside prepares the agent as its owner would start it.
func (l *lab) outside(who person, args ...string) *exec.Cmd {
	cmd := exec.Command(l.ws+"/agent", args...)
	l.prepare(cmd, who)
	return cmd
}

func (l *lab) prepare(cmd *exec.Cmd, who person) {
	cmd.Dir, cmd.Env = l.ws, l.environment()
	cmd.SysProcAttr = &unix.SysProcAttr{Credential: who.credential()}
}
