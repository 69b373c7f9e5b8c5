package probes

import (
	"strconv"
	"syscall"
)

// Short forms for the tables.
const (
	ePERM           = int16(syscall.EPERM)
	eNOENT          = int16(syscall.ENOENT)
	eSRCH           = int16(syscall.ESRCH)
	eBADF           = int16(syscall.EBADF)
	eAGAIN          = int16(syscall.EAGAIN)
	eACCES          = int16(syscall.EACCES)
	eFAULT          = int16(syscall.EFAULT)
	eNXIO           = int16(syscall.ENXIO)
	eINVAL          = int16(syscall.EINVAL)
	eNOTTY          = int16(syscall.ENOTTY)
	eFBIG           = int16(syscall.EFBIG)
	eNOSPC          = int16(syscall.ENOSPC)
	eROFS           = int16(syscall.EROFS)
	eNOSYS          = int16(syscall.ENOSYS)
	eNODATA         = int16(syscall.ENODATA)
	e2BIG           = int16(syscall.E2BIG)
	eADDRINUSE      = int16(syscall.EADDRINUSE)
	eNETUNREACH     = int16(syscall.ENETUNREACH)
	eCONNREFUSED    = int16(syscall.ECONNREFUSED)
	eSTALE          = int16(syscall.ESTALE)
	eNOKEY          = int16(syscall.ENOKEY)
	eOPNOTSUPP      = int16(syscall.EOPNOTSUPP)
	eAFNOSUPPORT    = int16(syscall.EAFNOSUPPORT)
	ePROTONOSUPPORT = int16(syscall.EPROTONOSUPPORT)
	eSOCKTNOSUPPORT = int16(syscall.ESOCKTNOSUPPORT)
)

// errnoNames are the names of errno(3) that acts and controls come back with.
var errnoNames = [...]string{
	syscall.EPERM:           "EPERM",
	syscall.ENOENT:          "ENOENT",
	syscall.ENOEXEC:         "ENOEXEC",
	syscall.ESRCH:           "ESRCH",
	syscall.EBADF:           "EBADF",
	syscall.EAGAIN:          "EAGAIN",
	syscall.EACCES:          "EACCES",
	syscall.EFAULT:          "EFAULT",
	syscall.ENXIO:           "ENXIO",
	syscall.EINVAL:          "EINVAL",
	syscall.ENOTTY:          "ENOTTY",
	syscall.EFBIG:           "EFBIG",
	syscall.ENOSPC:          "ENOSPC",
	syscall.EROFS:           "EROFS",
	syscall.ENOSYS:          "ENOSYS",
	syscall.ENODATA:         "ENODATA",
	syscall.E2BIG:           "E2BIG",
	syscall.EADDRINUSE:      "EADDRINUSE",
	syscall.ENETUNREACH:     "ENETUNREACH",
	syscall.ECONNREFUSED:    "ECONNREFUSED",
	syscall.ESTALE:          "ESTALE",
	syscall.ENOKEY:          "ENOKEY",
	syscall.EOPNOTSUPP:      "EOPNOTSUPP",
	syscall.EAFNOSUPPORT:    "EAFNOSUPPORT",
	syscall.EPROTONOSUPPORT: "EPROTONOSUPPORT",
	syscall.ESOCKTNOSUPPORT: "ESOCKTNOSUPPORT",
	syscall.EINTR:           "EINTR",
	syscall.EIO:             "EIO",
	syscall.ENOMEM:          "ENOMEM",
	syscall.EBUSY:           "EBUSY",
	syscall.EEXIST:          "EEXIST",
	syscall.EXDEV:           "EXDEV",
	syscall.ENODEV:          "ENODEV",
	syscall.ENOTDIR:         "ENOTDIR",
	syscall.EISDIR:          "EISDIR",
	syscall.ENFILE:          "ENFILE",
	syscall.EMFILE:          "EMFILE",
	syscall.ETXTBSY:         "ETXTBSY",
	syscall.EPIPE:           "EPIPE",
	syscall.ERANGE:          "ERANGE",
	syscall.ENAMETOOLONG:    "ENAMETOOLONG",
	syscall.ELOOP:           "ELOOP",
	syscall.EUSERS:          "EUSERS",
	syscall.EPROTO:          "EPROTO",
	syscall.EOVERFLOW:       "EOVERFLOW",
	syscall.EADDRNOTAVAIL:   "EADDRNOTAVAIL",
	syscall.EHOSTUNREACH:    "EHOSTUNREACH",
	syscall.ENETDOWN:        "ENETDOWN",
	syscall.ETIMEDOUT:       "ETIMEDOUT",
	syscall.EINPROGRESS:     "EINPROGRESS",
	syscall.ENOTCONN:        "ENOTCONN",
	syscall.EISCONN:         "EISCONN",
	syscall.ECONNRESET:      "ECONNRESET",
	syscall.ENOBUFS:         "ENOBUFS",
	syscall.EDQUOT:          "EDQUOT",
}

// ErrnoName is the symbol of an error number, "" for 0, "errno N" for one that
// no act is known to meet.
func ErrnoName(e int16) string {
	if e >= 0 && int(e) < len(errnoNames) && (e == 0 || errnoNames[e] != "") {
		return errnoNames[e]
	}
	return "errno " + strconv.Itoa(int(e))
}
