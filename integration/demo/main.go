package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is main without the exit.
func run(args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case "act":
			return attempt(args[1:])
		case "victim":
			return beVictim()
		case "work":
			return work(args[1:])
		}
	}
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	binary := flags.String("sovrun", "bin/sovrun", "the sovrun to show")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	// Whatever ends the demo, its directory and its processes go.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := show(ctx, *binary); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		return 1
	}
	return 0
}

// show is the demo.
func show(ctx context.Context, binary string) error {
	began := time.Now()
	p, err := newPlace(ctx, binary)
	if err != nil {
		return err
	}
	defer p.remove()
	for _, part := range []struct {
		title string
		do    func(*place) error
	}{
		{"What holds on this machine", report},
		{"Real work in one sandbox", realWork},
		{"Ten escapes, first outside, then inside", escapes},
	} {
		fmt.Println(p.bold("== " + part.title))
		if err := part.do(p); err != nil {
			return err
		}
		fmt.Println()
	}
	fmt.Printf("All as it should be, in %s.\n", seconds(time.Since(began)))
	return nil
}

// report is sovrun's own, printed as it comes.
func report(p *place) error {
	began := time.Now()
	c := p.command(p.sovrun("explain"))
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	fmt.Println("$ sovrun explain")
	if err := c.Run(); err != nil {
		return fmt.Errorf("sovrun explain: %w: a plane that is required does not hold; the report says why", err)
	}
	fmt.Println(seconds(time.Since(began)))
	return nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
