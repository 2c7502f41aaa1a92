package main

import (
	"fmt"
	"mime"
	"path"
	"strings"

	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
	"bulksigner/internal/profile"
)

// room is the fake Lacuna Signer as the samples use it.
type room struct{ *local.Signer }

// Create has somebody create a document in the folder.
func (r room) Create(name, fileName string, content []byte, flow []string) error {
	var who []profile.Participant
	for _, word := range flow {
		p, known := map[string]profile.Participant{"holder": local.Holder(), "witness": local.Witness}[word]
		if !known {
			return fmt.Errorf("nobody knows who %q is", word)
		}
		who = append(who, p)
	}
	_, err := r.Signer.Create(name, fileName, mediaType(fileName), content, who...)
	return err
}

// mediaType is what Lacuna Signer is told that a file is. Which form of signature it gets depends on that of XML.
func mediaType(fileName string) string {
	if strings.EqualFold(path.Ext(fileName), ".xml") {
		return "application/xml"
	}
	kind, _, _ := strings.Cut(mime.TypeByExtension(path.Ext(fileName)), ";")
	return kind
}

// Look says what became of a document.
func (r room) Look(id string) (demo.There, error) {
	state, ok := r.Get(id)
	if !ok {
		return demo.There{}, fmt.Errorf("there is no document %s at Lacuna Signer", id)
	}
	t := demo.There{Status: state.Status, FileName: state.FileName}
	for _, a := range state.Actions {
		t.Accepted = append(t.Accepted, a.Accepted)
	}
	return t, nil
}

// Content returns a document's file with all its signatures.
func (r room) Content(id string) ([]byte, error) { return r.Signer.Content(id) }
