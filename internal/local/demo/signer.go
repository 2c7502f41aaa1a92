package demo

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// soon is how quickly a notification leads to a job. The next sweep is a minute away.
const soon = 20 * time.Second

// thereFolder is where the files are kept that are signed at Lacuna Signer and stay there.
const thereFolder = "lacuna-signer"

// Signer is Lacuna Signer, as somebody sees it who looks at it.
type Signer interface {
	// Create has somebody create a document in the folder that the service signs in. Who is to sign it stands in flow.
	Create(name, fileName string, content []byte, flow []string) error
	// Look says what became of a document.
	Look(id string) (There, error)
	// Content returns a document's file with all its signatures.
	Content(id string) ([]byte, error)
}

// There is a document at Lacuna Signer.
type There struct {
	Status   string
	FileName string // of Content
	Accepted []int  // how many signatures were accepted, for each that the document needs
}

// again is what nobody may find: a signature that was accepted twice.
func (t There) again() bool { return slices.Max(append(t.Accepted, 0)) > 1 }

// open reports whether something may still become of the document.
func (t There) open() bool { return t.Status == "Pending" || t.Status == "FlowConcluded" }

func (t There) String() string {
	n := 0
	for _, a := range t.Accepted {
		n += a
	}
	return fmt.Sprintf("%s at Lacuna Signer, %d of %d signatures", t.Status, n, len(t.Accepted))
}

// expectsThere reports whether a document is as it should be: none of its signatures accepted twice, and each once if it is
// to be concluded.
func (s Sample) expectsThere(t There) bool {
	unsigned := slices.Contains(t.Accepted, 0)
	return t.Status == s.There && !t.again() && !(s.There == "Concluded" && unsigned)
}

// CreateSilent creates the documents at Lacuna Signer that no notification tells of. It is for the time before there are any.
func (d Demo) CreateSilent() error {
	for _, s := range d.Samples {
		if s.inFolder() && s.silent() {
			if err := d.create(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d Demo) create(s Sample) error {
	body, err := s.content(d.Files)
	if err == nil {
		err = d.Signer.Create(s.Key, s.Key+path.Ext(s.File), body, strings.Split(s.Flow, ","))
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", s.Key, err)
	}
	return nil
}

// there looks at the document that a job is about, if the sample has one. It is not settled while it may still become what
// it should be.
func (d Demo) there(a *attempt, j Job) (said string, good, settled bool, err error) {
	switch {
	case a.There == none:
		return "", true, true, nil
	case j.DocumentID == "":
		return "no document at Lacuna Signer, expected " + a.There, false, true, nil
	}
	t, err := d.Signer.Look(j.DocumentID)
	if err != nil {
		return "", false, false, err
	}
	if good = a.expectsThere(t); !good && t.open() {
		return "", false, false, nil
	}
	if said = t.String(); !good {
		said += ", expected " + a.There + " with each signature once"
	}
	return said, good, true, nil
}

// found says how long a job's document had been there when the job was made.
func (a *attempt) found(j Job) (said string, good bool) {
	switch {
	case !a.inFolder():
		return "", true
	case a.silent():
		return "found by the sweep: no notification told of it", true
	}
	after := j.CreatedAt.Sub(a.made)
	said = fmt.Sprintf("found %.1f s after its creation", after.Seconds())
	if after > soon {
		return said + ", not by a notification", false
	}
	return said, true
}

// keepThere keeps the file of a document that stays at Lacuna Signer.
func (d Demo) keepThere(j Job) (string, error) {
	t, err := d.Signer.Look(j.DocumentID)
	if err != nil {
		return "", err
	}
	return d.keep(j, thereFolder+"/"+t.FileName, func(w io.Writer) error {
		content, err := d.Signer.Content(j.DocumentID)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	})
}
