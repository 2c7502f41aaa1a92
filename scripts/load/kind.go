package main

import (
	"fmt"
	"slices"
	"strings"
)

// kind is something that is done to the service.
type kind string

// The kinds.
const (
	files         kind = "files"         // PDFs that the service's own keys sign
	uploads       kind = "uploads"       // the same, handed in through the REST API
	dispatches    kind = "dispatches"    // PDFs that are sent to a person at Lacuna Signer
	documents     kind = "documents"     // documents that wait in a folder at Lacuna Signer for the service's key
	notifications kind = "notifications" // extra ones, beside those that Lacuna Signer sends of its own accord
	reads         kind = "reads"         // of the REST API
)

// shares are how many of twenty things are of a kind, where all are done.
var shares = []struct {
	kind
	of20 float64
}{{files, 4}, {uploads, 1}, {dispatches, 2}, {documents, 2}, {notifications, 7}, {reads, 4}}

func allKinds() (all []kind) {
	for _, s := range shares {
		all = append(all, s.kind)
	}
	return all
}

func names(kinds []kind) (out []string) {
	for _, k := range kinds {
		out = append(out, string(k))
	}
	return out
}

// kindsOf reads a list of kinds.
func kindsOf(list string) ([]kind, error) {
	if list == "" {
		return allKinds(), nil
	}
	var out []kind
	for word := range strings.SplitSeq(list, ",") {
		k := kind(strings.TrimSpace(word))
		if !slices.Contains(allKinds(), k) || slices.Contains(out, k) {
			return nil, fmt.Errorf("-kind: %q is none of %s, or stands there twice", k, strings.Join(names(allKinds()), ", "))
		}
		out = append(out, k)
	}
	return out, nil
}

// rates divides a rate among kinds by their shares.
func rates(kinds []kind, total float64) map[kind]float64 {
	whole := 0.0
	for _, s := range shares {
		if slices.Contains(kinds, s.kind) {
			whole += s.of20
		}
	}
	out := map[kind]float64{}
	for _, s := range shares {
		if slices.Contains(kinds, s.kind) {
			out[s.kind] = total * s.of20 / whole
		}
	}
	return out
}
