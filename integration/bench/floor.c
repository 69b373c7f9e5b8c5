//go:build ignore

// floor does what sovrun's child does, by hand, in C, with nothing besides: the
// practical limit of a launch. It takes its mounts as words, so that the runner
// can hand it as many as sovrun shows, and it judges nothing: no acts, no
// controls, no policy, no report.
//
// usage: floor [marks FD] WORD... -- COMMAND [ARG...]
//
//	user mount pid net ipc uts cgroup   a namespace to make
//	ro SRC DST | rw SRC DST             bind of a host path
//	node SRC DST                        bind of a device node
//	self DST                            a path under /proc, bound read-only on itself
//	tmpfs DST                           sized, with a limit on inodes
//	proc DST | pts DST | mqueue DST
//	link TARGET NAME
//	seal DST                            what is mounted there read-only, from here on
//	filter FD                           a seccomp program, read from FD
//	cwd DIR
//
// With "marks FD" it writes one line a stage, "NANOSECONDS NAME", when all is
// over. Exit status: the command's, or 125.

#include "floor.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int marks_fd = -1;

static void read_filter(int fd)
{
	ssize_t n = check(read(fd, job.insns, sizeof job.insns), "read", "the filter");
	job.filter_length = n / sizeof *job.insns;
}

static void add(enum kind k, const char *src, const char *dst)
{
	if (job.nops == MAX_OPS) {
		errno = E2BIG;
		die("take", dst);
	}
	if (dst[0] != '/') {
		errno = EINVAL;
		die("take", dst);
	}
	job.ops[job.nops++] = (struct op){ k, src, dst, -1 };
}

static int take_namespace(const char *word)
{
	static const struct { const char *name; unsigned long flag; } table[] = {
		{ "user", CLONE_NEWUSER }, { "mount", CLONE_NEWNS }, { "pid", CLONE_NEWPID }, { "net", CLONE_NEWNET },
		{ "ipc", CLONE_NEWIPC }, { "uts", CLONE_NEWUTS }, { "cgroup", CLONE_NEWCGROUP },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(word, table[i].name)) {
			job.namespaces |= table[i].flag;
			return 1;
		}
	return 0;
}

// take_op takes a mount word with its one or two paths and returns how many
// words that were, 0 for another word.
static int take_op(char **w)
{
	static const struct { const char *name; int paths; } table[] = {
		[RO] = { "ro", 2 }, [RW] = { "rw", 2 }, [NODE] = { "node", 2 }, [SELF] = { "self", 1 },
		[TMPFS] = { "tmpfs", 1 }, [PROC] = { "proc", 1 }, [PTS] = { "pts", 1 },
		[MQUEUE] = { "mqueue", 1 }, [LINK] = { "link", 2 }, [SEAL] = { "seal", 1 },
	};
	for (int k = 0; k < (int)(sizeof table / sizeof *table); k++)
		if (!strcmp(w[0], table[k].name)) {
			add(k, w[1], w[table[k].paths]);
			return 1 + table[k].paths;
		}
	return 0;
}

// take_setting takes one of the other words, which have one argument each.
static int take_setting(char **w)
{
	if (!strcmp(w[0], "filter"))
		read_filter(atoi(w[1]));
	else if (!strcmp(w[0], "marks"))
		marks_fd = atoi(w[1]);
	else if (!strcmp(w[0], "cwd"))
		job.cwd = w[1];
	else {
		errno = EINVAL;
		die("take", w[0]);
	}
	return 2;
}

int main(int argc, char **argv)
{
	char **w = argv + 1;
	(void)argc;
	marks = mmap(NULL, sizeof *marks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (marks == MAP_FAILED)
		die("map", "the marks");
	while (*w && strcmp(*w, "--")) {
		int n = take_namespace(*w) ? 1 : take_op(w);
		w += n ? n : take_setting(w);
	}
	if (!*w || !w[1]) {
		errno = EINVAL;
		die("find", "a command after --");
	}
	job.command = w + 1;
	int status = run();
	for (int i = 0; marks_fd >= 0 && i < marks->n; i++)
		dprintf(marks_fd, "%lld %s\n", marks->at[i].ns, marks->at[i].name);
	return status;
}
