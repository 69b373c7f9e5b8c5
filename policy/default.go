package policy

// The tables of this file are arrays that nothing writes to: as slices made by
// functions they would be copied at every launch.

// Sizes of what is made in memory. A tmpfs is otherwise as large as half of
// the memory, each one (tmpfs(5)), and every inode of one costs about 1 KiB of
// the kernel's memory whatever its size says.
const (
	TmpfsSize   = 1 << 30 // bytes, for /tmp and for the home
	TmpfsInodes = 1 << 17
	ShmSize     = 256 << 20 // bytes, for /dev/shm
	ShmInodes   = 1 << 14

	// holeSize bounds the directory that is laid over a hidden one when
	// something beneath that is granted again: it holds only mount points.
	holeSize   = 1 << 20
	holeInodes = 1 << 10
)

// defaultExec are the trees that programs and their libraries live in. On a
// merged /usr the short names are links and become links of the new root too.
var defaultExec = [...]string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/libx32", "/lib64"}

// defaultRead is what toolchains read outside of /usr and what holds no
// secret. Every name is one mount, so a name is here only where something
// fails without it: package managers' settings that may carry a token
// (/etc/npmrc, /etc/pip.conf, /etc/apt), accounts, keys and everything else of
// /etc stay out.
var defaultRead = [...]string{
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", // the loader; ld(1) reads the latter two
	"/etc/alternatives",                                           // links of /usr/bin on Debian lead through it
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem", // Debian, SUSE, Alpine
	"/etc/ca-certificates/extracted",                                                // Arch
	"/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted", // Fedora
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", // where they are links into other trees
	"/etc/crypto-policies",
	"/etc/localtime", "/etc/timezone",
	"/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh", "/etc/inputrc",
	"/etc/os-release", "/etc/lsb-release",
	"/etc/services", "/etc/protocols", "/etc/mime.types",
	"/etc/gitconfig",
	// Not ssh_config.d: its files are root's, who is nobody in a user
	// namespace, and ssh refuses included files of a foreign owner.
	"/etc/ssh/ssh_config",
	// A JDK's conf/ consists of links into its directory of /etc.
	"/etc/java", "/etc/java-8-openjdk", "/etc/java-11-openjdk", "/etc/java-17-openjdk",
	"/etc/java-21-openjdk", "/etc/java-25-openjdk", "/etc/maven",
	"/etc/perl", "/etc/R", "/etc/texmf", "/etc/fonts",
	"/sys/devices/system/cpu", // how many processors there are
}

// Paths that the new root makes itself.
const (
	etcPath  = "/etc"
	tmpPath  = "/tmp"
	devPath  = "/dev"
	procPath = "/proc"
	sysPath  = "/sys"
	runPath  = "/run"

	// WitnessPath is a file that everybody may read by its permissions and
	// that no Landlock rule grants: to be refused there proves Landlock alone.
	WitnessPath = "/.sovrun/witness"
)

// homeSecrets are names beneath a home that hold keys, tokens or what was
// typed. A grant that covers one does not show it; only a grant of that very
// path, or of one beneath it, does.
var homeSecrets = [...]string{
	".ssh", ".gnupg", ".pki", ".password-store", ".local/share/keyrings", ".vault-token",
	".aws", ".azure", ".config/gcloud", ".oci", ".kube", ".terraform.d/credentials.tfrc.json",
	".docker/config.json", ".config/containers/auth.json",
	".netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub",
	".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
	".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties",
	".pgpass", ".my.cnf",
	".claude/.credentials.json", ".config/anthropic", ".codex/auth.json", ".gemini/oauth_creds.json",
	".qwen/oauth_creds.json", ".local/share/opencode/auth.json", ".copilot/config.json",
	".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".python_history",
	".node_repl_history", ".psql_history", ".mysql_history",
	".mozilla", ".config/google-chrome", ".config/chromium",
}

// systemSecrets are the same outside of a home: accounts, keys, and sockets
// behind which an engine or an agent acts for whoever can connect.
var systemSecrets = [...]string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
	"/etc/ssl/private", "/etc/pki/tls/private", "/etc/kubernetes", "/etc/rancher",
	"/run/docker.sock", "/run/containerd", "/run/podman", "/run/crio", "/run/user", "/run/secrets",
	"/run/dbus", "/run/systemd/private",
	"/var/run/docker.sock", "/var/run/secrets", "/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet",
	"/var/spool/cron",
}

// systemDirs cannot be a workspace, whatever name or bind mount leads there.
// The home of the account comes on top.
var systemDirs = [...]string{
	"/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/libx32", "/media", "/mnt",
	"/opt", "/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/usr/bin", "/usr/lib",
	"/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/local", "/usr/local/bin", "/usr/local/lib",
	"/usr/local/sbin", "/usr/sbin", "/usr/share", "/var", "/var/cache", "/var/lib", "/var/log", "/var/run",
	"/var/spool", "/var/tmp", "/run/user",
}

// aliasedDirs are those of systemDirs that are looked up, so that a bind mount
// of one is known by device and inode. For the others the resolved name is
// compared, which costs no system call.
var aliasedDirs = [...]string{"/", "/etc", "/home", "/root", "/var"}

// ProcMaskCandidates are the paths of a fresh /proc that tell about the host
// or act on it. The list is that of the OCI runtimes' defaults (moby
// oci/defaults.go), kallsyms and cmdline, which give away addresses and how the
// host was booted. Every mask is a mount, so files that need a capability
// anyway (kmsg) are not among them, and those that only root can read are where
// the provider keeps uid 0: procfs goes by the owner, and asks for no capability.
func ProcMaskCandidates(keepsRoot bool) []ProcPath {
	all := []ProcPath{
		{Path: "/proc/acpi", Dir: true},
		{Path: "/proc/asound", Dir: true},
		{Path: "/proc/cmdline"},
		{Path: "/proc/interrupts"},
		{Path: "/proc/kallsyms"},
		{Path: "/proc/kcore"},
		{Path: "/proc/keys"},
		{Path: "/proc/latency_stats"},
		{Path: "/proc/sched_debug"},
		{Path: "/proc/scsi", Dir: true},
		{Path: "/proc/timer_list"},
		{Path: "/proc/timer_stats"},
		{Path: "/proc/bus", Dir: true, ReadOnly: true},
		{Path: "/proc/fs", Dir: true, ReadOnly: true},
		{Path: "/proc/irq", Dir: true, ReadOnly: true},
		{Path: "/proc/sys", Dir: true, ReadOnly: true},
		{Path: "/proc/sysrq-trigger", ReadOnly: true},
	}
	if keepsRoot {
		all = append(all, rootsProc()...)
	}
	return all
}

// rootsProc are the files of /proc with mode 0400 or 0600 that speak of the whole
// host: the kernel's memory page by page and slab by slab, the capabilities of its
// helpers; reading stat_refresh makes every processor of the host do something.
// They come after /proc/sys, which is mounted over.
func rootsProc() []ProcPath {
	return []ProcPath{
		{Path: "/proc/kpagecgroup"},
		{Path: "/proc/kpagecount"},
		{Path: "/proc/kpageflags"},
		{Path: "/proc/pagetypeinfo"},
		{Path: "/proc/slabinfo"},
		{Path: "/proc/vmallocinfo"},
		{Path: "/proc/sys/kernel/cad_pid"},
		{Path: "/proc/sys/kernel/usermodehelper", Dir: true},
		{Path: "/proc/sys/vm/mmap_rnd_bits"},
		{Path: "/proc/sys/vm/mmap_rnd_compat_bits"},
		{Path: "/proc/sys/vm/stat_refresh"},
	}
}
