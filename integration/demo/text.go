package main

import "os"

// colored follows no-color.org.
func colored() bool {
	if term := os.Getenv("TERM"); os.Getenv("NO_COLOR") != "" || term == "" || term == "dumb" {
		return false
	}
	st, err := os.Stdout.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// Select Graphic Rendition, ECMA-48 8.3.117.
const (
	sgrBold  = "\x1b[1m"
	sgrGreen = "\x1b[32m"
	sgrRed   = "\x1b[31m"
	sgrReset = "\x1b[0m"
)

func (p *place) styled(sgr, text string) string {
	if !p.color {
		return text
	}
	return sgr + text + sgrReset
}

func (p *place) bold(text string) string  { return p.styled(sgrBold, text) }
func (p *place) green(text string) string { return p.styled(sgrGreen, text) }
func (p *place) red(text string) string   { return p.styled(sgrRed, text) }
