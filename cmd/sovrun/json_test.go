package main

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/sovrun/sovrun/policy"
)

// TestJSONIsTheSameAsTheLibrarys compares after decoding, so that escapes may be
// written in another way.
func TestJSONIsTheSameAsTheLibrarys(t *testing.T) {
	plans := map[string]policy.Plan{
		"empty": {},
		"filled": {
			Command:  policy.Command{Path: "/bin/\x01\"\\\n\t\x7f\u0085é", Argv: []string{"a", "", "\xff"}},
			Mounts:   []policy.Mount{{Kind: policy.MountTmpfs, Target: "/tmp", Size: 1 << 40, Mode: 0o1777}},
			Require:  policy.PlanesOf(policy.Network, policy.IPC),
			Limits:   []policy.Limit{{Resource: policy.FileSize, Value: 1<<64 - 1}},
			Landlock: []policy.FileRule{{Path: "/", Access: policy.Read, Dir: true}},
			Streams:  [3]policy.Stream{{Class: policy.StreamPipe}},
		},
	}
	for name, plan := range plans {
		t.Run(name, func(t *testing.T) {
			want, err := json.Marshal(&plan)
			if err != nil {
				t.Fatal(err)
			}
			var w, g any
			if err := json.Unmarshal(want, &w); err != nil {
				t.Fatal(err)
			}
			got := jsonOf(&plan)
			if err := json.Unmarshal(got, &g); err != nil {
				t.Fatalf("%v in\n%s", err, got)
			}
			if !reflect.DeepEqual(w, g) {
				t.Errorf("got\n%s\nwanted\n%s", got, want)
			}
		})
	}
}
