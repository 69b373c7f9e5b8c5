package escapes

import (
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// listeners are services of the host. Each notes what it is told and answers with
// the canary, one contact after the other.
type listeners struct {
	t      *testing.T
	canary string
	tcp    []net.Listener // abstract and TCP ones
	udp    net.PacketConn
	left   *os.File // the end of a connection that is left open for the program
	mu     sync.Mutex
	said   []string
	came   *sync.Cond
}

func listen(l *lab) *listeners {
	n := &listeners{t: l.t, canary: l.canary}
	n.came = sync.NewCond(&n.mu)
	l.names["abstract"] = l.name
	for name, at := range map[string]string{"tcp": "127.0.0.1:0", "elsewhere": outerAddress() + ":0"} {
		l.names[name] = n.stream("tcp", at)
	}
	if l.names["tcp6"] = "[::1]:1"; hasIPv6() {
		l.names["tcp6"] = n.stream("tcp", "[::1]:0")
	}
	_, l.names["tcp_port"], _ = net.SplitHostPort(l.names["tcp"])
	n.stream("unix", "@"+l.name)
	l.names["udp"] = n.datagrams()
	n.leaveOpen(l.names["tcp"])
	l.t.Cleanup(n.close)
	return n
}

// hasIPv6 tells whether this machine has the loopback address of IPv6.
func hasIPv6() bool {
	s, err := net.Listen("tcp", "[::1]:0")
	if err == nil {
		s.Close()
	}
	return err == nil
}

// outerAddress is one of this machine's that is not loopback's; without any
// network there is none but that.
func outerAddress() string {
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && ip.IP.IsGlobalUnicast() {
			return ip.IP.String()
		}
	}
	return "127.0.0.1"
}

func (n *listeners) stream(network, at string) string {
	s, err := net.Listen(network, at)
	if err != nil {
		n.t.Fatal(err)
	}
	n.tcp = append(n.tcp, s)
	go func() {
		for {
			c, err := s.Accept()
			if err != nil {
				return
			}
			go n.serve(c)
		}
	}()
	return s.Addr().String()
}

// serve notes the contact itself too: a connection that says nothing is one.
func (n *listeners) serve(c net.Conn) {
	n.note("contact")
	_, _ = c.Write([]byte(n.canary))
	b := make([]byte, 256)
	for {
		k, err := c.Read(b)
		if err != nil {
			c.Close()
			return
		}
		n.note(string(b[:k]))
	}
}

func (n *listeners) datagrams() string {
	s, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		n.t.Fatal(err)
	}
	n.udp = s
	go func() {
		b := make([]byte, 256)
		for {
			k, from, err := s.ReadFrom(b)
			if err != nil {
				return
			}
			n.note(string(b[:k]))
			_, _ = s.WriteTo([]byte(n.canary), from)
		}
	}()
	return s.LocalAddr().String()
}

// leaveOpen makes the connection whose descriptor is left open.
func (n *listeners) leaveOpen(at string) {
	c, err := net.Dial("tcp", at)
	if err != nil {
		n.t.Fatal(err)
	}
	defer c.Close()
	if n.left, err = c.(*net.TCPConn).File(); err != nil {
		n.t.Fatal(err)
	}
	n.wait("contact")
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = nil
}

func (n *listeners) note(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, what)
	n.came.Broadcast()
}

// wait returns when this was said, and fails when it is not said in time.
func (n *listeners) wait(what string) {
	n.t.Helper()
	late := time.AfterFunc(patience, n.came.Broadcast)
	defer late.Stop()
	deadline := time.Now().Add(patience)
	n.mu.Lock()
	defer n.mu.Unlock()
	for !slices.Contains(n.said, what) {
		if time.Now().After(deadline) {
			n.t.Fatalf("nobody said %q in %v", what, patience)
		}
		n.came.Wait()
	}
}

// contacts forgets and returns what was said. What was on its way is waited for: a
// last contact of the harness's own at each listener, behind which nothing is.
func (n *listeners) contacts() []string {
	n.t.Helper()
	for i, s := range n.tcp {
		n.fence(s.Addr(), "fence "+strconv.Itoa(i))
	}
	n.fence(n.udp.LocalAddr(), "fence udp")
	if _, err := n.left.WriteString("fence left"); err != nil {
		n.t.Fatal(err)
	}
	n.wait("fence left")
	n.mu.Lock()
	defer n.mu.Unlock()
	said := n.said
	n.said = nil
	for range n.tcp {
		i := slices.Index(said, "contact")
		said = slices.Delete(said, i, i+1)
	}
	return slices.DeleteFunc(said, func(s string) bool { return len(s) > 5 && s[:6] == "fence " })
}

func (n *listeners) fence(to net.Addr, what string) {
	n.t.Helper()
	c, err := net.Dial(to.Network(), to.String())
	if err != nil {
		n.t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(what)); err != nil {
		n.t.Fatal(err)
	}
	n.wait(what)
}

func (n *listeners) close() {
	for _, s := range n.tcp {
		s.Close()
	}
	n.udp.Close()
	n.left.Close()
}
