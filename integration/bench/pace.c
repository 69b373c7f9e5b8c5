//go:build ignore

// pace launches a few commands in turn, round after round, and writes one line
// for each launch. It is C, small and static, for two reasons:
//   - a fork by the Go runtime costs more than the launch of a program that
//     does nothing, and its threads compete with what is being timed;
//   - a process's peak memory as wait4 tells it starts from the memory of the
//     process that called vfork (exec_mmap in fs/exec.c carries the old mark
//     over), so the parent has to be smaller than what it measures.
//
// usage: pace ROUNDS WARMUP GAP_US OUT_FD REWIND_FD { ARGC ARG... }...
//
// Even rounds go through the commands forwards, odd rounds backwards, so that
// none of them is always the one that runs after the dearest. REWIND_FD is an
// open file that every command inherits and reads from its beginning (a
// seccomp program); -1 for none. Warm-up rounds are not written.
// A line: ROUND COMMAND NANOSECONDS WAIT_STATUS PEAK_KIB

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_COMMANDS = 32 };

struct launch {
	long long ns;
	int status;
	long peak_kib;
};

extern char **environ;

static int rewind_fd = -1;

static void die(const char *what)
{
	fprintf(stderr, "pace: %s: %s\n", what, strerror(errno));
	exit(125);
}

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_us(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };
	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

static struct launch launch(char **argv)
{
	struct launch l;
	struct rusage usage;
	if (rewind_fd >= 0 && lseek(rewind_fd, 0, SEEK_SET) < 0)
		die("rewind");
	long long begin = now_ns();
	pid_t pid = vfork();
	if (pid == 0) {
		execve(argv[0], argv, environ);
		_exit(127);
	}
	if (pid < 0)
		die("vfork");
	while (wait4(pid, &l.status, 0, &usage) < 0)
		if (errno != EINTR)
			die("wait4");
	l.ns = now_ns() - begin;
	l.peak_kib = usage.ru_maxrss;
	return l;
}

// commands cuts argv into null-terminated lists, in place: the word that held
// the count of the next list ends this one.
static int commands(char **argv, char **out[MAX_COMMANDS])
{
	int n = 0;
	while (*argv) {
		int argc = atoi(*argv);
		if (n == MAX_COMMANDS || argc < 1) {
			errno = EINVAL;
			die("command list");
		}
		*argv++ = NULL;
		out[n++] = argv;
		argv += argc;
	}
	return n;
}

int main(int argc, char **argv)
{
	char **command[MAX_COMMANDS];
	if (argc < 8) {
		errno = EINVAL;
		die("arguments");
	}
	int rounds = atoi(argv[1]), warmup = atoi(argv[2]);
	long gap = atol(argv[3]);
	int out = atoi(argv[4]);
	rewind_fd = atoi(argv[5]);
	int n = commands(argv + 6, command);
	if (fcntl(out, F_SETFD, FD_CLOEXEC) < 0)
		die("result descriptor");
	struct launch *all = calloc((size_t)rounds * n, sizeof *all);
	if (!all)
		die("memory");

	for (int r = -warmup; r < rounds; r++) {
		for (int i = 0; i < n; i++) {
			int c = r & 1 ? n - 1 - i : i;
			if (gap > 0)
				sleep_us(gap);
			struct launch l = launch(command[c]);
			if (r >= 0)
				all[r * n + c] = l;
		}
	}
	for (int i = 0; i < rounds * n; i++)
		dprintf(out, "%d %d %lld %d %ld\n", i / n, i % n, all[i].ns, all[i].status, all[i].peak_kib);
	return 0;
}
