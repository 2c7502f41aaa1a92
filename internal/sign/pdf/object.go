package pdf

import (
	"bytes"
)

// object is an indirect object as the file has it.
type object struct {
	ref   Ref
	value Value
	data  int64 // where the data of a stream begins, 0 if it is none
}

// Resolve follows references to a value. It returns the reference of the object that holds the value, none if the value
// was direct. What is not there is null, as the standard asks.
func (f *File) Resolve(v Value) (Value, Ref, error) {
	var at Ref
	for range maxNested {
		ref, ok := v.Ref()
		if !ok {
			return v, at, nil
		}
		o, err := f.object(ref)
		if err != nil {
			return nil, Ref{}, err
		}
		v, at = o.value, ref
	}
	return nil, Ref{}, malformed("references lead to each other in a circle")
}

// Dict resolves a value that is a dictionary if it is there at all.
func (f *File) Dict(v Value) (Dict, Ref, error) {
	v, ref, err := f.Resolve(v)
	if err != nil || v.IsNull() {
		return Dict{}, ref, err
	}
	d, err := v.Dict()
	return d, ref, err
}

// Int resolves a value that is an integer, or returns the one that stands for it when it is missing.
func (f *File) Int(v Value, missing int64) (int64, error) {
	v, _, err := f.Resolve(v)
	if err != nil {
		return 0, err
	}
	if n, ok := v.Int(); ok {
		return n, nil
	}
	return missing, nil
}

// Name resolves a value that is a name.
func (f *File) Name(v Value) (string, error) {
	v, _, err := f.Resolve(v)
	return v.Name(), err
}

// object finds and reads an object. An object that is not there has no value.
func (f *File) object(ref Ref) (object, error) {
	if f.nested++; f.nested > maxNested {
		return object{}, malformed("streams need each other to be read")
	}
	defer func() { f.nested-- }()
	p, err := f.find(ref.Num)
	if err != nil {
		return object{}, err
	}
	switch {
	case p.kind == isPlain && p.second == ref.Gen:
		o, err := f.objectAt(p.at)
		if err == nil && o.ref != ref {
			err = malformed("the cross-reference table does not lead to object %d", ref.Num)
		}
		return o, err
	case p.kind == isPacked && ref.Gen == 0:
		v, err := f.packed(ref.Num, p)
		return object{ref: ref, value: v}, err
	}
	return object{ref: ref}, nil
}

// objectAt reads the object at an offset.
func (f *File) objectAt(at int64) (object, error) {
	var o object
	err := f.scan(at, func(s *scanner) error {
		num, err := s.integer()
		if err != nil {
			return err
		}
		gen, err := s.integer()
		if err != nil {
			return err
		}
		if err := s.word("obj"); err != nil {
			return err
		}
		v, err := s.value()
		if err != nil {
			return err
		}
		o = object{ref: Ref{int(min(num, maxObjects+1)), int(min(gen, 1<<16))}, value: bytes.Clone(v)}
		if bytes.HasPrefix(v, []byte("<<")) {
			o.data, err = s.streamData(at)
		}
		return err
	})
	return o, err
}

// streamData returns where the data of a stream begins, or 0 if the dictionary before is no stream's. at is where the
// scanner's text begins.
func (s *scanner) streamData(at int64) (int64, error) {
	_, tok, err := s.token()
	if err != nil || string(tok) != "stream" {
		return 0, err
	}
	if len(s.text)-s.pos < 2 && !s.whole {
		return 0, errMore
	}
	for _, eol := range []string{"\r\n", "\n", "\r"} {
		if bytes.HasPrefix(s.text[s.pos:], []byte(eol)) {
			return at + int64(s.pos+len(eol)), nil
		}
	}
	return 0, malformed("a stream does not begin on a new line")
}
