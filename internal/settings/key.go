package settings

import (
	"regexp"
	"strconv"
	"strings"
)

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + ":" + key
}

func index(key string, i int) string { return key + "[" + strconv.Itoa(i) + "]" }

var (
	plain   = regexp.MustCompile(`^[a-zA-Z0-9_.$-]{1,64}$`)
	indexes = regexp.MustCompile(`\[[0-9]+\]`)
)

// shown makes a name from outside fit for one line of a log.
func shown(name string) string {
	if plain.MatchString(name) {
		return name
	}
	if r := []rune(name); len(r) > 64 {
		name = string(r[:64])
	}
	return strconv.QuoteToASCII(name)
}

// nearest returns the known name that differs from name by at most two letters, case aside, and by less than half.
func nearest(name string, known []string) (string, bool) {
	best, at := 3, ""
	if len(name) > 64 {
		return "", false
	}
	for _, k := range known {
		if d := distance(foldKey(name), foldKey(k)); d < best && 2*d < len(k) {
			best, at = d, k
		}
	}
	return at, at != ""
}

// distance counts the letters to insert, remove or replace between a and b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// withoutIndexes makes one key of a list's entries: Storage:Inputs[3]:Path is Storage:Inputs[]:Path.
func withoutIndexes(key string) string { return indexes.ReplaceAllString(key, "[]") }

// cutPrefixFold is strings.CutPrefix with the prefix in any case.
func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
