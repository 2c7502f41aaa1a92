package typeface

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
)

// assemble writes a font of its tables, which it aligns. It completes the checksum of the whole in the table head.
func assemble(tables map[string][]byte) []byte {
	const adjustmentAt, magic = 8, 0xB1B0AFBA
	clear(tables["head"][adjustmentAt : adjustmentAt+4])
	names := slices.Sorted(maps.Keys(tables))
	out := binary.BigEndian.AppendUint32(nil, 0x00010000)
	out = appendSearch(out, len(names))
	var body []byte
	head := 0
	for _, name := range names {
		t := tables[name]
		at := headerSize + recordSize*len(names) + len(body)
		if name == "head" {
			head = at
		}
		out = append(out, name...)
		for _, n := range []uint32{checksum(t), uint32(at), uint32(len(t))} {
			out = binary.BigEndian.AppendUint32(out, n)
		}
		body = append(append(body, t...), make([]byte, -len(t)&3)...)
	}
	out = append(out, body...)
	binary.BigEndian.PutUint32(out[head+adjustmentAt:], magic-checksum(out))
	return out
}

// appendSearch appends the number of tables, and what helps to search them in halves.
func appendSearch(out []byte, n int) []byte {
	power := bits.Len(uint(n)) - 1
	for _, v := range []int{n, recordSize << power, power, recordSize * (n - 1<<power)} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	return out
}

// checksum is the sum of a table's words; at the end of the table there may be zeros missing.
func checksum(t []byte) (sum uint32) {
	for len(t) >= 4 {
		sum += binary.BigEndian.Uint32(t)
		t = t[4:]
	}
	var last [4]byte
	copy(last[:], t)
	return sum + binary.BigEndian.Uint32(last[:])
}
