//go:build ignore

// syscalls prints what single system calls cost in the place where it runs, in
// nanoseconds: for each operation the best of BATCHES batches, since noise only
// ever adds.
//
// usage: syscalls BATCHES WRITABLE_FILE READ_ONLY_FILE
// A line: NAME CALLS NANOSECONDS, where CALLS is the number of system calls in
// one operation and NANOSECONDS is for the whole operation.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *writable, *read_only;
static int file_fd, null_fd;

static void die(const char *what)
{
	fprintf(stderr, "syscalls: %s: %s\n", what, strerror(errno));
	exit(125);
}

// An operation returns a negative number where it failed: a refused call is
// cheap and would pass for a fast one.
static int op_getppid(void) { return syscall(SYS_getppid) < 0 ? -1 : 0; }

static int op_stat(void)
{
	struct stat st;
	return stat(writable, &st);
}

static int open_close(const char *path, int flags)
{
	int fd = open(path, flags);
	return fd < 0 ? -1 : close(fd);
}

static int op_open_writable(void) { return open_close(writable, O_RDONLY); }
static int op_open_read_only(void) { return open_close(read_only, O_RDONLY); }

static int op_pread(void)
{
	char b[64];
	return pread(file_fd, b, sizeof b, 0) == sizeof b ? 0 : -1;
}

static int op_write_null(void) { return write(null_fd, "x", 1) == 1 ? 0 : -1; }

static int op_socketpair(void)
{
	int s[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) < 0)
		return -1;
	return close(s[0]) | close(s[1]);
}

static const struct operation {
	const char *name;
	int calls, batch;
	int (*run)(void);
} operations[] = {
	{ "getppid", 1, 200, op_getppid },
	{ "stat", 1, 100, op_stat },
	{ "open+close_writable", 2, 100, op_open_writable },
	{ "open+close_read_only", 2, 100, op_open_read_only },
	{ "pread", 1, 200, op_pread },
	{ "write_null", 1, 200, op_write_null },
	{ "socketpair+close+close", 3, 50, op_socketpair },
};

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double batch(const struct operation *op)
{
	double begin = now_ns();
	for (int i = 0; i < op->batch; i++)
		if (op->run() < 0)
			die(op->name);
	return (now_ns() - begin) / op->batch;
}

int main(int argc, char **argv)
{
	static const char content[64] = "x";
	if (argc != 4) {
		errno = EINVAL;
		die("arguments");
	}
	int batches = atoi(argv[1]);
	writable = argv[2];
	read_only = argv[3];
	file_fd = open(writable, O_RDWR | O_CREAT, 0644);
	if (file_fd < 0 || pwrite(file_fd, content, sizeof content, 0) != sizeof content)
		die(writable);
	null_fd = open("/dev/null", O_WRONLY);
	if (null_fd < 0)
		die("/dev/null");

	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		double best = batch(&operations[i]);
		for (int k = 1; k < batches; k++) {
			double t = batch(&operations[i]);
			if (t < best)
				best = t;
		}
		printf("%s %d %.1f\n", operations[i].name, operations[i].calls, best);
	}
	return 0;
}
