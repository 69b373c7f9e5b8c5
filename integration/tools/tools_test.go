// Package tools holds tests that run real tools inside the sandbox, each with the same commands outside as a control.
package tools

import (
	"os"
	"regexp"
	"testing"

	"github.com/sovrun/sovrun/integration/tools/lab"
)

func TestMain(m *testing.M) { os.Exit(lab.Main(m)) }

// tool is a script that a shell runs inside and outside.
type tool struct {
	name    string
	flags   []string
	files   map[string]string // of the workspace
	script  string
	want    string // all of standard output, as a regular expression
	outside string // the same outside; empty: want
}

var tools = []tool{
	{
		name: "git",
		script: `git init -q -b main . && echo one > a && git status --short && git add a &&
git -c user.name=n -c user.email=n@localhost commit -q -m first && echo two >> a && git diff --stat &&
git -c user.name=n -c user.email=n@localhost commit -q -a -m second && git log --format=%s && git fsck --strict`,
		want: `\?\? a\n a \| 1 \+\n 1 file changed, 1 insertion\(\+\)\nsecond\nfirst\n`,
	},
	{
		name: "gcc and make",
		files: map[string]string{
			"Makefile": "both: one two\n\t./one && ./two\n%: %.c\n\tgcc -O1 -pthread -o $@ $<\n",
			"one.c":    "#include <stdio.h>\nint main(void) { return puts(\"one\") < 0; }\n",
			"two.c":    threadsInC,
		},
		script: "make -s -j2 both",
		want:   `one\n8 threads\n`,
	},
	{
		name:   "node",
		files:  map[string]string{"runtime.js": nodeRuntime},
		script: "node runtime.js",
		want: "worker 6\nchild from a child\nrenamed true\nwatched b\nlistened 127.0.0.1\n" +
			`interfaces lo\n`,
		outside: "worker 6\nchild from a child\nrenamed true\nwatched b\nlistened 127.0.0.1\n" +
			`interfaces .*\blo\b.*\n`,
	},
	{
		name: "npm, offline",
		files: map[string]string{
			"package.json":   `{"name":"a","version":"1.0.0","scripts":{"greet":"node -p 'require(\"b\")'"},"dependencies":{"b":"file:./b"}}`,
			"b/package.json": `{"name":"b","version":"1.0.0","main":"main.js"}`,
			"b/main.js":      `module.exports = "from b";`,
		},
		script: "npm install --offline --silent --no-audit --no-fund && npm run --silent greet && npm pack --silent ./b",
		want:   `from b\nb-1\.0\.0\.tgz\n`,
	},
	{
		name:    "python",
		files:   map[string]string{"runtime.py": pythonRuntime},
		script:  "python3 runtime.py",
		want:    pythonWant(`\['lo'\]`),
		outside: pythonWant(`\[.*'lo'.*\]`),
	},
	{
		name: "devices and temporary files",
		script: `echo x > /dev/null && head -c 4 /dev/urandom | wc -c && head -c 4 /dev/zero | wc -c &&
{ echo x > /dev/full; } 2>/dev/null || echo full; ls -d /dev/fd/1 /dev/shm /dev/pts /dev/ptmx &&
d=$(mktemp -d) && test -w "$d" && test -w /tmp && echo kept > "$d/file" && cat "$d/file" && rm -r "$d" &&
script -qec 'tty' /dev/null </dev/null`,
		want: `4\n4\nfull\n/dev/fd/1\n/dev/ptmx\n/dev/pts\n/dev/shm\nkept\n/dev/pts/\d+\r?\n`,
	},
	{
		// The kernel's answer, and whether Node made a ring, and whether it could have.
		name:    "io_uring falls back",
		files:   map[string]string{"ring.py": ringInPython, "ring.js": ringInNode},
		script:  "kernel=$(python3 ring.py) && echo kernel $kernel && UV_USE_IO_URING=1 node ring.js $kernel",
		want:    `kernel ENOSYS\nread true, ring false, possible false\n`,
		outside: `kernel \w+\nread true, ring (true, possible true|false, possible false)\n`,
	},
	{
		name:  "gdb under the debug profile",
		flags: []string{"--syscalls", "debug"},
		files: map[string]string{"one.c": "int main(void) { return 0; }\n"},
		script: `gdb -q -batch -ex run -ex bt /bin/true 2>&1 | grep -o 'exited normally' &&
gcc -g -o one one.c && gdb -q -batch -ex 'break main' -ex run -ex bt -ex kill ./one 2>&1 | grep -o '^#0  main ()'`,
		want: `exited normally\n#0  main \(\)\n`,
	},
}

func TestTools(t *testing.T) {
	for _, c := range tools {
		t.Run(c.name, func(t *testing.T) {
			lab.Each(t, func(t *testing.T, b *lab.Box) {
				b.PutAll(c.files)
				compare(t, "inside", b.Inside(c.flags, "sh", "-c", c.script), c.want)
				b.HomeIsUntouched()
				b.Clear()
				b.PutAll(c.files)
				outside := c.outside
				if outside == "" {
					outside = c.want
				}
				compare(t, "outside", b.Outside("sh", "-c", c.script), outside)
			})
		})
	}
}

func compare(t *testing.T, where string, got lab.Result, want string) {
	t.Helper()
	if got.Code != 0 || !regexp.MustCompile(`\A`+want+`\z`).MatchString(got.Stdout) {
		t.Errorf("%s: wanted %q, got status %d\n%s%s", where, want, got.Code, got.Stdout, got.Stderr)
	}
}
