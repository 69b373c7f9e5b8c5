// Command landlocked runs a program under Landlock alone, with the rules that the
// comparison gives landrun (github.com/Zouuup/landrun, which builds on the same
// library): programs and libraries read and executed, the workspace and /dev/null
// written, TCP refused, as much of that as the kernel has.
//
//	landlocked WORKSPACE CMD...
package main

import (
	"fmt"
	"os"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: landlocked WORKSPACE CMD...")
		os.Exit(2)
	}
	err := landlock.V7.BestEffort().Restrict(
		landlock.RODirs("/usr", "/bin", "/lib", "/lib64").IgnoreIfMissing(),
		landlock.RWDirs(os.Args[1]).WithRefer(),
		landlock.RWFiles("/dev/null"),
	)
	if err == nil {
		err = syscall.Exec(os.Args[2], os.Args[2:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "landlocked:", err)
	os.Exit(1)
}
