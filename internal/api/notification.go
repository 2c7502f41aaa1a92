package api

import (
	"bytes"
	"encoding/json"
	"io"

	"bulksigner/internal/job"
)

const (
	// maxNotification is the largest notification that is read, in bytes. Lacuna Signer puts 100 documents into one, of
	// less than a kilobyte each.
	maxNotification = 1 << 20
	// maxNamed is how many of the documents in one notification are looked at.
	maxNamed = 1000
)

// use is what a type of events is good for.
type use int

const (
	useless    use = iota
	mayAwaitUs     // it can make it the holder's turn to sign, in a folder
	endsOurs       // it can end a document that we dispatched
)

// otherType stands in the log for a type of events that is not known.
const otherType = "other"

// uses has all types of events that are known. Types are compared as text: Lacuna Signer has new ones before we do.
var uses = map[string]use{
	"DocumentsCreated": mayAwaitUs, "DocumentSigned": mayAwaitUs, "DocumentApproved": mayAwaitUs,
	"DocumentConcluded": endsOurs, "DocumentRefused": endsOurs, "DocumentCanceled": endsOurs, "DocumentExpired": endsOurs,
	"DocumentDeleted": useless, "DocumentPaused": useless, "DocumentResumed": useless, "InvoiceClosed": useless,
}

// notification is what is read of a body.
type notification struct {
	kind  string // a type of events that is known, or other: what else stands there does not go to the log
	use   use
	named []named
}

// named is a document that a notification names. Ids are GUIDs in lower case.
type named struct {
	document string
	folder   string // where it is said to be; "" if it is in none
}

// readNotification reads a body, or nothing of one that is too large or ends early: neither would come better next time.
func readNotification(r io.Reader) []byte {
	if r == nil {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(r, maxNotification+1))
	if err != nil || len(b) > maxNotification {
		return nil
	}
	return b
}

// parseNotification reads what it can. A body, or a part of one, that is not what it should be names nothing: there is
// nobody to complain to.
func parseNotification(body []byte) notification {
	e := lenient[struct{ Type, Data json.RawMessage }](bytes.TrimPrefix(body, []byte("\ufeff")))
	n := notification{kind: lenient[string](e.Type)}
	var known bool
	if n.use, known = uses[n.kind]; !known {
		n.kind = otherType
	}
	if n.use == useless {
		return n
	}
	documents := []json.RawMessage{e.Data}
	if n.kind == "DocumentsCreated" {
		data := lenient[struct{ Documents json.RawMessage }](e.Data)
		documents = lenient[[]json.RawMessage](data.Documents)
	}
	for _, d := range documents[:min(len(documents), maxNamed)] {
		if found, ok := parseNamed(d); ok {
			n.named = append(n.named, found)
		}
	}
	return n
}

func parseNamed(document json.RawMessage) (n named, ok bool) {
	d := lenient[struct{ ID, Folder json.RawMessage }](document)
	n.document, ok = job.GUID(lenient[string](d.ID))
	folder := lenient[struct{ ID json.RawMessage }](d.Folder)
	n.folder, _ = job.GUID(lenient[string](folder.ID))
	return n, ok
}

// lenient reads JSON as far as its shape goes, and nothing of what has another. What stands inside is read when it is asked
// for, so that a mistake there costs no more than itself.
func lenient[T any](raw json.RawMessage) (v T) {
	if json.Unmarshal(raw, &v) != nil {
		var nothing T
		return nothing
	}
	return v
}
