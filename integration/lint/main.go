// Command lint runs the checks of package source on the repository in the working directory and prints one finding
// a line. It exits 1 when there is any.
//
//	go run ./integration/lint [-binary bin/sovrun]
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/sovrun/sovrun/integration/lint/source"
)

func main() {
	binary := flag.String("binary", "bin/sovrun", "the program whose size counts as binary_bytes")
	flag.Parse()
	measures, findings, err := check(*binary)
	if err != nil {
		fmt.Fprintf(os.Stderr, "lint: %v\n", err)
		os.Exit(1)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	for _, m := range measures {
		fmt.Printf("budget: %s %d\n", m.Name, m.Value)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

func check(binary string) ([]source.Measure, []source.Finding, error) {
	tree, err := source.Load(os.DirFS("."))
	if err != nil {
		return nil, nil, fmt.Errorf("load the tree: %w; start it at the top of the repository", err)
	}
	limits, err := source.Limits(tree)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return nil, nil, fmt.Errorf("measure the program: %w; run make build", err)
	}
	measures := append(source.Measures(tree), source.Measure{Name: "binary_bytes", Value: int(info.Size())})
	findings := source.Static(tree)
	findings = append(findings, source.Budget(measures, limits)...)
	findings = append(findings, source.Changelog(tree, limits)...)
	return measures, findings, nil
}
