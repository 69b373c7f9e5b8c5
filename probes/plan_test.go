package probes

import (
	"testing"

	"github.com/sovrun/sovrun/isolation"
	"github.com/sovrun/sovrun/isolation/child"
	"github.com/sovrun/sovrun/policy"
)

// syntheticPlan is a plan with one of every kind of rule that acts derive from.
func syntheticPlan() policy.Plan {
	return policy.Plan{
		Identity: policy.Identity{UID: 1000, GID: 1000},
		Mounts: []policy.Mount{
			{Kind: policy.MountProc, Target: "/proc", Masks: []policy.ProcPath{
				{Path: "/proc/kallsyms"}, {Path: "/proc/keys"}, {Path: "/proc/sys", Dir: true, ReadOnly: true},
			}},
			{Kind: policy.MountDev, Target: "/dev"},
			{Kind: policy.MountTmpfs, Target: "/tmp", Access: policy.Write},
			{Kind: policy.MountBind, Target: "/usr", Source: "/usr", Access: policy.Exec},
			{Kind: policy.MountBind, Target: "/etc/hosts", Source: "/srv/hosts", Access: policy.Read},
			{Kind: policy.MountBind, Target: "/srv/project", Source: "/srv/project", Access: policy.Write},
			{Kind: policy.MountMask, Target: "/srv/project/.env", Access: policy.Hide},
			{Kind: policy.MountTmpfs, Target: "/srv/project/secret", Access: policy.Hide},
		},
		Landlock:   []policy.FileRule{{Path: "/usr", Access: policy.Exec}},
		Namespaces: policy.Namespaces{User: true, Mount: true, PID: true, Net: true, IPC: true, UTS: true, Cgroup: true},
		Filter:     "default",
		Limits: []policy.Limit{
			{Resource: policy.MaxProcesses, Value: 512}, {Resource: policy.OpenFiles, Value: 4096}, {Resource: policy.FileSize, Value: 1 << 30},
		},
		Env:       []string{"PATH=/usr/bin", "SOVRUN=1"},
		Dropped:   []string{"SECRET", "PATH"},
		Require:   policy.PlanesOf(policy.Filesystem, policy.Syscalls),
		Degraded:  policy.PlanesOf(policy.Network),
		Workspace: "/srv/project",
	}
}

// syntheticTargets are what a launcher could hold open.
func syntheticTargets() isolation.Targets {
	return isolation.Targets{
		Canary: "/tmp/.sovrun-1f/canary", TCP: 4001, UDP: 4002, Abstract: "\x000001f", Thread: 4242,
		LowFD: 7, HighFD: 1024, DirFD: 6,
		Env: []string{"PATH=/bin", "SECRET=1", "SOVRUN_CANARY_1f=1"}, EnvCanary: "SOVRUN_CANARY_1f=",
	}
}

// variant is a plan that calls for other acts than the ordinary one.
type variant struct {
	name   string
	change func(*policy.Plan, *isolation.Targets)
}

func variants() []variant {
	return []variant{
		{"user", func(*policy.Plan, *isolation.Targets) {}},
		{"root", func(p *policy.Plan, _ *isolation.Targets) {
			p.Identity = policy.Identity{KeepsRoot: true}
			p.Limits = p.Limits[1:]
		}},
		{"handed over", func(p *policy.Plan, _ *isolation.Targets) { p.Identity.Changed = true }},
		{"debug", func(p *policy.Plan, _ *isolation.Targets) { p.Filter = debugProfile }},
		{"nested", func(p *policy.Plan, _ *isolation.Targets) { p.Filter, p.Landlock = nestedProfile, nil }},
		{"network of the host", func(p *policy.Plan, _ *isolation.Targets) {
			p.Network, p.Namespaces.Net = policy.NetworkHost, false
		}},
		{"small container", func(_ *policy.Plan, t *isolation.Targets) { t.Thread, t.HighFD = 3, -1 }},
		{"no limits", func(p *policy.Plan, _ *isolation.Targets) { p.Limits = nil }},
		{"processes of root", func(p *policy.Plan, _ *isolation.Targets) { p.Identity = policy.Identity{KeepsRoot: true} }},
	}
}

// built is a program with its acts.
type built struct {
	plan    policy.Plan
	cat     *Catalogue
	program *child.Program
}

func build(t *testing.T, v variant) built {
	t.Helper()
	plan, targets := syntheticPlan(), syntheticTargets()
	v.change(&plan, &targets)
	b := child.NewBuilder()
	cat := Acts(b, &plan, &targets)
	cat.Facts = &policy.Facts{Kernel: "6.18.0", Landlock: 7}
	return built{plan, cat, b.P}
}

func ordinary(t *testing.T) built { return build(t, variants()[0]) }
