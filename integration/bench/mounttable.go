package main

import (
	"fmt"
	"slices"
	"strconv"
)

// mountTable puts the mounts that each launcher shows inside next to each other.
func mountTable(l *lab) table {
	launchers := []string{nameSovrun, nameBwrap, nameFloor}
	t := table{
		title: "Mounts inside, by " + l.who,
		notes: []string{"From `/proc/self/mountinfo` inside. Each has namespaces of its own for: " + fmt.Sprint(l.layout.namespaces) + "."},
		head:  append([]string{"mount point"}, launchers...),
		page:  true,
	}
	for _, point := range points(l, launchers) {
		row := []string{point}
		for _, name := range launchers {
			row = append(row, mountsAt(l.seen[name], point))
		}
		t.rows = append(t.rows, row)
	}
	count := []string{"all"}
	for _, name := range launchers {
		count = append(count, strconv.Itoa(len(l.seen[name])))
	}
	t.rows = append(t.rows, count)
	return t
}

func points(l *lab, launchers []string) []string {
	var all []string
	for _, name := range launchers {
		for _, m := range l.seen[name] {
			if !slices.Contains(all, m.point) {
				all = append(all, m.point)
			}
		}
	}
	slices.Sort(all)
	return all
}

// mountsAt describes what lies on point, the lowest first.
func mountsAt(mounts []mount, point string) string {
	text := ""
	for _, m := range mounts {
		if m.point != point {
			continue
		}
		if text != "" {
			text += ", then "
		}
		text += m.fstype
		if m.readOnly {
			text += " ro"
		}
	}
	if text == "" {
		return "-"
	}
	return text
}
