package ledger

import (
	"encoding/json"

	"bulksigner/internal/aws/schema"
)

// maxShadow bounds how many items are remembered. An item beyond is taken for a new one at each write.
const maxShadow = 1 << 18

// shadow is what is remembered of the items that were written: what a write costs depends on what was there.
type shadow map[string]stored

// stored is an item as far as it decides what its next write costs. The zero value is an item that is not there.
type stored struct {
	size int
	rows [2]row // by schema.Indexes
}

// row is an item's row in an index. The zero value is a row that is not there.
type row struct {
	key, projected string
	size           int
}

// write returns the units of one write and remembers what it left. times is 2 in a transaction.
func (l *Ledger) write(op string, r tableRequest, times float64, landed bool) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := keyOf(r)
	before := l.stored[key]
	if !landed || op == "ConditionCheckItem" {
		return times * units(before.size, writeUnit)
	}
	var after stored
	switch op {
	case "PutItem":
		after = describe(r.Item)
	case "UpdateItem":
		after = before
		after.size = max(before.size, r.Key.size()+r.ExpressionAttributeValues.size())
	}
	l.remember(key, after)
	n := times * units(max(before.size, after.size), writeUnit)
	for i := range after.rows {
		n += moved(before.rows[i], after.rows[i])
	}
	return n
}

func (l *Ledger) remember(key string, s stored) {
	if s == (stored{}) {
		delete(l.stored, key)
		return
	}
	if _, known := l.stored[key]; known || len(l.stored) < maxShadow {
		l.stored[key] = s
	}
}

// moved are the units of a change of a row.
func moved(before, after row) float64 {
	switch {
	case before == after:
		return 0
	case before == row{}:
		return units(after.size, writeUnit)
	case after == row{}:
		return units(before.size, writeUnit)
	case before.key != after.key:
		return units(before.size, writeUnit) + units(after.size, writeUnit)
	}
	return units(max(before.size, after.size), writeUnit)
}

func describe(i item) stored {
	s := stored{size: i.size()}
	for n, x := range schema.Indexes {
		s.rows[n] = rowOf(x, i)
	}
	return s
}

// rowOf is the row of an item in an index: its keys, those of the index, and what it projects. An item without the index's
// keys has none.
func rowOf(x schema.Index, i item) row {
	if i[x.PK] == nil || i[x.SK] == nil {
		return row{}
	}
	r := row{key: text(i[x.PK]) + "\x00" + text(i[x.SK])}
	for _, name := range append([]string{schema.PK, schema.SK, x.PK, x.SK}, x.Projected...) {
		if v, ok := i[name]; ok {
			r.size += len(name) + v.size()
			r.projected += text(v) + "\x00"
		}
	}
	return r
}

// keyOf names the item of a write. A put has its key inside the item.
func keyOf(r tableRequest) string {
	key := r.Key
	if key == nil {
		key = r.Item
	}
	return r.TableName + "\x00" + text(key[schema.PK]) + "\x00" + text(key[schema.SK])
}

// text is a value to compare.
func text(v value) string {
	if s, ok := v["S"].(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "" // what was decoded can be encoded
	}
	return string(b)
}
