package escapes

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inconclusive is a technique whose control shows nothing, because the kernel
// answers the caller outside as the sandbox does, or has not got what it needs.
type inconclusive struct {
	key   string
	who   Identity
	errno syscall.Errno // what the control answers
	why   string
	// lacks tells whether the reason holds on this machine; nil: on every one.
	lacks func() bool
}

const (
	capability = "the kernel asks for a capability before it looks at anything else"
	fileMode   = "the file's mode refuses a user before the mount is looked at"
	missing    = "this kernel has no such file"
	no32       = "this machine has no 32-bit gate"
)

// inconclusives is the table, by hand. An entry that turns out to show something
// is an error, and so is a technique that shows nothing and is not listed.
func inconclusives() []inconclusive {
	return append(forBoth(), forUsers()...)
}

// forBoth are what this machine lacks, whoever asks.
func forBoth() []inconclusive {
	var out []inconclusive
	for _, e := range append(for32Bit(), []inconclusive{
		{key: "F18/mem", errno: syscall.ENOENT, why: missing, lacks: without("/dev/mem")},
		{key: "F18/kcore", errno: syscall.ENOENT, why: missing, lacks: without("/proc/kcore")},
		{key: "K02/modprobe", errno: syscall.ENOENT, why: missing, lacks: without("/proc/sys/kernel/modprobe")},
		{key: "K02/binfmt_misc", errno: syscall.ENOENT, why: missing, lacks: without("/proc/sys/fs/binfmt_misc/register")},
		{key: "K03/uevent_helper", errno: syscall.ENOENT, why: missing, lacks: without("/sys/kernel/uevent_helper")},
		{key: "K03/efivars", errno: syscall.ENOENT, why: missing, lacks: without("/sys/firmware/efi/efivars")},
		{key: "K07/sysrq", errno: syscall.ENOENT, why: missing, lacks: without("/proc/sysrq-trigger")},
		{key: "F28/fuse-device", errno: syscall.ENOENT, why: missing, lacks: without("/dev/fuse")},
		{key: "F28/fuse", errno: syscall.ENOENT, why: missing, lacks: without("/dev/fuse")},
		{key: "S13/device", errno: syscall.ENOENT, why: missing, lacks: without("/dev/userfaultfd")},
		{key: "S03/x32", errno: syscall.ENOSYS, why: "this kernel has no x32 table (CONFIG_X86_X32_ABI)"},
		{key: "T01/loopback6", errno: syscall.EADDRNOTAVAIL, why: "this machine has no IPv6", lacks: not(hasIPv6)},
		{key: "T02/ping", errno: syscall.EACCES, why: "net.ipv4.ping_group_range lets nobody, outside as inside", lacks: sysctl("net/ipv4/ping_group_range", "1 0")},
	}...) {
		for _, e.who = range []Identity{AsRoot, AsUser} {
			out = append(out, e)
		}
	}
	return out
}

// for32Bit are what takes a 32-bit gate, on an architecture that may have one.
func for32Bit() []inconclusive {
	if foreignWays() == nil {
		return nil
	}
	return []inconclusive{
		{key: "S02/getpid", errno: syscall.EFAULT, why: no32, lacks: no32Bit},
		{key: "S02/socket", errno: syscall.EFAULT, why: no32, lacks: no32Bit},
		{key: "S07/socketcall", errno: syscall.EFAULT, why: no32, lacks: no32Bit},
		{key: "S17/vm86", errno: syscall.EFAULT, why: no32, lacks: no32Bit},
		{key: "S17/vm86", errno: syscall.ENOSYS, why: "a 64-bit kernel has no virtual 8086 mode", lacks: not(no32Bit)},
	}
}

// forUsers are what a user gets outside no more than inside; the same techniques
// show something as root, and when root starts sovrun for a user.
func forUsers() []inconclusive {
	var out []inconclusive
	for key := range strings.FieldsSeq("F12/open_tree F12/fsopen F12/move_mount F12/move_mount-argument F12/fsmount-argument F12/fspick-argument F12/bind " +
		"F13/open F16/climb F17/pivot_root F19/memory-device F19/disk F28/overlay N02/inherited N11/mount N12/hostname N12/domainname " +
		"S01/reboot T02/raw") {
		out = append(out, inconclusive{key: key, who: AsUser, errno: syscall.EPERM, why: capability})
	}
	for key := range strings.FieldsSeq("K01/core_pattern K02/interrupts K02/drop_caches K06/timer_list") {
		out = append(out, inconclusive{key: key, who: AsUser, errno: syscall.EACCES, why: fileMode})
	}
	// On a kernel that has them, files and calls that forBoth lists for one that has not.
	for key, path := range map[string]string{
		"F18/kcore": "/proc/kcore", "K02/modprobe": "/proc/sys/kernel/modprobe", "K07/sysrq": "/proc/sysrq-trigger",
	} {
		out = append(out, inconclusive{key: key, who: AsUser, errno: syscall.EACCES, why: fileMode, lacks: not(without(path))})
	}
	for key, path := range map[string]string{
		"S01/init_module": "/proc/modules", "S01/finit_module": "/proc/modules", "S01/delete_module": "/proc/modules",
		"S01/kexec_load": "/sys/kernel/kexec_loaded", "S01/kexec_file_load": "/sys/kernel/kexec_loaded",
		"S01/acct": "/proc/sys/kernel/acct", "S01/swapoff": "/proc/swaps",
	} {
		out = append(out, inconclusive{key: key, who: AsUser, errno: syscall.EPERM, why: capability, lacks: not(without(path))})
	}
	return append(out,
		inconclusive{key: "K03/any", who: AsUser, errno: syscall.EACCES, why: "no file of /sys lets everybody write", lacks: not(anybodyWrites("/sys"))},
		inconclusive{key: "I06/TIOCSCTTY", who: AsUser, errno: syscall.EPERM, why: "the kernel lets nobody but root take a terminal from another session"},
		inconclusive{key: "K06/dmesg", who: AsUser, errno: syscall.EPERM, why: "kernel.dmesg_restrict is 1", lacks: sysctl("kernel/dmesg_restrict", "1")},
		inconclusive{key: "S01/bpf-map", who: AsUser, errno: syscall.EPERM, why: "kernel.unprivileged_bpf_disabled is not 0", lacks: not(sysctl("kernel/unprivileged_bpf_disabled", "0"))},
		inconclusive{key: "S13/userfaultfd", who: AsUser, errno: syscall.EPERM, why: "vm.unprivileged_userfaultfd is 0", lacks: sysctl("vm/unprivileged_userfaultfd", "0")},
	)
}

func without(path string) func() bool {
	return func() bool {
		_, err := os.Stat(path)
		return err != nil
	}
}

// anybodyWrites tells whether a tree has a file that every user may write.
func anybodyWrites(root string) func() bool {
	return func() (found bool) {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // what cannot be listed cannot be tried
			}
			if info, err := d.Info(); err == nil && info.Mode()&0o002 != 0 {
				found = true
				return fs.SkipAll
			}
			return nil
		})
		return found
	}
}

func not(f func() bool) func() bool { return func() bool { return !f() } }

// sysctl tells whether a sysctl has the value.
func sysctl(path, value string) func() bool {
	return func() bool {
		text, err := os.ReadFile("/proc/sys/" + path)
		return err == nil && strings.Join(strings.Fields(string(text)), " ") == value
	}
}

// listed is the entry that holds for a technique on this machine.
func listed(key string, who Identity) *inconclusive {
	for _, e := range inconclusives() {
		if e.key == key && e.who == who && (e.lacks == nil || e.lacks()) {
			return &e
		}
	}
	return nil
}

// Every entry names a technique, once for each identity, and says why.
func TestInconclusiveTable(t *testing.T) {
	known, seen := map[string]bool{}, map[string]bool{}
	for _, c := range Catalogue() {
		known[c.Key()] = true
	}
	for _, e := range inconclusives() {
		if !known[e.key] {
			t.Errorf("%s: no such technique", e.key)
		}
		if e.why == "" || e.errno == 0 || e.who != AsRoot && e.who != AsUser {
			t.Errorf("%s: no reason, errno or identity", e.key)
		}
		// Two entries of which never both hold count as one.
		if id := e.key + string(e.who); seen[id] && (e.lacks == nil || e.lacks()) {
			t.Errorf("%s: listed twice for %s", e.key, e.who)
		} else if e.lacks == nil || e.lacks() {
			seen[id] = true
		}
	}
}
