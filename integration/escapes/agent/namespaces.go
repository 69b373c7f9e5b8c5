package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func namespaceActs() map[string]act {
	return map[string]act{
		"child_in":       childIn,
		"user_namespace": userNamespace,
		"set_ns":         setNS,
		"pidfd_ns":       pidfdNS,
		"hostname":       hostname,
	}
}

// childIn starts a child by clone(2) or after unshare(2) in new namespaces, the
// second argument's flags. A child that is root of a user namespace has every
// capability in it.
func childIn(a []string) (string, error) {
	cmd := exec.Command(os.Args[0], "ids")
	flags := uintptr(number(a[1]))
	attr := &syscall.SysProcAttr{}
	if a[0] == "clone" {
		attr.Cloneflags = flags
	} else {
		attr.Unshareflags = flags
	}
	cmd.SysProcAttr = attr
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	return "CapEff " + field(out, "CapEff"), nil
}

// userNamespace makes another act as root of a new user and mount namespace.
func userNamespace(a []string) (string, error) {
	one := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
	}
	return inChild(a[0], a[1:], &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: one(os.Getuid()), GidMappings: one(os.Getgid()),
	})
}

// setNS enters the namespace that the path names.
func setNS(a []string) (string, error) {
	fd, err := unix.Open(a[0], unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("open %q: %w", a[0], err)
	}
	defer unix.Close(fd)
	return "", unix.Setns(fd, number(a[1]))
}

// pidfdNS enters namespaces of the process (Linux 5.8, setns(2)).
func pidfdNS(a []string) (string, error) {
	fd, err := unix.PidfdOpen(number(a[0]), 0)
	if err != nil {
		return "", fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(fd)
	return "", unix.Setns(fd, number(a[1]))
}

// hostname sets the name that is set.
func hostname(a []string) (string, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", err
	}
	if a[0] == "domain" {
		return "", unix.Setdomainname(u.Domainname[:len(unix.ByteSliceToString(u.Domainname[:]))])
	}
	return "", unix.Sethostname(u.Nodename[:len(unix.ByteSliceToString(u.Nodename[:]))])
}
