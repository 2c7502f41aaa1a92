package ledger

import (
	"math"

	"bulksigner/internal/aws/schema"
)

// DynamoDB's rules, as its documentation states them. A write costs a unit for each KiB begun of the item before or after
// it, whichever is larger, and for each row of an index that it makes, changes or removes as much again for the row; a row
// that moves to another key is removed and made. In a transaction the item counts twice; its rows are counted once. A
// conditional write that fails costs what the item that is there does. A read costs a unit for each 4 KiB begun, half of it
// if it is not consistent; a query counts its items together, a batch each one for itself.
//
// What this leaves out: an update's effect on an item's size is taken from the values that it brings along, and on an index
// is not seen; a filter's items are taken to be as large as those that pass; a check of a condition is counted as a write.

// The sizes of units.
const (
	writeUnit = 1 << 10
	readUnit  = 4 << 10
)

// value is an attribute's value in DynamoDB's JSON: its type, and what there is of it.
type value map[string]any

// item is an item's attributes.
type item map[string]value

// size is how large DynamoDB takes an item to be: its names and its values.
func (i item) size() (n int) {
	for name, v := range i {
		n += len(name) + v.size()
	}
	return n
}

const (
	nesting = 3 // of a list or a map
	element = 1 // of one of its elements
)

func (v value) size() (n int) {
	for kind, x := range v {
		n += sizeOf(kind, x)
	}
	return n
}

// sizeOf is the size of one value. A number has about a byte for each two digits, and one more.
func sizeOf(kind string, x any) (n int) {
	switch x := x.(type) {
	case string:
		return textSize(kind, x)
	case []any:
		for _, e := range x {
			n += elementSize(kind, e)
		}
		if kind == "L" {
			n += nesting
		}
		return n
	case map[string]any:
		for name, e := range x {
			n += len(name) + elementSize(kind, e)
		}
		return n + nesting
	}
	return 1 // true, false, null
}

func textSize(kind, x string) int {
	switch kind {
	case "N":
		return len(x)/2 + 1
	case "B":
		return len(x) * 3 / 4
	}
	return len(x)
}

// elementSize is the size of an element of a list, a map or a set.
func elementSize(kind string, e any) int {
	switch e := e.(type) {
	case map[string]any:
		return element + value(e).size()
	case string:
		return textSize(kind[:1], e) // sets are SS, NS and BS
	}
	return element
}

func units(size, unit int) float64 { return math.Ceil(float64(max(size, 1)) / float64(unit)) }

func readUnits(size int, consistent bool) float64 {
	if n := units(size, readUnit); consistent {
		return n
	} else {
		return n / 2
	}
}

// batchUnits are those of a batch of keys. A key without an item costs as much as a small item.
func batchUnits(found []item, keys int, consistent bool) (n float64) {
	for _, i := range found {
		n += readUnits(i.size(), consistent)
	}
	return n + float64(max(0, keys-len(found)))*readUnits(0, consistent)
}

// pageUnits are those of a page of a query. What a filter dropped was read as well.
func pageUnits(r tableRequest, got tableAnswer) float64 {
	size := 0
	for _, i := range got.Items {
		if x := indexNamed(r.IndexName); x >= 0 {
			size += rowOf(schema.Indexes[x], i).size
		} else {
			size += i.size()
		}
	}
	if got.Count > 0 && got.ScannedCount > got.Count {
		size = size * got.ScannedCount / got.Count
	}
	return readUnits(size, r.ConsistentRead)
}

func indexNamed(name string) int {
	for i, x := range schema.Indexes {
		if x.Name == name {
			return i
		}
	}
	return -1
}
