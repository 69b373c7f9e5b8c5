//go:build linux && (amd64 || arm64)

package filters_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sovrun/sovrun/isolation/filters"
)

// realProgram is a program from the Debian package deb, which must print want
// without a filter and under every profile but refusedIn.
type realProgram struct {
	name, deb string
	argv      []string
	want      string
	refusedIn []filters.Profile
}

const pythonThreads = `
import multiprocessing.shared_memory, os, select, socket, subprocess, threading
done = []
threads = [threading.Thread(target=lambda: done.append(1)) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
shm = multiprocessing.shared_memory.SharedMemory(create=True, size=4096)
shm.buf[0] = 1; shm.close(); shm.unlink()
out = subprocess.run(["/bin/echo", "child"], capture_output=True, text=True, check=True).stdout.strip()
a, b = socket.socketpair(); a.send(b"x"); b.recv(1)
refused = 0
for family in range(1, 47):
    try: socket.socket(family, socket.SOCK_STREAM, 0).close()
    except OSError as e: refused += 1
socket.if_nameindex()
print(len(done), out)
`

// UV_USE_IO_URING asks libuv for the ring that the filter refuses: it has to fall
// back to its threads.
const nodeWork = `
const fs = require("fs"), os = require("os"), cp = require("child_process"), { Worker } = require("worker_threads");
(async () => {
  const files = await Promise.all(Array.from({ length: 20 }, () => fs.promises.readFile("/proc/self/status")));
  const reply = await new Promise((ok, bad) => new Worker("require('worker_threads').parentPort.postMessage('worker')", { eval: true }).on("message", ok).on("error", bad));
  const child = cp.execFileSync("/bin/echo", ["child"]).toString().trim();
  fs.watch("/tmp", () => {}).close();
  os.networkInterfaces();
  const server = require("net").createServer().listen(0, "127.0.0.1", () => {
    server.close(); console.log(files.length, reply, child);
  });
})();
`

var realPrograms = []realProgram{
	{"python3", "python3", []string{"/usr/bin/python3", "-c", pythonThreads}, "8 child", nil},
	{"node", "nodejs", []string{"/usr/bin/env", "UV_USE_IO_URING=1", "/usr/bin/node", "-e", nodeWork}, "20 worker child", nil},
	{"sh with pipes", "dash", []string{"/bin/sh", "-c", `for i in 1 2 3 4 5 6 7 8; do head -c 100000 /dev/zero | cat | cat | wc -c; done | sort -u`}, "100000", nil},
	{"ulimit -c", "dash", []string{"/bin/sh", "-c", "ulimit -c 0 && echo goes on"}, "goes on", nil},
	{"gdb", "gdb", []string{"/usr/bin/gdb", "-nx", "-q", "-batch", "-ex", "run", "-ex", "quit", "/bin/true"},
		"exited normally", []filters.Profile{filters.Default, filters.Nested}},
	{"mount in namespaces", "util-linux", []string{"/usr/bin/unshare", "-Urm", "/bin/sh", "-c", "mount -t tmpfs none /mnt && echo mounted"},
		"mounted", []filters.Profile{filters.Default, filters.Debug}},
	{"bubblewrap", "bubblewrap", []string{"/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/tmp", "/bin/echo", "inner"},
		"inner", []filters.Profile{filters.Default, filters.Debug}},
}

func TestRealPrograms(t *testing.T) {
	for _, r := range realPrograms {
		t.Run(r.name, func(t *testing.T) {
			r.mustBeInstalled(t)
			if out, err := r.run(t, none); err != nil || !strings.Contains(out, r.want) {
				t.Fatalf("control without a filter: %v\n%s", err, out)
			}
			for _, p := range filters.Names() {
				out, err := r.run(t, p)
				works := err == nil && strings.Contains(out, r.want)
				if works == r.isRefusedIn(p) {
					t.Errorf("%s: works is %t, wanted %t: %v\n%s", p, works, !works, err, out)
				}
			}
		})
	}
}

func (r realProgram) mustBeInstalled(t *testing.T) {
	t.Helper()
	for _, word := range r.argv[:min(3, len(r.argv))] {
		if !strings.HasPrefix(word, "/") {
			continue
		}
		if _, err := os.Stat(word); err != nil {
			t.Fatalf("%v; install the Debian package %s", err, r.deb)
		}
	}
}

func (r realProgram) run(t *testing.T, p filters.Profile) (string, error) {
	cmd := startChild("exec", p, "same", r.argv...)
	return runChild(t, cmd)
}

func (r realProgram) isRefusedIn(p filters.Profile) bool {
	return slices.Contains(r.refusedIn, p)
}
