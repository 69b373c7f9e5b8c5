// Command link holds everything of package child that is ever linked.
package main

import (
	"os"

	"github.com/sovrun/sovrun/isolation/child"
)

func main() {
	b := child.NewBuilder()
	b.P.Execute = child.Off("nothing")
	l, err := b.P.Begin()
	if err == nil {
		err = l.Continue()
	}
	if err != nil {
		os.Exit(1)
	}
	l.Release()
	if h, err := child.HoldNamespace(0); err == nil {
		h.Release()
	}
	_ = child.Catch(1, nil)
	_, _ = os.Stdout.Write(child.InitImage())
}
