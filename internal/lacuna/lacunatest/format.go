package lacunatest

import (
	"bytes"
	"crypto"
	"hash"
	"io"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/xades"
)

// format is how a file is signed.
type format icpbrasil.Form

// draft is a signature that is laid out: it asks a key once and returns the signed file.
type draft func(key crypto.Signer) ([]byte, error)

// embeddable reports whether the policies know a digest.
func embeddable(h crypto.Hash) bool {
	for _, known := range icpbrasil.Digests {
		if h == known {
			return true
		}
	}
	return false
}

// layOut prepares one more signature. c.mu is held, and there is no other draft.
func (c *content) layOut(id identity, now time.Time) (draft, error) {
	policy, err := icpbrasil.Current(icpbrasil.Form(c.format), now)
	if err != nil {
		return nil, err
	}
	digest := c.digest
	if !embeddable(digest) {
		digest = crypto.SHA256
	}
	switch icpbrasil.Form(c.format) {
	case icpbrasil.PAdES:
		return layOutPDF(c.file, pades.Options{Certificate: id.cert, Chain: id.chain, Hash: digest, Policy: policy, Time: now})
	case icpbrasil.XAdES:
		return layOutXML(c.file, xades.Options{Certificate: id.cert, Chain: id.chain, Hash: digest, Policy: policy, Time: now})
	}
	o := cades.Options{Certificate: id.cert, Chain: id.chain, Hash: digest, Policy: policy, Time: now, Detached: c.detached}
	if c.versions > 0 {
		return layOutMore(c.file, o)
	}
	return layOutCMS(c.file, o)
}

func layOutPDF(file []byte, o pades.Options) (draft, error) {
	doc, err := pades.Prepare(bytes.NewReader(file), int64(len(file)), o)
	if err != nil {
		return nil, err
	}
	return func(key crypto.Signer) ([]byte, error) {
		section, err := doc.Sign(digested(o.Hash, file), key)
		if err != nil {
			return nil, err
		}
		return append(bytes.Clone(file), section...), nil
	}, nil
}

func layOutXML(file []byte, o xades.Options) (draft, error) {
	doc, err := xades.Prepare(file, o)
	if err != nil {
		return nil, err
	}
	return doc.Sign, nil
}

func layOutCMS(file []byte, o cades.Options) (draft, error) {
	doc, err := cades.Prepare(int64(len(file)), o)
	if err != nil {
		return nil, err
	}
	return func(key crypto.Signer) ([]byte, error) {
		parts, err := doc.Sign(digested(o.Hash, file), key)
		if err != nil {
			return nil, err
		}
		if o.Detached {
			return parts.Trailer, nil
		}
		return io.ReadAll(parts.Around(bytes.NewReader(file), int64(len(file))))
	}, nil
}

// layOutMore prepares a further signature of a message.
func layOutMore(file []byte, o cades.Options) (draft, error) {
	doc, err := cades.PrepareCoSign(bytes.NewReader(file), int64(len(file)), o)
	if err != nil {
		return nil, err
	}
	inside, err := io.ReadAll(doc.Content())
	if err != nil {
		return nil, err
	}
	return func(key crypto.Signer) ([]byte, error) {
		parts, err := doc.Sign(digested(o.Hash, inside), key)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(parts.Around(bytes.NewReader(inside), int64(len(inside))))
	}, nil
}

func digested(h crypto.Hash, content []byte) hash.Hash {
	sum := h.New()
	sum.Write(content)
	return sum
}
