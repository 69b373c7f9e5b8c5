package main

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// TestCompare makes the page. What was observed with the other sandboxes before must be
// seen again, but for what another version of theirs or of the kernel changes.
func TestCompare(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("half of the columns are root's; the same test as root")
	}
	t.Chdir("../..")
	page, err := compare()
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(\d+) are the same here and (\d+) are not`).FindSubmatch(page)
	if m == nil {
		t.Fatalf("no count in\n%s", page)
	}
	same, _ := strconv.Atoi(string(m[1]))
	other, _ := strconv.Atoi(string(m[2]))
	if rows := len(readReference()); same+other != 5*rows || other > rows/2 {
		t.Errorf("%d results are those observed before, %d are not, of %d rows of five\n%s", same, other, rows, page)
	}
	if n := bytes.Count(page, []byte("findmnt (util-linux)")); n != 2 {
		t.Errorf("%d columns were looked at by others, wanted 2", n)
	}
}
