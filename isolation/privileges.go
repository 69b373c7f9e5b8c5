package isolation

import (
	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// limits sets what the plan asks for, and two that it need not ask for: core
// dumps, and open files as the launcher was started with (the Go runtime raises
// that one for itself).
func (c *compiler) limits() {
	c.b.At(child.StageLimits, "core")
	// Exactly 1: 0 does not stop a piped core_pattern (core(5)); 1 is what the
	// kernel takes for "no dump at all" there. A hard limit of 0 cannot be raised.
	core := min(1, c.in.CoreHard)
	c.limit(unix.RLIMIT_CORE, core, core)
	c.b.At(child.StageLimits, "open_files")
	c.limit(unix.RLIMIT_NOFILE, c.in.OpenFiles.Cur, c.in.OpenFiles.Max)
	for _, r := range c.p.Limits {
		if child.Off("rlimits") {
			break
		}
		c.b.At(child.StageLimits, r.Resource.String())
		c.limit(rlimit(r.Resource), r.Value, r.Value)
	}
}

func rlimit(r policy.Resource) int {
	return [...]int{policy.MaxProcesses: unix.RLIMIT_NPROC, policy.OpenFiles: unix.RLIMIT_NOFILE, policy.FileSize: unix.RLIMIT_FSIZE}[r]
}

func (c *compiler) limit(resource int, soft, hard uint64) {
	c.b.Setup(unix.SYS_PRLIMIT64, child.Imm(0), child.Imm(resource), child.Ptr(c.b.Words(soft, hard)), child.Imm(0))
}

// Secure bits, capabilities(7): uid 0 is like any other on execve and setuid,
// nothing keeps or raises capabilities, and none of that can be undone.
const secureBits = 1<<0 | 1<<1 | // SECBIT_NOROOT, locked
	1<<2 | 1<<3 | // SECBIT_NO_SETUID_FIXUP, locked
	1<<5 | // SECBIT_KEEP_CAPS_LOCKED
	1<<6 | 1<<7 // SECBIT_NO_CAP_AMBIENT_RAISE, locked

// capabilities gives up every one, in every set.
func (c *compiler) capabilities() {
	c.b.At(child.StageCapabilities, "securebits")
	c.b.PassMark(child.MarkCapabilities)
	if !child.Off("securebits") {
		c.b.Setup(unix.SYS_PRCTL, child.Imm(unix.PR_SET_SECUREBITS), child.Imm(secureBits), child.Imm(0), child.Imm(0), child.Imm(0))
	}
	c.boundingSet()
	if child.Off("capabilities") {
		return
	}
	c.b.At(child.StageCapabilities, "sets")
	c.b.Setup(unix.SYS_PRCTL, child.Imm(unix.PR_CAP_AMBIENT), child.Imm(unix.PR_CAP_AMBIENT_CLEAR_ALL), child.Imm(0), child.Imm(0), child.Imm(0))
	header := c.b.Words(unix.LINUX_CAPABILITY_VERSION_3)
	c.b.Setup(unix.SYS_CAPSET, child.Ptr(header), child.Ptr(c.b.Alloc(24, 8)))
}

// boundingSet empties it of every capability that the kernel has.
func (c *compiler) boundingSet() {
	if child.Off("bounding-set") {
		return
	}
	for i := range c.in.Capabilities {
		c.b.Setup(unix.SYS_PRCTL, child.Imm(unix.PR_CAPBSET_DROP), child.Imm(i), child.Imm(0), child.Imm(0), child.Imm(0))
	}
}

func (c *compiler) noNewPrivs() {
	if child.Off("no-new-privs") {
		return
	}
	c.b.At(child.StageCapabilities, "no_new_privs")
	c.b.Setup(unix.SYS_PRCTL, child.Imm(unix.PR_SET_NO_NEW_PRIVS), child.Imm(1), child.Imm(0), child.Imm(0), child.Imm(0))
}
