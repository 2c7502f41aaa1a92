package main

import "bulksigner/internal/local/demo"

// sizes are those of the files, and how many of a hundred have each: letters, contracts, contracts with attachments, scans.
var sizes = []struct{ bytes, of100 int }{{30 << 10, 45}, {120 << 10, 40}, {800 << 10, 12}, {6 << 20, 3}}

// stack is one document of each size.
func stack(seed uint64) (docs [][]byte) {
	for i, s := range sizes {
		docs = append(docs, demo.Paper(s.bytes, seed+uint64(i)))
	}
	return docs
}

// sizeOf picks a size by a number from 0 to 99.
func sizeOf(n int) int {
	for i, s := range sizes {
		if n -= s.of100; n < 0 {
			return i
		}
	}
	return len(sizes) - 1
}
