package policy

import (
	"testing"
)

// mountAt finds the mount on a target.
func mountAt(p Plan, target string) (Mount, bool) {
	for _, m := range p.Mounts {
		if m.Target == target {
			return m, true
		}
	}
	return Mount{}, false
}

func TestDefaultPlanIsComplete(t *testing.T) {
	plan := resolve(t, debian(), Policy{}, ada("cc", "x.c"))
	want := map[string]MountKind{"/usr": MountBind, "/home/ada": MountTmpfs, "/home/ada/proj": MountBind, "/tmp": MountTmpfs,
		"/dev": MountDev, "/proc": MountProc, "/etc/ssl/certs": MountBind}
	for target, kind := range want {
		if m, ok := mountAt(plan, target); !ok || m.Kind != kind {
			t.Errorf("mount at %s: got %v (found: %v), want %v", target, m.Kind, ok, kind)
		}
	}
	if c := plan.Command; c.Path != "/usr/bin/cc" || c.Cwd != "/home/ada/proj" || c.NotFound != "" {
		t.Errorf("command: %+v", c)
	}
}

func BenchmarkResolve(b *testing.B) {
	h := debian()
	f := h.facts(Policy{}, ada("cc", "x.c"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Resolve(Policy{}, f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWanted(b *testing.B) {
	c := ada("cc", "x.c").Caller
	b.ReportAllocs()
	for b.Loop() {
		Wanted(Policy{}, c)
	}
}
