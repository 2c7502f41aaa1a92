package workflow

import (
	"crypto"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"

	"bulksigner/internal/sign/cades"
	"bulksigner/internal/verify"
)

// cms is a draft of CAdES: of a file, or of one more signature in a message that is signed already.
type cms struct {
	form
	content  *io.SectionReader
	digest   hash.Hash // of content
	detached bool
	co       bool
	ask      func(hash.Hash, crypto.Signer) (cades.Parts, error)
}

// layOutCMS signs a file. One that is a signed message gets a parallel signature, unless the profile signs it as any file.
func (f form) layOutCMS(d *document) (draft, error) {
	o := cades.Options{
		Certificate: f.key.Certificate, Chain: f.key.Chain, Hash: digest(f.profile), Policy: f.policy, Time: f.now, Detached: f.profile.Signature.Detached,
	}
	kind, err := cades.Inspect(d, d.size)
	if err != nil {
		return nil, err
	}
	if kind != cades.Plain && !f.profile.Signature.Nested {
		return f.coSign(d, o)
	}
	doc, err := cades.Prepare(d.size, o)
	if err != nil {
		return nil, err
	}
	return cms{form: f, content: io.NewSectionReader(d, 0, d.size), digest: d.digest, detached: o.Detached, ask: doc.Sign}, nil
}

func (f form) coSign(d *document, o cades.Options) (draft, error) {
	doc, err := cades.PrepareCoSign(d, d.size, o)
	if err != nil {
		return nil, err
	}
	c := cms{form: f, content: doc.Content(), digest: o.Hash.New(), co: true, ask: doc.Sign}
	if _, err := io.Copy(c.digest, io.NewSectionReader(c.content, 0, c.content.Size())); err != nil {
		return nil, fmt.Errorf("read the content of the message: %w", err)
	}
	return c, nil
}

// name drops the ending of a message that gets one more signature: it is still the same message.
func (f cms) name(input string) string {
	if ext := path.Ext(input); f.co && (strings.EqualFold(ext, ".p7m") || strings.EqualFold(ext, ".p7s")) && len(ext) < len(path.Base(input)) {
		input = strings.TrimSuffix(input, ext)
	}
	return f.form.name(input)
}

func (f cms) sign(_ *document, key crypto.Signer) (signed, error) {
	parts, err := f.ask(f.digest, key)
	if err != nil {
		return signed{}, err
	}
	out := signed{contentType: "application/pkcs7-mime", beside: f.detached}
	message := parts.Around(f.content, f.content.Size())
	out.judge = func(o verify.Options) (verify.Report, error) { return verify.CMS(message, message.Size(), o) }
	if f.detached {
		message = parts.Around(nil, 0)
		out.contentType = "application/pkcs7-signature"
		out.judge = func(o verify.Options) (verify.Report, error) {
			return verify.Detached(parts.Trailer, io.NewSectionReader(f.content, 0, f.content.Size()), o)
		}
	}
	if out.content = message; f.profile.SaveAsPem {
		out.content, out.contentType = cades.PEM(message), "application/x-pem-file"
	}
	return out, nil
}
