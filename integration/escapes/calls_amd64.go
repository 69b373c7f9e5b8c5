package escapes

import "golang.org/x/sys/unix"

// foreignWays are doors that only this architecture has.
func foreignWays() []Technique {
	// A machine without the gate answers with a fault, which the agent calls EFAULT.
	enosys := errnos(unix.ENOSYS, unix.EFAULT)
	return []Technique{
		{Row: "S02", Name: "getpid", Says: "make a call by the 32-bit gate", Plane: syscalls, Act: "int80", Args: args("20"), Good: enosys},
		{Row: "S02", Name: "socket", Says: "make a socket by the 32-bit gate", Plane: syscalls, Act: "int80", Args: args("359", "2", "1", "0"), Good: enosys},
		{Row: "S07", Name: "socketcall", Says: "make a socket by the 32-bit multiplexer", Plane: syscalls, Act: "socketcall", Good: enosys},
		{Row: "S17", Name: "modify_ldt", Says: "read its local descriptor table", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_MODIFY_LDT), "0", "&", "4096"), Good: errnos(unix.EPERM)},
		{Row: "S17", Name: "vm86", Says: "enter virtual 8086 mode by the 32-bit gate", Plane: syscalls, Act: "int80", Args: args("166", "1", "0"), Good: enosys},
		{Row: "S01", Name: "iopl", Says: "keep its port privilege", Plane: syscalls, Act: "call", Args: args(nr(unix.SYS_IOPL), "0"), Good: errnos(unix.EPERM), Root: enosys, User: enosys},
	}
}
