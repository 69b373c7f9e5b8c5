//go:build ignore

// The steps of the C floor, in the order in which sovrun's child takes them:
// id maps, loopback, mounts, capabilities, Landlock, descriptors, filter, init.

#include "floor.h"
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct job job = { .cwd = "/" };
struct marks *marks;

void die(const char *stage, const char *object)
{
	dprintf(2, "floor: %s %s: %s\n", stage, object, strerror(errno));
	_exit(DIED);
}

long check(long result, const char *stage, const char *object)
{
	if (result < 0)
		die(stage, object);
	return result;
}

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// mark gives the time since the last mark to the stage called name; a stage
// may be marked more than once.
static void mark(const char *name)
{
	long long now = now_ns(), spent = now - marks->last;
	int i = 0;
	marks->last = now;
	while (i < marks->n && marks->at[i].name != name)
		i++;
	if (i == MAX_MARKS)
		return;
	if (i == marks->n) {
		marks->at[i].name = name;
		marks->n++;
	}
	marks->at[i].ns += spent;
}

// The identity and the network.

static void write_file(const char *path, const char *text)
{
	int fd = check(open(path, O_WRONLY | O_CLOEXEC), "open", path);
	check(write(fd, text, strlen(text)), "write", path);
	close(fd);
}

static void map_ids(uid_t uid, gid_t gid)
{
	char line[64];
	write_file("/proc/self/setgroups", "deny");
	snprintf(line, sizeof line, "%u %u 1", uid, uid);
	write_file("/proc/self/uid_map", line);
	snprintf(line, sizeof line, "%u %u 1", gid, gid);
	write_file("/proc/self/gid_map", line);
	write_file("/proc/sys/user/max_user_namespaces", "0");
}

static void loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	int s = check(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket", "loopback");
	check(ioctl(s, SIOCSIFFLAGS, &request), "set flags of", "lo");
	close(s);
}

// The mounts.

// inside is where an op's mount goes while the working directory is the new root.
static const char *inside(const struct op *o) { return o->dst[1] ? o->dst + 1 : "."; }

static int is_host_bind(enum kind k) { return k == RO || k == RW || k == NODE; }

static uint64_t attributes(enum kind k)
{
	static const uint64_t table[] = {
		[RO] = ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV,
		[RW] = ATTR_NOSUID | ATTR_NODEV,
		[NODE] = ATTR_NOSUID,
		[SELF] = ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV,
	};
	return table[k];
}

static int open_tree(const char *path, enum kind k)
{
	struct attr a = { .set = attributes(k) };
	int tree = check(syscall(NR_open_tree, AT_FDCWD, path, TREE_CLONE | TREE_RECURSIVE | O_CLOEXEC), "open", path);
	check(syscall(NR_mount_setattr, tree, "", TREE_EMPTY_PATH | TREE_RECURSIVE, &a, sizeof a), "restrict", path);
	return tree;
}

// open_sources runs before anything is mounted: the new root covers /tmp.
static void open_sources(void)
{
	for (struct op *o = job.ops; o < job.ops + job.nops; o++)
		if (is_host_bind(o->kind))
			o->tree = open_tree(o->src, o->kind);
}

static void make_parents(const char *path)
{
	char p[512];
	snprintf(p, sizeof p, "%s", path);
	for (char *slash = strchr(p, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(p, 0755);
		*slash = '/';
	}
}

// make_target makes what path is to be mounted on; the working directory is the
// new root. One mkdir is all that most targets cost.
static void make_target(const char *path, int directory)
{
	for (int tries = 0; tries < 2; tries++) {
		int r = directory ? mkdir(path, 0755) : mknod(path, S_IFREG | 0644, 0);
		if (r == 0 || errno == EEXIST)
			return;
		make_parents(path);
	}
	if (access(path, F_OK) < 0)
		die("make", path);
}

static int tree_is_directory(int tree)
{
	struct stat st;
	check(fstat(tree, &st), "stat", "a source");
	return S_ISDIR(st.st_mode);
}

static void attach(int tree, const char *path)
{
	check(syscall(NR_move_mount, tree, "", AT_FDCWD, path, MOVE_FROM_DESCRIPTOR), "attach", path);
	close(tree);
}

static void place_bind(struct op *o)
{
	if (o->kind == SELF)
		o->tree = open_tree(inside(o), SELF);
	else
		make_target(inside(o), tree_is_directory(o->tree));
	attach(o->tree, inside(o));
}

static void place_filesystem(const struct op *o)
{
	static const struct { const char *type, *options; unsigned long flags; } table[] = {
		[TMPFS] = { "tmpfs", "mode=0755,size=64m,nr_inodes=65536", MOUNT_NOSUID | MOUNT_NODEV },
		[PROC] = { "proc", NULL, MOUNT_NOSUID | MOUNT_NODEV | MOUNT_NOEXEC },
		[PTS] = { "devpts", "newinstance,ptmxmode=0666,mode=620", MOUNT_NOSUID | MOUNT_NOEXEC },
		[MQUEUE] = { "mqueue", NULL, MOUNT_NOSUID | MOUNT_NODEV | MOUNT_NOEXEC },
	};
	const char *type = table[o->kind].type;
	make_target(inside(o), 1);
	check(syscall(SYS_mount, type, inside(o), type, table[o->kind].flags, table[o->kind].options), type, o->dst);
}

static void place_link(const struct op *o)
{
	if (symlink(o->src, inside(o)) == 0)
		return;
	make_parents(inside(o));
	check(symlink(o->src, inside(o)), "link", o->dst);
}

static void seal(const struct op *o)
{
	struct attr a = { .set = ATTR_RDONLY };
	check(syscall(NR_mount_setattr, AT_FDCWD, inside(o), 0, &a, sizeof a), "seal", o->dst);
}

static void place(struct op *o)
{
	static const char *const stage[] = {
		[RO] = "binds placed", [RW] = "binds placed", [NODE] = "device nodes placed", [SELF] = "masks of /proc",
		[TMPFS] = "tmpfs", [PROC] = "proc", [PTS] = "devpts", [MQUEUE] = "mqueue",
		[LINK] = "links", [SEAL] = "sealed",
	};
	if (is_host_bind(o->kind) || o->kind == SELF)
		place_bind(o);
	else if (o->kind == LINK)
		place_link(o);
	else if (o->kind == SEAL)
		seal(o);
	else
		place_filesystem(o);
	mark(stage[o->kind]);
}

static void new_root(void)
{
	check(syscall(SYS_mount, NULL, "/", NULL, MOUNT_PRIVATE_ALL, NULL), "make private", "/");
	mark("propagation private");
	open_sources();
	mark("sources opened");
	check(syscall(SYS_mount, "tmpfs", "/tmp", "tmpfs", MOUNT_NOSUID | MOUNT_NODEV, "mode=0755,size=4m,nr_inodes=4096"), "tmpfs", "/tmp");
	check(chdir("/tmp"), "enter", "/tmp");
	mark("tmpfs");
	for (struct op *o = job.ops; o < job.ops + job.nops; o++)
		place(o);
	check(syscall(SYS_pivot_root, ".", "."), "pivot to", "the new root");
	check(syscall(SYS_umount2, ".", UMOUNT_DETACH), "detach", "the old root");
	mark("pivot, old root detached");
	check(chdir(job.cwd), "enter", job.cwd);
	mark("cwd");
}

// Power: capabilities, Landlock, limits, descriptors, the filter.

static void drop_capabilities(void)
{
	struct { uint32_t version; int pid; } header = { CAP_VERSION_3, 0 };
	struct { uint32_t effective, permitted, inheritable; } none[2] = { { 0 } };
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		check(prctl(PR_CAPBSET_DROP, cap, 0, 0, 0), "drop", "the bounding set");
	check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "clear", "the ambient set");
	check(syscall(SYS_capset, &header, none), "drop", "capabilities");
	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set", "no_new_privs");
	mark("capabilities, no_new_privs");
}

// The rights that this kernel's Landlock knows, by its ABI.
static struct ruleset handled(long abi)
{
	struct ruleset r = { .fs = FS_ALL_ABI1 };
	if (abi >= 2)
		r.fs |= FS_REFER;
	if (abi >= 3)
		r.fs |= FS_TRUNCATE;
	if (abi >= 5)
		r.fs |= FS_IOCTL_DEV;
	if (abi >= 6)
		r.scoped = SCOPE_ALL;
	return r;
}

static void allow(int ruleset, const char *path, uint64_t rights)
{
	struct stat st;
	struct beneath rule = { rights, check(open(path, O_PATH | O_CLOEXEC), "open", path) };
	check(fstat(rule.fd, &st), "stat", path);
	if (!S_ISDIR(st.st_mode))
		rule.rights &= FS_FILE_RIGHTS; // a right of directories on a file is EINVAL
	check(syscall(NR_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0), "allow", path);
	close(rule.fd);
}

static void landlock(void)
{
	struct ruleset all = handled(check(syscall(NR_landlock_create_ruleset, NULL, 0, 1), "ask for", "Landlock"));
	int fd = check(syscall(NR_landlock_create_ruleset, &all, sizeof all, 0), "make", "a ruleset");
	for (struct op *o = job.ops; o < job.ops + job.nops; o++) {
		if (o->kind == RO || o->kind == PROC)
			allow(fd, o->dst, all.fs & FS_READ_RIGHTS);
		if (o->kind == RW || o->kind == TMPFS)
			allow(fd, o->dst, all.fs);
	}
	mark("Landlock rules");
	check(syscall(NR_landlock_restrict_self, fd, 0), "enter", "the Landlock domain");
	mark("Landlock domain");
}

static void close_descriptors(void)
{
	check(syscall(NR_close_range, 3, ~0U, 0), "close", "descriptors");
	mark("limits, descriptors");
}

static void load_filter(void)
{
	struct program filter = { job.filter_length, job.insns };
	if (filter.len)
		check(syscall(SYS_seccomp, FILTER_MODE, 0, &filter), "load", "the filter");
	mark("filter");
}

// The processes.

static int exit_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void init(pid_t provider)
{
	int status;
	for (;;) {
		pid_t pid = wait(&status);
		if (pid == provider)
			_exit(exit_status(status));
		if (pid < 0 && errno != EINTR)
			die("wait for", "the command");
	}
}

static void child(uid_t uid, gid_t gid)
{
	struct rlimit core = { 1, 1 };
	mark("clone");
	check(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "set", "the parent-death signal");
	if (job.namespaces & CLONE_NEWUSER)
		map_ids(uid, gid);
	mark("id maps");
	if (job.namespaces & CLONE_NEWNET)
		loopback_up();
	mark("loopback up");
	new_root();
	check(setrlimit(RLIMIT_CORE, &core), "limit", "core dumps");
	drop_capabilities();
	landlock();
	close_descriptors();
	load_filter();
	pid_t provider = check(fork(), "fork", "init");
	if (provider > 0)
		init(provider);
	mark("init forks");
	execve(job.command[0], job.command, environ);
	die("execute", job.command[0]);
}

int run(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	int status;
	marks->last = now_ns();
	pid_t pid = check(syscall(SYS_clone, job.namespaces | SIGCHLD, 0, 0, 0, 0), "clone", "the sandbox");
	if (pid == 0)
		child(uid, gid);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("wait for", "init");
	mark("exec, run, exit, teardown");
	return exit_status(status);
}
