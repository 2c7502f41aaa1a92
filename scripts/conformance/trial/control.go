package trial

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"bulksigner/internal/profile"
	"bulksigner/internal/sign/signtest"
	"bulksigner/scripts/conformance/corpus"
	"bulksigner/scripts/conformance/signing"
)

// control is a document that is signed and then altered.
type control struct {
	file     string
	document []byte
	form     signing.Form
}

// In each control this text is signed, and then becomes another one of the same length.
const (
	original = "AAAA"
	altered  = "AAAB"
)

func controls() []control {
	pdf := signtest.OnePage("/Lang(pt-"+original+")", "").Table("/Root 1 0 R").Bytes()
	xml := []byte("<a><b>" + original + "</b></a>\n")
	text := []byte("content " + original + "\n")
	return []control{
		{"control.pdf", pdf, signing.Form{Format: profile.Pades}},
		{"control.txt", text, signing.Form{Format: profile.Cades}},
		{"control.txt", text, signing.Form{Format: profile.Cades, Detached: true}},
		{"control.xml", xml, signing.Form{Format: profile.Xades}},
	}
}

// signControls signs each control with each key, and alters a copy.
func (t *trial) signControls() error {
	for _, c := range controls() {
		path := filepath.Join(t.config.Dir, c.file)
		if err := os.WriteFile(path, c.document, 0o600); err != nil {
			return err
		}
		for _, key := range t.bench.Keys {
			good := &Row{Entry: corpus.Entry{File: c.file, Verdict: corpus.Sign}, Form: c.form, Key: key.Name, Outcome: t.bench.Sign(c.document, c.form, key)}
			bad := *good
			bad.Altered = true
			bad.Outcome.Signed, bad.Outcome.Content = alter(good.Outcome.Signed), alter(good.Outcome.Content)
			if good.Outcome.Signed != nil && bytes.Equal(good.Outcome.Signed, bad.Outcome.Signed) && bytes.Equal(good.Outcome.Content, bad.Outcome.Content) {
				return errors.New("there was nothing to alter in " + c.file)
			}
			if err := errors.Join(t.add(good, path, key), t.add(&bad, path, key)); err != nil {
				return err
			}
		}
	}
	return nil
}

func alter(b []byte) []byte { return bytes.Replace(b, []byte(original), []byte(altered), 1) }
