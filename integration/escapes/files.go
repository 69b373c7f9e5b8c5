package escapes

import (
	"golang.org/x/sys/unix"
)

// Names in braces are filled in by the harness: {secret} is a directory of the
// host that no rule names and {secret}/canary a file in it, {home} the caller's
// home, {ws} the workspace, {grant} a read-only grant, {inner} one within the
// workspace below {outer}; {host} is a process of the host, {init} that process
// outside and the sandbox's own pid 1 inside.

func reading() []Technique {
	return []Technique{
		{Row: "F01", Name: "home", Says: "read a file in the home", Plane: filesystem, Act: "read", Args: args("{home}/notes.txt"), Proof: true},
		{Row: "F01", Name: "elsewhere", Says: "read a file outside the workspace", Plane: filesystem, Act: "read", Args: args("{secret}/canary"), Proof: true},
		{Row: "F01", Name: "tmp", Says: "read the host's /tmp", Plane: filesystem, Act: "read", Args: args("{tmp}"), Proof: true},
		{Row: "F01", Name: "shadow", Says: "read root's password file", Plane: filesystem, Act: "read", Args: args("/etc/shadow"), As: AsRoot},
		{Row: "F01", Name: "append", Says: "open a file outside for writing", Plane: filesystem, Act: "open_write", Args: args("{secret}/canary")},
		{Row: "F01", Name: "create", Says: "make a file outside", Plane: filesystem, Act: "create", Args: args("{secret}/made")},
		{Row: "F02", Name: "beside", Says: "climb out by ..", Plane: filesystem, Act: "read", Args: args("../secret/canary"), Proof: true},
		{Row: "F02", Name: "to-the-top", Says: "climb to / by .. and down again", Plane: filesystem, Act: "read", Args: args("../../../../../../../../../..{secret}/canary"), Proof: true},
		{Row: "F03", Name: "self-root", Says: "read through /proc/self/root", Plane: filesystem, Act: "read", Args: args("/proc/self/root{secret}/canary"), Proof: true},
		{Row: "F03", Name: "thread-root", Says: "read through /proc/thread-self/root", Plane: filesystem, Act: "read", Args: args("/proc/thread-self/root{secret}/canary"), Proof: true},
		{Row: "F03", Name: "self-cwd", Says: "read through /proc/self/cwd", Plane: filesystem, Act: "read", Args: args("/proc/self/cwd/../secret/canary"), Proof: true},
		{Row: "F04", Name: "root", Says: "read through the root of a process of the host", Plane: processes, Act: "read", Args: args("/proc/{host}/root{secret}/canary"), Proof: true},
		{Row: "F04", Name: "cwd", Says: "read through the working directory of a process of the host", Plane: processes, Act: "read", Args: args("/proc/{host}/cwd/canary"), Proof: true},
		{Row: "F04", Name: "init-root", Says: "read through the root of pid 1", Plane: processes, Act: "read", Args: args("/proc/{init}/root{secret}/canary"), Proof: true},
		{Row: "F04", Name: "every-root", Says: "read through the root of every process", Plane: processes, Act: "proc_scan", Args: args("root", "{secret}/canary"), Proof: true},
		{Row: "F04", Name: "every-cwd", Says: "read through the working directory of every process", Plane: processes, Act: "proc_scan", Args: args("cwd", "canary"), Proof: true},
		{Row: "F06", Name: "absolute", Says: "follow a link in the workspace", Plane: filesystem, Act: "read", Args: args("{ws}/link"), Proof: true},
		{Row: "F06", Name: "relative", Says: "follow a relative link in the workspace", Plane: filesystem, Act: "read", Args: args("{ws}/relative"), Proof: true},
		{Row: "F06", Name: "directory", Says: "follow a link to a directory", Plane: filesystem, Act: "read", Args: args("{ws}/directory/canary"), Proof: true},
		{Row: "F06", Name: "made", Says: "make a link and follow it", Plane: filesystem, Act: "symlink", Args: args("{secret}/canary", "{ws}/made"), Proof: true},
		{Row: "F06", Name: "made-magic", Says: "make a link through /proc and follow it", Plane: filesystem, Act: "symlink", Args: args("/proc/self/root{secret}/canary", "{ws}/made"), Proof: true},
		{Row: "F14", Name: "cwd", Says: "read from the directory sovrun was started in", Plane: filesystem, Act: "working_dir", Args: args("canary"), How: Secret, Proof: true},
		{Row: "F14", Name: "directory", Says: "read through an inherited directory", Plane: descriptors, Act: "descriptor_at", Args: args("8", "canary"), Proof: true, Good: errnos(unix.EBADF)},
		{Row: "F14", Name: "climb", Says: "climb out of an inherited directory", Plane: descriptors, Act: "descriptor_at", Args: args("8", "../secret/canary"), Proof: true, Good: errnos(unix.EBADF)},
		{Row: "F14", Name: "file", Says: "read an inherited file", Plane: descriptors, Act: "descriptor", Args: args("9"), Proof: true, Good: errnos(unix.EBADF)},
		{Row: "F14", Name: "high", Says: "read an inherited file at descriptor 2048", Plane: descriptors, Act: "descriptor", Args: args("2048"), Proof: true, Good: errnos(unix.EBADF)},
		{Row: "F26", Name: "reopen", Says: "open a path descriptor again", Plane: filesystem, Act: "path_reopen", Args: args("{secret}/canary"), Proof: true},
		{Row: "F26", Name: "fchdir", Says: "enter a directory by a path descriptor", Plane: filesystem, Act: "path_fchdir", Args: args("{secret}", "canary"), Proof: true},
		{Row: "F26", Name: "linkat", Says: "link a path descriptor into the workspace", Plane: filesystem, Act: "path_linkat", Args: args("{secret}/canary", "{ws}/second")},
		{Row: "F26", Name: "execveat", Says: "execute a path descriptor", Plane: filesystem, Act: "path_execveat", Args: args("{secret}/agent")},
		{Row: "F27", Name: "copy_file_range", Says: "have the kernel copy a file from outside", Plane: filesystem, Act: "copy_file_range", Args: args("{secret}/canary", "{ws}/copy"), Proof: true},
		{Row: "F27", Name: "sendfile", Says: "have sendfile copy it", Plane: filesystem, Act: "sendfile", Args: args("{secret}/canary", "{ws}/copy"), Proof: true},
		{Row: "F27", Name: "splice", Says: "have splice copy it", Plane: filesystem, Act: "splice", Args: args("{secret}/canary", "{ws}/copy"), Proof: true},
		{Row: "F27", Name: "mmap", Says: "map it", Plane: filesystem, Act: "mmap", Args: args("{secret}/canary"), Proof: true},
		{Row: "F27", Name: "onto", Says: "copy onto a file that may only be read", Plane: filesystem, Act: "copy_onto", Args: args("{ws}/own", "{grant}/file"), Good: errnos(unix.EROFS, unix.EACCES)},
	}
}

func renaming() []Technique {
	good := errnos(unix.EXDEV, unix.EBUSY, unix.EROFS, unix.EACCES, unix.EPERM, unix.ENOENT)
	return []Technique{
		{Row: "F09", Name: "canary", Says: "give a file outside a second name in the workspace", Plane: filesystem, Act: "hardlink", Args: args("{secret}/canary", "{ws}/second"), Good: good},
		{Row: "F09", Name: "grant", Says: "give a read-only file a name in the workspace", Plane: filesystem, Act: "hardlink", Args: args("{grant}/file", "{ws}/second"), Good: good},
		{Row: "F09", Name: "inner", Says: "the same within the workspace", Plane: filesystem, Act: "hardlink", Args: args("{inner}/file", "{ws}/second"), Good: good},
		{Row: "F09", Name: "descriptor", Says: "the same by an open descriptor", Plane: filesystem, Act: "hardlink_fd", Args: args("{grant}/file", "{ws}/second"), Good: good},
		{Row: "F10", Name: "grant", Says: "move a read-only directory into the workspace and write there", Plane: filesystem, Act: "rename_write", Args: args("{grant}", "{ws}/moved", "file"), Good: good},
		{Row: "F10", Name: "below-grant", Says: "move what lies in it", Plane: filesystem, Act: "rename_write", Args: args("{grant}/below", "{ws}/moved", "file"), Good: good},
		{Row: "F10", Name: "inner", Says: "move a read-only directory within the workspace", Plane: filesystem, Act: "rename_write", Args: args("{inner}", "{ws}/moved", "file"), Good: good},
		{Row: "F10", Name: "outer", Says: "move the directory above it", Plane: filesystem, Act: "rename_write", Args: args("{outer}", "{ws}/moved", "inner/file"), Good: good},
		{Row: "F10", Name: "exchange", Says: "swap it with a directory of its own", Plane: filesystem, Act: "exchange_write", Args: args("{grant}", "{ws}/swap", "file"), Good: good},
		{Row: "F10", Name: "exchange-inner", Says: "swap one within the workspace", Plane: filesystem, Act: "exchange_write", Args: args("{inner}", "{ws}/swap", "file"), Good: good},
	}
}

func looking() []Technique {
	// Anything but ENOENT tells that there is something.
	gone := errnos(unix.ENOENT)
	return []Technique{
		{Row: "F20", Name: "statx", Says: "learn a file's size and time", Plane: filesystem, Act: "statx", Args: args("{secret}/canary"), Good: gone},
		{Row: "F20", Name: "lstat", Says: "learn that it exists", Plane: filesystem, Act: "lstat", Args: args("{secret}/canary"), Good: gone},
		{Row: "F20", Name: "access", Says: "learn that by access", Plane: filesystem, Act: "access", Args: args("{secret}/canary"), Good: gone},
		{Row: "F20", Name: "readlink", Says: "read a link outside", Plane: filesystem, Act: "readlink", Args: args("{secret}/link"), Good: gone},
		{Row: "F20", Name: "list", Says: "list a directory outside", Plane: filesystem, Act: "list", Args: args("{secret}"), Good: gone},
		{Row: "F20", Name: "neighbours", Says: "list what lies beside the workspace", Plane: filesystem, Act: "listed", Args: args("{lab}", "secret"), Good: gone},
		{Row: "F21", Name: "inotify", Says: "watch a directory outside", Plane: filesystem, Act: "inotify", Args: args("{secret}")},
		{Row: "F21", Name: "fanotify", Says: "watch it by fanotify", Plane: syscalls, Act: "fanotify", Args: args("{secret}")},
		{Row: "F13", Name: "handle", Says: "ask for a file's handle", Plane: syscalls, Act: "handle", Args: args("{ws}/own"), Good: errnos(unix.EPERM)},
		{Row: "F13", Name: "open", Says: "open a file outside by its handle", Plane: syscalls, Act: "open_handle", Args: args("{ws}", "{handle_type}", "{handle}"), Proof: true, Good: errnos(unix.EPERM)},
		{Row: "F13", Name: "argument", Says: "reach open_by_handle_at", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_NAME_TO_HANDLE_AT), "-1", "0", "0", "0", "-1"), Good: errnos(unix.EPERM), Root: errnos(unix.EINVAL), User: errnos(unix.EINVAL)},
		{Row: "F18", Name: "disk", Says: "open the disk", Plane: filesystem, Act: "open", Args: args("/dev/{disk}"), Root: errnos(unix.EPERM), User: errnos(unix.EACCES)},
		{Row: "F18", Name: "kmsg", Says: "read the kernel's log", Plane: filesystem, Act: "open", Args: args("/dev/kmsg"), User: errnos(unix.EPERM, unix.EACCES)},
		{Row: "F18", Name: "mem", Says: "open the machine's memory", Plane: filesystem, Act: "open", Args: args("/dev/mem"), Root: errnos(unix.EPERM), User: errnos(unix.EACCES)},
		{Row: "F18", Name: "kcore", Says: "open the kernel's memory", Plane: filesystem, Act: "open", Args: args("/proc/kcore"), Root: errnos(unix.EPERM)},
	}
}

// secrets are files in a home that open doors elsewhere; the harness plants one of each.
func secrets() []Technique {
	var out []Technique
	for _, path := range SecretFiles() {
		out = append(out, Technique{Row: "F23", Name: path, Says: "read ~/" + path, Plane: filesystem, Act: "read", Args: args("{home}/" + path), Proof: true})
	}
	return out
}

// SecretFiles are their paths below the home.
func SecretFiles() []string {
	return []string{
		".ssh/id_ed25519", ".aws/credentials", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
		".docker/config.json", ".kube/config", ".gnupg/private-keys-v1.d/key", ".bash_history",
		".config/gh/hosts.yml", ".config/gcloud/credentials.db", ".cargo/credentials.toml",
		".claude/.credentials.json", ".codex/auth.json", ".local/state/sovrun/keys/key",
	}
}
