package tools

// threadsInC starts eight threads and waits for them.
const threadsInC = `#include <pthread.h>
#include <stdio.h>
static void *count(void *n) { __atomic_add_fetch((int *)n, 1, __ATOMIC_SEQ_CST); return 0; }
int main(void) {
	pthread_t t[8];
	int n = 0;
	for (int i = 0; i < 8; i++)
		if (pthread_create(&t[i], 0, count, &n)) return 1;
	for (int i = 0; i < 8; i++) pthread_join(t[i], 0);
	return printf("%d threads\n", n) < 0;
}
`

// nodeRuntime uses what Node's runtime is known to trip over: worker threads, vfork, rename, inotify (fs.watch), a
// server on the loopback, a netlink socket (networkInterfaces).
const nodeRuntime = `
const fs = require('fs'), os = require('os'), net = require('net');
const { Worker } = require('worker_threads');
const { execFileSync } = require('child_process');
const once = (emitter, event) => new Promise((done, fail) => { emitter.once(event, done); emitter.once('error', fail); });
(async () => {
  const worker = new Worker("require('worker_threads').parentPort.postMessage(2 * 3)", { eval: true });
  console.log('worker', await once(worker, 'message'));
  console.log('child', execFileSync('/bin/echo', ['from a child']).toString().trim());
  fs.writeFileSync('a', '1');
  const watcher = fs.watch('.');
  const change = new Promise(done => watcher.on('change', (_, name) => { if (name === 'b') done(name); }));
  fs.renameSync('a', 'b');
  console.log('renamed', fs.existsSync('b') && !fs.existsSync('a'));
  console.log('watched', await change);
  watcher.close();
  const server = net.createServer(s => s.end(s.remoteAddress));
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const client = net.connect(server.address().port, '127.0.0.1');
  console.log('listened', (await once(client, 'data')).toString());
  server.close();
  console.log('interfaces', Object.keys(os.networkInterfaces()).join(' '));
})().catch(e => { console.error(e); process.exit(1); });
`

// pythonRuntime does the same with CPython's runtime, and asks the kernel directly where that shows more: clone3
// must be refused as unknown (ENOSYS) or for its arguments (EINVAL), since the C library falls back on nothing else.
const pythonRuntime = `
import ctypes, errno, multiprocessing, os, socket, struct, subprocess, threading
from multiprocessing import shared_memory
libc = ctypes.CDLL(None, use_errno=True)

class Count:
    n = 0
lock = threading.Lock()
def work():
    with lock:
        Count.n += 1
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print("threads", Count.n)

print("child", subprocess.run(["/bin/echo", "from a child"], capture_output=True, text=True, close_fds=False).stdout.strip())
with multiprocessing.Pool(2) as pool:
    print("pool", pool.map(abs, [-1, -2, -3]))

m = shared_memory.SharedMemory(create=True, size=4096)
m.buf[0] = 7
again = shared_memory.SharedMemory(name=m.name)
print("shared", again.buf[0], os.path.exists("/dev/shm/" + m.name.strip("/")))
again.close()
m.close()
m.unlink()

watch = libc.inotify_init1(os.O_CLOEXEC)
assert libc.inotify_add_watch(watch, b".", 0x80) > 0  # IN_MOVED_TO
open("a", "w").close()
os.rename("a", "b")
print("watched", os.read(watch, 4096)[struct.calcsize("iIII"):].rstrip(b"\0").decode())

for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    server = socket.create_server((address, 0), family=family)
    socket.create_connection(server.getsockname()[:2]).close()
    print("loopback", address)
print("interfaces", [name for _, name in socket.if_nameindex()])

ctypes.set_errno(0)
libc.syscall(435, None, 0)
print("clone3", errno.errorcode[ctypes.get_errno()] in ("ENOSYS", "EINVAL"))
`

func pythonWant(interfaces string) string {
	return "threads 8\nchild from a child\npool \\[1, 2, 3\\]\nshared 7 True\nwatched b\nloopback 127.0.0.1\nloopback ::1\n" +
		"interfaces " + interfaces + "\nclone3 True\n"
}

// ringInPython prints what the kernel says to io_uring_setup(1, params); 425 on every architecture.
const ringInPython = `
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
print("ring" if libc.syscall(425, 1, ctypes.create_string_buffer(120)) >= 0 else errno.errorcode[ctypes.get_errno()])
`

// ringInNode reads a file and looks whether libuv did so through a ring, which it can from version 1.45 on.
const ringInNode = `
const fs = require('fs');
const link = fd => { try { return fs.readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } };
fs.promises.readFile('ring.js', 'utf8').then(text => {
  const ring = fs.readdirSync('/proc/self/fd').map(link).some(l => l.includes('io_uring'));
  const [major, minor] = process.versions.uv.split('.').map(Number);
  const possible = process.argv[2] === 'ring' && (major > 1 || minor >= 45);
  console.log('read ' + text.includes('readFile') + ', ring ' + ring + ', possible ' + possible);
});
`
