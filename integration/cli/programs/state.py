# Prints what a process inherits or is given, as JSON.
import json, os, resource, sys

status = dict(line.rstrip("\n").split(":", 1) for line in open("/proc/self/status"))


def read(path):
    with open(path, "rb") as f:
        return f.read().decode("ascii", "replace").strip()


state = {
    "arguments": [os.fsencode(a).hex() for a in sys.argv[1:]],
    "name of the program": read("/proc/self/cmdline").split("\0")[0],
    "working directory": os.getcwd(),
    "umask": status["Umask"].strip(),
    "nice value": os.nice(0),
    "scheduling": [os.sched_getscheduler(0), os.sched_getparam(0).sched_priority],
    "processors": sorted(os.sched_getaffinity(0)),
    "OOM score": read("/proc/self/oom_score_adj"),
    "timer slack": read("/proc/self/timerslack_ns"),
    "personality": read("/proc/self/personality"),
    "host name": os.uname().nodename,
    "kernel": os.uname().release,
    "user and group": [os.getresuid(), os.getresgid()],
    "supplementary groups": sorted(os.getgroups()),
    "capabilities": [status[k].strip() for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
    "no_new_privs": status["NoNewPrivs"].strip(),
    "system call filter": status["Seccomp"].strip(),
    "blocked signals": status["SigBlk"].strip(),
    # Only the 31 ordinary ones: 32 to 34 are the C library's own (signal(7)), and
    # what starts the tests may have left them ignored.
    "ignored signals": "%016x" % (int(status["SigIgn"], 16) & 0x7fffffff),
    "open descriptors": sorted(int(n) for n in os.listdir("/proc/self/fd")),
    "terminals": [os.isatty(n) for n in (0, 1, 2)],
    "parent is pid 1": os.getppid() == 1,
    "session of its own": os.getsid(0) in (os.getpid(), os.getppid()),
}
for name in dir(resource):
    if name.startswith("RLIMIT_") and name not in ("RLIMIT_OFILE",):
        state["limit " + name[7:].lower()] = resource.getrlimit(getattr(resource, name))
json.dump(state, sys.stdout)
