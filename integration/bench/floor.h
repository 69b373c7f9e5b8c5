//go:build ignore

// What the two halves of the C floor share: floor.c takes its words apart,
// steps.c does what they say.

#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>

// musl-gcc sees no kernel headers and older ones lack half of this, so what the
// kernel calls these things is written down here, from include/uapi/linux.
enum {
	NR_open_tree = 428,
	NR_move_mount = 429,
	NR_close_range = 436,
	NR_mount_setattr = 442,
	NR_landlock_create_ruleset = 444,
	NR_landlock_add_rule = 445,
	NR_landlock_restrict_self = 446,

	TREE_CLONE = 1,              // OPEN_TREE_CLONE
	TREE_RECURSIVE = 0x8000,     // AT_RECURSIVE
	TREE_EMPTY_PATH = 0x1000,    // AT_EMPTY_PATH
	MOVE_FROM_DESCRIPTOR = 4,    // MOVE_MOUNT_F_EMPTY_PATH
	ATTR_RDONLY = 1,             // MOUNT_ATTR_RDONLY
	ATTR_NOSUID = 2,             // MOUNT_ATTR_NOSUID
	ATTR_NODEV = 4,              // MOUNT_ATTR_NODEV

	MOUNT_NOSUID = 2,            // MS_NOSUID
	MOUNT_NODEV = 4,             // MS_NODEV
	MOUNT_NOEXEC = 8,            // MS_NOEXEC
	MOUNT_PRIVATE_ALL = 0x44000, // MS_PRIVATE | MS_REC
	UMOUNT_DETACH = 2,           // MNT_DETACH

	RULE_PATH_BENEATH = 1,       // LANDLOCK_RULE_PATH_BENEATH
	FS_FILE_RIGHTS = 0xc007,     // execute, write_file, read_file, truncate, ioctl_dev
	FS_READ_RIGHTS = 0x000d,     // execute, read_file, read_dir
	FS_ALL_ABI1 = 0x1fff,
	FS_REFER = 0x2000,           // ABI 2
	FS_TRUNCATE = 0x4000,        // ABI 3
	FS_IOCTL_DEV = 0x8000,       // ABI 5
	SCOPE_ALL = 3,               // abstract sockets and signals, ABI 6

	FILTER_MODE = 1,             // SECCOMP_SET_MODE_FILTER
	MAX_FILTER = 4096,           // BPF_MAXINSNS
	CAP_VERSION_3 = 0x20080522,  // _LINUX_CAPABILITY_VERSION_3

	MAX_OPS = 256,
	MAX_MARKS = 32,
	DIED = 125,
};

struct attr { uint64_t set, clear, propagation, userns; };       // struct mount_attr
struct ruleset { uint64_t fs, net, scoped; };                     // struct landlock_ruleset_attr
struct beneath { uint64_t rights; int32_t fd; } __attribute__((packed)); // struct landlock_path_beneath_attr
struct insn { uint16_t code; uint8_t jt, jf; uint32_t k; };       // struct sock_filter
struct program { unsigned short len; struct insn *insns; };       // struct sock_fprog

enum kind { RO, RW, NODE, SELF, TMPFS, PROC, PTS, MQUEUE, LINK, SEAL };

struct op {
	enum kind kind;
	const char *src, *dst;
	int tree; // a detached mount, where the source is the host's
};

struct marks {
	int n;
	long long last;
	struct { const char *name; long long ns; } at[MAX_MARKS];
};

// job is one launch, as the words describe it.
struct job {
	struct op ops[MAX_OPS];
	int nops;
	unsigned long namespaces;
	const char *cwd;
	struct insn insns[MAX_FILTER];
	unsigned short filter_length; // in instructions
	char **command;
};

extern struct job job;
extern struct marks *marks; // in memory that the children share

// die ends the process with a message and errno's text, check does where a
// result is negative.
void die(const char *stage, const char *object);
long check(long result, const char *stage, const char *object);

// run launches the job and returns its command's exit status.
int run(void);
