//go:build !amd64 && !arm64

package filters

const defaultBPF, debugBPF, nestedBPF = "", "", ""
