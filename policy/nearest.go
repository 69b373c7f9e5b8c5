package policy

// suggestion is the tail of a message about an unknown word: the nearest known
// one, if there is one near enough.
func suggestion(word string, known []string) string {
	best, least := "", len(word)/2+2
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// longest bounds the work of distance: no known word is as long.
const longest = 64

// distance is the Levenshtein distance of two words, in bytes.
func distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var row [longest + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
