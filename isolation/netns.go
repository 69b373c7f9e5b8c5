package isolation

import (
	"golang.org/x/sys/unix"

	"github.com/sovrun/sovrun/isolation/child"
)

// sizeofIfreq is the size of struct ifreq, netdevice(7).
const sizeofIfreq = 40

// loopback brings lo up, with it come 127.0.0.1 and ::1.
func (c *compiler) loopback() {
	if !c.p.Namespaces.Net || child.Off("network-namespace") {
		return
	}
	c.b.At(child.StageNetwork, "lo")
	req := c.b.Alloc(sizeofIfreq, 8)
	copy(c.b.P.Arena[req:], "lo")
	c.b.Put32(req+16, unix.IFF_UP|unix.IFF_RUNNING) // ifr_flags, a short
	s := c.passing(unix.SYS_SOCKET, child.Imm(unix.AF_INET), child.Imm(unix.SOCK_DGRAM|unix.SOCK_CLOEXEC), child.Imm(0))
	c.b.Setup(unix.SYS_IOCTL, child.Slot(s), child.Imm(unix.SIOCSIFFLAGS), child.Ptr(req))
}

// ipc leaves the ipc namespace that the child was cloned into for a second one:
// in the first the control of the shared-memory act made its segment, which the
// act then looks for in vain. Neither can outlive the sandbox.
func (c *compiler) ipc() {
	if !c.p.Namespaces.IPC {
		return
	}
	c.b.At(child.StageIPC, "namespace")
	c.b.PassMark(child.MarkIPC)
	if child.Off("ipc-namespace") {
		return
	}
	c.b.Setup(unix.SYS_UNSHARE, child.Imm(unix.CLONE_NEWIPC))
}
