package main

import (
	"slices"
	"strings"
	"testing"
)

const hostMountinfo = `26 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 26 0:6 / /dev rw,relatime shared:2 - devtmpfs devtmpfs rw
22 26 0:21 / /sys rw,relatime - sysfs sysfs rw
40 26 254:9 /share /srv/my\040data rw - ext4 /dev/vdb rw
`

// The bind of /usr is older than the root that it lies on.
const insideMountinfo = `90 100 254:0 /usr /usr ro,nosuid,nodev,relatime - ext4 /dev/vda rw
91 100 254:9 /share/none /no/such/place rw,nosuid - ext4 /dev/vdb rw
100 50 0:40 / / ro,nosuid - tmpfs tmpfs rw
101 100 0:41 / /dev ro,nosuid - tmpfs tmpfs rw
102 101 0:6 /null /dev/null rw,nosuid - devtmpfs devtmpfs rw
103 101 0:42 / /dev/pts rw - devpts devpts rw
104 100 0:43 / /proc rw - proc proc rw
105 104 0:43 /sys /proc/sys ro - proc proc rw
106 104 0:6 /null /proc/keys rw,nosuid - devtmpfs devtmpfs rw
107 104 0:40 /mask/file /proc/cpuinfo ro - tmpfs tmpfs rw
108 100 0:21 /devices/system/cpu /sys/devices/system/cpu ro - sysfs sysfs rw
109 100 0:40 /made-up /etc/made-up ro - tmpfs tmpfs rw
`

func parsed(t *testing.T, text string) []mount {
	t.Helper()
	all, err := parseMountinfo(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestParseMountinfo(t *testing.T) {
	host := parsed(t, hostMountinfo)
	if got := host[3].point; got != "/srv/my data" {
		t.Errorf("mount point = %q, want the escape undone", got)
	}
	if m := host[1]; m.fstype != "devtmpfs" || m.readOnly || m.parent != 26 {
		t.Errorf("line with an optional field = %+v", m)
	}
	for _, bad := range []string{"", "1 2 0:1 / /\n", "x 2 0:1 / / rw - t s rw\n", "1 2 0:1 / / rw -\n"} {
		if all, err := parseMountinfo(bad); err == nil {
			t.Errorf("parseMountinfo(%q) = %v, want an error", bad, all)
		}
	}
}

func TestHostPath(t *testing.T) {
	host := parsed(t, hostMountinfo)
	for _, c := range []struct {
		dev, root, want string
		ok              bool
	}{
		{"254:0", "/usr", "/usr", true},
		{"254:9", "/share/none", "/srv/my data/none", true},
		{"254:9", "/share", "/srv/my data", true},
		{"254:9", "/shared", "", false},
		{"0:99", "/", "", false},
	} {
		got, ok := hostPath(host, mount{dev: c.dev, root: c.root})
		if got != c.want || ok != c.ok {
			t.Errorf("hostPath(%s %s) = %q, %v, want %q, %v", c.dev, c.root, got, ok, c.want, c.ok)
		}
	}
}

func testLayout(t *testing.T) layout {
	l := layoutOf(parsed(t, insideMountinfo), parsed(t, hostMountinfo), standIns{"/e/file", "/e/dir"})
	l.namespaces, l.workspace = []string{"user", "mnt", "net"}, "/project"
	return l
}

func TestLayoutOf(t *testing.T) {
	l := testLayout(t)
	if want := []string{"/", "/dev"}; !slices.Equal(l.sealed, want) {
		t.Errorf("sealed: %v, want %v", l.sealed, want)
	}
	want := []op{
		{opReadOnly, "/usr", "/usr"},
		{opWritable, "/e/dir", "/no/such/place"}, // the host has nothing to show
		{opTmpfs, "", "/dev"},
		{opNode, "/dev/null", "/dev/null"},
		{opPts, "", "/dev/pts"},
		{opProc, "", "/proc"},
		{opSelf, "", "/proc/sys"},
		{opNode, "/dev/null", "/proc/keys"},
		{opReadOnly, "/e/file", "/proc/cpuinfo"},
		{opReadOnly, "/sys/devices/system/cpu", "/sys/devices/system/cpu"},
		{opReadOnly, "/e/dir", "/etc/made-up"},
	}
	if !slices.Equal(l.ops, want) {
		t.Errorf("ops:\n%v\nwant\n%v", l.ops, want)
	}
}

func TestParentsFirst(t *testing.T) {
	seen := map[int]bool{50: true}
	for _, m := range parentsFirst(parsed(t, insideMountinfo)) {
		if !seen[m.parent] {
			t.Errorf("%s stands before what it lies on", m.point)
		}
		seen[m.id] = true
	}
}

func TestBwrapArgv(t *testing.T) {
	own := map[string]bool{"/dev/null": true, "/dev/pts": true}
	got := strings.Join(bwrapArgv("bwrap", testLayout(t), own, []string{"/project/true"}), " ")
	for _, want := range []string{
		"--unshare-user --unshare-net ", "--ro-bind /usr /usr", "--dev /dev ", "--proc /proc --ro-bind /proc/sys /proc/sys",
		"--dev-bind /dev/null /proc/keys", "--ro-bind /e/file /proc/cpuinfo", "--remount-ro / --remount-ro /dev --chdir /project --seccomp 4 -- /project/true",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("bubblewrap's arguments lack %q: %s", want, got)
		}
	}
	for _, unwanted := range []string{"--unshare-pid", "/dev/null /dev/null", "/dev/pts"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("bubblewrap's arguments hold %q: %s", unwanted, got)
		}
	}
}

func TestFloorArgv(t *testing.T) {
	got := strings.Join(floorArgv("floor", testLayout(t), []string{"marks", "3"}, []string{"/project/true"}), " ")
	for _, want := range []string{
		"floor marks 3 user mount net ", "ro /usr /usr", "tmpfs /dev link /proc/self/fd /dev/fd", "pts /dev/pts", "self /proc/sys",
		"ro /e/file /proc/cpuinfo", "seal / seal /dev cwd /project filter 4 -- /project/true",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the floor's words lack %q: %s", want, got)
		}
	}
}

func TestUnfairComparisonsAreRefused(t *testing.T) {
	three, two := make([]mount, 3), make([]mount, 2)
	if err := noFewer("peer", two, three); err != nil {
		t.Errorf("a peer with more mounts: %v", err)
	}
	if err := noFewer("peer", three, two); err == nil {
		t.Error("a peer with fewer mounts passes")
	}
	if err := noneMissing("peer", []string{"net"}, []string{"user", "net"}); err != nil {
		t.Errorf("a peer with more namespaces: %v", err)
	}
	if err := noneMissing("peer", []string{"user", "net"}, []string{"user"}); err == nil {
		t.Error("a peer without a network namespace passes")
	}
}

func TestMountsAt(t *testing.T) {
	all := []mount{{point: "/a", fstype: "tmpfs"}, {point: "/b", fstype: "proc"}, {point: "/a", fstype: "ext4", readOnly: true}}
	for point, want := range map[string]string{"/a": "tmpfs, then ext4 ro", "/b": "proc", "/c": "-"} {
		if got := mountsAt(all, point); got != want {
			t.Errorf("mountsAt(%q) = %q, want %q", point, got, want)
		}
	}
}
