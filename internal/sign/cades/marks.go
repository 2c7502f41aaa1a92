package cades

import "sort"

// marks lead from places in what a file holds, in pieces or in letters, to places in the file. There are so few of them
// that they fit into memory, and so many that reading on from one is quick.
type marks []mark

// mark is a place in the file from which reading can go on, and where that is in what the file holds.
type mark struct{ inside, file int64 }

// step is the distance between marks: 1 GiB has 32 768.
const step = 32 << 10

// note adds a mark if the last one is far enough away, on either side: pieces can be empty, and lines blank.
func (m *marks) note(inside, file int64) {
	if n := len(*m); n > 0 && inside-(*m)[n-1].inside < step && file-(*m)[n-1].file < step {
		return
	}
	*m = append(*m, mark{inside, file})
}

// before is the last mark that is not after a place. The first mark is at 0.
func (m marks) before(inside int64) mark {
	return m[sort.Search(len(m), func(i int) bool { return m[i].inside > inside })-1]
}
