package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is what /proc/PID/status tells of one process.
type process struct {
	pid, parent     int
	peakKiB, rssKiB int64 // VmHWM, VmRSS
}

// memory reports the peak that wait4 tells for a launch, and what a launcher
// holds while its program runs.
func (r *report) memory(l *lab, peaks []repeated) {
	const what = "peak memory of a launch"
	if len(peaks) == 0 {
		r.invalid(what, l.who, fmt.Errorf("no launch was measured"))
		return
	}
	t := table{
		title: "Memory, by " + l.who,
		notes: []string{"KiB. Judged is the larger of the first two columns. The peak is the largest ru_maxrss that wait4 told for any launch of the first table: of the launcher and of everything it waited for. The other columns are of a sandbox in which `cat` waits for input: the launcher's own high-water mark, the sum of resident memory over its processes without `cat` (pages that they share count each time), and how many they are."},
		head:  []string{"launcher", "peak", "launcher's VmHWM", "resident while running", "processes"},
	}
	for _, p := range peaks {
		row := []string{p.name, strconv.FormatInt(p.peak, 10), "-", "-", "-"}
		if p.name != nameBare {
			held, err := l.resident(p.name)
			if err != nil {
				r.invalid(what, l.who, err)
				return
			}
			copy(row[2:], held.row())
			if p.name == nameSovrun {
				r.checks = append(r.checks, memoryCheck(what, l.who, max(p.peak, held.peakKiB)))
			}
		}
		t.rows = append(t.rows, row)
	}
	r.tables = append(r.tables, t)
}

// memoryCheck takes no memory at all for a failed measurement: the kernel may
// still hold a small process's pages in a counter of one processor.
func memoryCheck(what, who string, kib int64) check {
	c := check{what: what, who: who, got: float64(kib), budget: memoryBudget, unit: "KiB"}
	if kib == 0 {
		c.invalid = fmt.Errorf("neither wait4 nor VmHWM told any memory")
	}
	return c
}

// held is what a launcher holds while its program runs.
type held struct {
	peakKiB, residentKiB int64
	processes            int
}

func (h held) row() []string {
	return []string{strconv.FormatInt(h.peakKiB, 10), strconv.FormatInt(h.residentKiB, 10), strconv.Itoa(h.processes)}
}

// resident runs cat under the launcher, waits until it answers, and reads its
// processes' memory.
func (l *lab) resident(name string) (held, error) {
	ctx, cancel := context.WithTimeout(l.ctx, singleLimit)
	defer cancel()
	cmd, err := l.command(ctx, l.launcher(name, "/usr/bin/cat").argv)
	if err != nil {
		return held{}, err
	}
	defer closeAll(cmd.ExtraFiles)
	in, err := cmd.StdinPipe()
	if err != nil {
		return held{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return held{}, err
	}
	if err := cmd.Start(); err != nil {
		return held{}, fmt.Errorf("run cat under %s: %w", name, err)
	}
	h, err := residentOf(cmd.Process.Pid, in, out)
	in.Close()
	if waitErr := cmd.Wait(); err == nil && waitErr != nil {
		err = fmt.Errorf("run cat under %s: %w", name, waitErr)
	}
	return h, err
}

func residentOf(launcher int, in io.Writer, out io.Reader) (held, error) {
	if _, err := fmt.Fprintln(in, "ready"); err != nil {
		return held{}, err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return held{}, fmt.Errorf("wait for cat's answer: %w", err)
	}
	all, err := processes()
	if err != nil {
		return held{}, err
	}
	tree := descendants(launcher, all)
	h := held{peakKiB: tree[0].peakKiB, processes: len(tree) - 1}
	for _, p := range tree[:h.processes] { // the last one is cat
		h.residentKiB += p.rssKiB
	}
	return h, nil
}

// descendants returns the process root and those below it, parents first.
func descendants(root int, all map[int]process) []process {
	tree := []process{all[root]}
	for i := 0; i < len(tree); i++ {
		for _, p := range all {
			if p.parent == tree[i].pid && p.pid != root {
				tree = append(tree, p)
			}
		}
	}
	return tree
}

func processes() (map[int]process, error) {
	files, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return nil, err
	}
	all := map[int]process{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it ended meanwhile
		}
		p := parseStatus(string(text))
		all[p.pid] = p
	}
	return all, nil
}

func parseStatus(text string) process {
	var p process
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		number, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			continue // a field of another kind
		}
		switch key {
		case "Pid":
			p.pid = int(n)
		case "PPid":
			p.parent = int(n)
		case "VmHWM":
			p.peakKiB = n
		case "VmRSS":
			p.rssKiB = n
		}
	}
	return p
}
