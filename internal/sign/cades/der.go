package cades

import (
	"bytes"
	"slices"
)

// Identifier octets of what a SignedData consists of.
const (
	tagInteger  = 0x02
	tagOctets   = 0x04
	tagOID      = 0x06
	tagSequence = 0x30
	tagSet      = 0x31
	tagChunks   = 0x24 // an octet string in pieces, which BER has and DER has not
	tag0        = 0xA0
	tag1        = 0xA1
	tag2        = 0xA2
	tag3        = 0xA3
)

// Content types as they are encoded. An OBJECT IDENTIFIER has no other form in BER.
const (
	oidData       = "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01"
	oidSignedData = "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02"
	oidTSTInfo    = "\x06\x0B\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x04"
)

// prefix is the beginning of an element: its tag and the length of what follows.
func prefix(tag byte, length int64) []byte {
	if length < 0x80 {
		return []byte{tag, byte(length)}
	}
	var digits []byte
	for n := length; n > 0; n >>= 8 {
		digits = append(digits, byte(n))
	}
	slices.Reverse(digits)
	return append([]byte{tag, 0x80 | byte(len(digits))}, digits...)
}

// wrap is an element with its contents.
func wrap(tag byte, contents []byte) []byte {
	return append(prefix(tag, int64(len(contents))), contents...)
}

// set is a SET OF, in the order of DER.
func set(tag byte, elements [][]byte) []byte {
	sorted := slices.SortedFunc(slices.Values(elements), bytes.Compare)
	return wrap(tag, bytes.Join(sorted, nil))
}
