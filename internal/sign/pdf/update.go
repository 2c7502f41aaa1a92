package pdf

import (
	"bytes"
	"cmp"
	"slices"
)

// Update collects the objects of a section to be appended.
type Update struct {
	f       *File
	next    int
	objects []updated
}

type updated struct {
	ref  Ref
	text []byte
}

// Update begins a section.
func (f *File) Update() *Update { return &Update{f: f, next: f.free} }

// New takes a number for a new object.
func (u *Update) New() Ref {
	r := Ref{Num: u.next}
	u.next++
	return r
}

// Put sets the text of an object, new or present.
func (u *Update) Put(ref Ref, text []byte) {
	for i := range u.objects {
		if u.objects[i].ref == ref {
			u.objects[i].text = text
			return
		}
	}
	u.objects = append(u.objects, updated{ref, text})
}

// Edit changes the value of a key where it lives: in an object of its own, which is put into the section, or in the
// dictionary itself. It returns the dictionary as it is afterwards, and whether it is another.
func (u *Update) Edit(d Dict, key string, edit func(Value) (Value, error)) (Dict, bool, error) {
	old, ref, err := u.f.Resolve(d.Get(key))
	if err != nil {
		return d, false, err
	}
	value, err := edit(old)
	if err != nil {
		return d, false, err
	}
	if ref != (Ref{}) && !old.IsNull() {
		u.Put(ref, value)
		return d, false, nil
	}
	d, err = d.With(key, string(value)).Dict()
	return d, true, err
}

// sort orders the objects by number, as both kinds of sections want them.
func (u *Update) sort() {
	slices.SortFunc(u.objects, func(a, b updated) int { return cmp.Compare(a.ref.Num, b.ref.Num) })
}

// endsLine reports whether the last byte of the file ends a line.
func (f *File) endsLine() (bool, error) {
	var last [1]byte
	err := f.src.read(last[:], f.src.size-1)
	return bytes.ContainsAny(last[:], "\r\n"), err
}
