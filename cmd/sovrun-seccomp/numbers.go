//go:build cgo

package main

// number is a call's number by architecture; an architecture that is missing
// has no such call.
type number map[string]int32

func both(n int32) number { return number{"amd64": n, "arm64": n} }

// lateNumbers lists the calls that libseccomp 2.5.4 (Debian 12) cannot resolve,
// up to Linux 7.0. Any other name that the library does not know is an error.
// Source: arch/x86/entry/syscalls/syscall_64.tbl and scripts/syscall.tbl of the
// kernel; compared with golang.org/x/sys/unix by a test.
var lateNumbers = map[string]number{
	"uretprobe":         {"amd64": 335}, // 6.11
	"uprobe":            {"amd64": 336}, // 6.18
	"riscv_hwprobe":     {},             // 6.4, in container engines' profiles
	"statmount":         both(457),      // 6.8
	"listmount":         both(458),      // 6.8
	"lsm_get_self_attr": both(459),      // 6.8
	"lsm_set_self_attr": both(460),      // 6.8
	"lsm_list_modules":  both(461),      // 6.8
	"mseal":             both(462),      // 6.10
	"setxattrat":        both(463),      // 6.13
	"getxattrat":        both(464),      // 6.13
	"listxattrat":       both(465),      // 6.13
	"removexattrat":     both(466),      // 6.13
	"open_tree_attr":    both(467),      // 6.15
	"file_getattr":      both(468),      // 6.17
	"file_setattr":      both(469),      // 6.17
	"listns":            both(470),      // 6.19
	"rseq_slice_yield":  both(471),      // 7.0
}
