package escapes

import "golang.org/x/sys/unix"

func kernelFiles() []Technique {
	locked := errnos(unix.EROFS, unix.EACCES, unix.EPERM, unix.ENOENT)
	eacces := errnos(unix.EACCES)
	return append(rootsFiles(), []Technique{
		{Row: "K01", Name: "core_pattern", Says: "name the program that handles core dumps", Plane: filesystem, Act: "open_write", Args: args("/proc/sys/kernel/core_pattern"), Good: locked, User: eacces},
		{Row: "K02", Name: "sysctls", Says: "open any sysctl for writing", Plane: filesystem, Act: "open_any_write", Args: args("/proc/sys"), Good: locked, User: eacces},
		{Row: "K02", Name: "interrupts", Says: "open any interrupt's affinity for writing", Plane: filesystem, Act: "open_any_write", Args: args("/proc/irq"), Good: locked, User: eacces},
		{Row: "K02", Name: "drop_caches", Says: "drop the host's caches", Plane: filesystem, Act: "open_write", Args: args("/proc/sys/vm/drop_caches"), Good: locked, User: eacces},
		{Row: "K02", Name: "modprobe", Says: "name the program that loads modules", Plane: filesystem, Act: "open_write", Args: args("/proc/sys/kernel/modprobe"), Good: locked, User: eacces},
		{Row: "K02", Name: "binfmt_misc", Says: "register an interpreter", Plane: filesystem, Act: "open_write", Args: args("/proc/sys/fs/binfmt_misc/register"), Good: locked, User: eacces},
		{Row: "K03", Name: "any", Says: "open any file of /sys for writing", Plane: filesystem, Act: "open_any_write", Args: args("/sys"), Good: locked},
		{Row: "K03", Name: "mtu", Says: "open a network device's settings", Plane: filesystem, Act: "open_write", Args: args("/sys/class/net/lo/mtu"), Good: locked, User: eacces},
		{Row: "K03", Name: "uevent_helper", Says: "name the program that handles devices", Plane: filesystem, Act: "open_write", Args: args("/sys/kernel/uevent_helper"), Good: locked, User: eacces},
		{Row: "K03", Name: "power", Says: "open the machine's power state", Plane: filesystem, Act: "open_write", Args: args("/sys/power/state"), Good: locked, User: eacces},
		{Row: "K03", Name: "cgroup", Says: "look at control groups", Plane: filesystem, Act: "list", Args: args("/sys/fs/cgroup"), Good: locked},
		{Row: "K03", Name: "debugfs", Says: "look at debugfs", Plane: filesystem, Act: "list", Args: args("/sys/kernel/debug"), Good: locked, User: eacces},
		{Row: "K03", Name: "tracefs", Says: "look at tracefs", Plane: filesystem, Act: "list", Args: args("/sys/kernel/tracing"), Good: locked, User: eacces},
		{Row: "K03", Name: "securityfs", Says: "look at securityfs", Plane: filesystem, Act: "list", Args: args("/sys/kernel/security"), Good: locked},
		{Row: "K03", Name: "efivars", Says: "look at the firmware's variables", Plane: filesystem, Act: "list", Args: args("/sys/firmware/efi/efivars"), Good: locked},
		{Row: "K06", Name: "cmdline", Says: "read the kernel's command line", Plane: processes, Act: "read", Args: args("/proc/cmdline")},
		{Row: "K06", Name: "keys", Says: "list the kernel's keys", Plane: processes, Act: "read", Args: args("/proc/keys")},
		{Row: "K06", Name: "kallsyms", Says: "read the kernel's symbols", Plane: processes, Act: "read", Args: args("/proc/kallsyms")},
		{Row: "K06", Name: "timer_list", Says: "read the host's timers", Plane: processes, Act: "read", Args: args("/proc/timer_list")},
		{Row: "K06", Name: "interrupts", Says: "read the host's interrupts", Plane: processes, Act: "read", Args: args("/proc/interrupts")},
		{Row: "K06", Name: "dmesg", Says: "read the kernel's log by syslog", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_SYSLOG), "3", "&", "4096")}, // SYSLOG_ACTION_READ_ALL
		{Row: "K07", Name: "sysrq", Says: "open the magic key for writing", Plane: filesystem, Act: "open_write", Args: args("/proc/sysrq-trigger"), Good: locked, User: eacces},
	}...)
}

// rootsFiles are files of /proc that only root can read, and whoever keeps uid 0:
// procfs asks for no capability.
func rootsFiles() []Technique {
	var out []Technique
	for _, path := range []string{"kpagecount", "kpageflags", "slabinfo", "vmallocinfo", "pagetypeinfo", "sys/vm/stat_refresh"} {
		out = append(out, Technique{Row: "K06", Name: path, Says: "read the host's " + path, Plane: processes, Act: "open", Args: args("/proc/" + path), As: AsRoot})
	}
	return out
}

func hostProcesses() []Technique {
	gone := errnos(unix.ENOENT, unix.EACCES)
	out := []Technique{
		{Row: "K04", Name: "host", Says: "read the environment of a process of the host", Plane: processes, Act: "read", Args: args("/proc/{host}/environ"), Proof: true, Good: gone},
		{Row: "K04", Name: "init", Says: "read the environment of pid 1", Plane: processes, Act: "read", Args: args("/proc/{init}/environ"), Proof: true, Good: gone},
		{Row: "K04", Name: "every", Says: "look for a variable in every process", Plane: processes, Act: "environ_scan", Args: args("{variable}"), Proof: true, Good: gone},
		{Row: "K05", Name: "listed", Says: "see a process of the host", Plane: processes, Act: "listed", Args: args("/proc", "{host}"), Good: gone},
		{Row: "K05", Name: "fd", Says: "list its descriptors", Plane: processes, Act: "list", Args: args("/proc/{host}/fd"), Good: gone},
		{Row: "K05", Name: "exe", Says: "see its program", Plane: processes, Act: "readlink", Args: args("/proc/{host}/exe"), Good: gone},
		{Row: "K05", Name: "mem", Says: "open its memory", Plane: processes, Act: "open", Args: args("/proc/{host}/mem"), Good: gone},
		{Row: "K05", Name: "init-mem", Says: "open the memory of pid 1", Plane: processes, Act: "open", Args: args("/proc/{init}/mem"), Good: gone},
		{Row: "K05", Name: "init-fd", Says: "open a descriptor of pid 1", Plane: processes, Act: "read", Args: args("/proc/{init}/fd/0"), Proof: true, Good: gone},
		{Row: "K05", Name: "init-report", Says: "open the pipe by which pid 1 reports", Plane: processes, Act: "open_both", Args: args("/proc/{init}/fd/3"), Good: gone},
	}
	for _, name := range []string{"cmdline", "maps", "stat", "status", "wchan", "io", "auxv"} {
		out = append(out, Technique{Row: "K05", Name: name, Says: "read its " + name, Plane: processes, Act: "read", Args: args("/proc/{host}/" + name), Good: gone})
	}
	return append(out, Technique{Row: "K05", Name: "stack", Says: "read its kernel stack", Plane: processes, Act: "read", Args: args("/proc/{host}/stack"), Good: gone, User: errnos(unix.EPERM, unix.EACCES)})
}

func privileges() []Technique {
	eperm := errnos(unix.EPERM)
	return []Technique{
		{Row: "K12", Name: "planted", Says: "run a set-uid program that lies in the workspace", Plane: privileged, Act: "setuid_id", Args: args("{ws}/set-uid"), Planted: true, Good: eperm},
		{Row: "K12", Name: "su", Says: "run the system's set-uid su", Plane: privileged, Act: "setuid_watch", Args: args("/usr/bin/su"), As: AsUser, Good: eperm},
		{Row: "K12", Name: "passwd", Says: "run the system's set-uid passwd", Plane: privileged, Act: "setuid_watch", Args: args("/usr/bin/passwd"), As: AsUser, Good: eperm},
		{Row: "K12", Name: "mount", Says: "run the system's set-uid mount", Plane: privileged, Act: "setuid_watch", Args: args("/usr/bin/mount"), As: AsUser, Good: eperm},
		{Row: "K13", Name: "planted", Says: "run a program with file capabilities", Plane: privileged, Act: "caps_exec", Args: args("{ws}/with-caps"), Planted: true, Good: eperm},
	}
}
