package policy

// NamespacesOf are the namespaces that a policy calls for. They are known before
// anything of the host is, so that making them can begin at once.
func NamespacesOf(p Policy) Namespaces {
	return Namespaces{
		User: true, Mount: true, PID: true, Net: p.Network == NetworkNone, IPC: true, UTS: true, Cgroup: true,
	}
}
