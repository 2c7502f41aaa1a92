// Package guide tells operators what each code means and what to do about it, in English and in Brazilian Portuguese.
//
// It says what is true of a code whenever it occurs: whether a key was asked, whether the input is still there, whether to
// try again. What happened this time stands in an error's detail and in a job's history. The catalogues are read when
// somebody first asks, so that a program that links this package starts no later.
package guide

import (
	_ "embed"
	"fmt"
	"sync"

	"bulksigner/internal/fault"
)

// The languages that there is a catalogue in.
const (
	English    = "en-US"
	Portuguese = "pt-BR"
)

// Entry is what a catalogue says of a code. Both texts are whole sentences, without markup.
type Entry struct {
	Meaning string // what has happened, and what that means for the document
	Remedy  string // what an operator does about it
}

//go:embed catalogue/en-US.txt
var english string

//go:embed catalogue/pt-BR.txt
var portuguese string

// catalogues read themselves, once each.
var catalogues = map[string]func() (map[fault.Code]Entry, error){
	English:    sync.OnceValues(func() (map[fault.Code]Entry, error) { return parse(english) }),
	Portuguese: sync.OnceValues(func() (map[fault.Code]Entry, error) { return parse(portuguese) }),
}

// For returns what the catalogue of a language says of a code. It reports false for a code that no catalogue knows, and for
// any language but English and Portuguese. A catalogue that cannot be read makes it panic: both are part of the program.
func For(code fault.Code, language string) (Entry, bool) {
	read, ok := catalogues[language]
	if !ok {
		return Entry{}, false
	}
	entries, err := read()
	if err != nil {
		panic(fmt.Sprintf("guide: catalogue %s: %v", language, err))
	}
	e, ok := entries[code]
	return e, ok
}
