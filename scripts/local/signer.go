package main

import (
	"fmt"
	"mime"
	"path"
	"strings"

	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
	"bulksigner/internal/profile"
)

// remote is the fake Lacuna Signer as the samples use it.
type remote struct{ *local.Signer }

// who are the people that the table of samples names.
var who = map[string]profile.Participant{"holder": local.Holder(), "witness": local.Witness}

// Create has somebody create a document in the folder.
func (r remote) Create(name, fileName string, content []byte, flow []string) error {
	var people []profile.Participant
	for _, word := range flow {
		p, known := who[word]
		if !known {
			return fmt.Errorf("nobody knows who %q is", word)
		}
		people = append(people, p)
	}
	_, err := r.Signer.Create(name, fileName, mediaType(fileName), content, people...)
	return err
}

// mediaType is what Lacuna Signer is told that a file is.
func mediaType(fileName string) string {
	switch ext := strings.ToLower(path.Ext(fileName)); ext {
	case ".xml":
		return "application/xml" // which form of signature it gets depends on this
	default:
		kind, _, _ := strings.Cut(mime.TypeByExtension(ext), ";")
		return kind
	}
}

// Look says what became of a document.
func (r remote) Look(id string) (demo.There, error) {
	state, ok := r.Get(id)
	if !ok {
		return demo.There{}, fmt.Errorf("there is no document %s at Lacuna Signer", id)
	}
	t := demo.There{Status: state.Status, FileName: state.FileName}
	if kind := state.MIME; kind != "application/pdf" && kind != "application/xml" {
		t.FileName += ".p7m" // the content is inside
	}
	for _, a := range state.Actions {
		t.Accepted = append(t.Accepted, a.Accepted)
	}
	return t, nil
}

// Content returns a document's file with all its signatures.
func (r remote) Content(id string) ([]byte, error) { return r.Signer.Content(id) }

// findings are what the fake Lacuna Signer knows when all samples have ended: of signatures by the service's key, and of
// notifications.
func (r remote) findings() []demo.Finding {
	accepted := 0
	for _, id := range r.Documents() {
		state, _ := r.Get(id)
		for _, a := range state.Actions {
			if a.Participant == local.Holder() {
				accepted += a.Accepted
			}
		}
	}
	started, completed := r.Count(lacunatest.Start), r.Count(lacunatest.Complete)
	return []demo.Finding{
		{What: "signatures by the holder's key at Lacuna Signer", Good: started == accepted && completed == accepted,
			Said: fmt.Sprintf("%d started, %d completed, %d accepted", started, completed, accepted)},
		r.notified(),
	}
}

// notified tells how the service took the notifications.
func (r remote) notified() demo.Finding {
	answers := map[int]int{}
	all := r.Deliveries()
	for _, d := range all {
		answers[d.Status]++
	}
	const queued, ignored = 202, 204
	return demo.Finding{What: "notifications of Lacuna Signer", Good: answers[queued] > 0 && answers[queued]+answers[ignored] == len(all),
		Said: fmt.Sprintf("%d sent, %d led to a check, %d called for none", len(all), answers[queued], answers[ignored])}
}
