package signing

import (
	"bytes"
	"crypto"
	"hash"
	"io"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/profile"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/xades"
)

// method signs a document. Its error has a code if the document is refused.
type method func(document []byte, key Key, signer crypto.Signer) (Outcome, error)

// in returns how documents are signed in a form.
func (b *Bench) in(f Form) method {
	switch {
	case f.Format == profile.Pades:
		return b.pdf
	case f.Format == profile.Xades:
		return func(d []byte, k Key, s crypto.Signer) (Outcome, error) { return b.xml(d, f.Element, k, s) }
	case f.CoSigned:
		return b.coSign
	}
	return func(d []byte, k Key, s crypto.Signer) (Outcome, error) { return b.cms(d, f.Detached, k, s) }
}

func (b *Bench) pdf(document []byte, key Key, signer crypto.Signer) (Outcome, error) {
	policy, err := icpbrasil.Current(icpbrasil.PAdES, b.world.Now)
	if err != nil {
		return Outcome{}, err
	}
	d, err := pades.Prepare(bytes.NewReader(document), int64(len(document)), pades.Options{
		Certificate: key.Certificate, Chain: b.world.PKI.Chain, Hash: key.Hash, Policy: policy, Time: b.world.Now,
		Reason: "Conformance", Location: "Brasil",
	})
	if err != nil {
		return Outcome{}, err
	}
	section, err := d.Sign(after(key.Hash, document), signer)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Signed: append(bytes.Clone(document), section...)}, nil
}

func (b *Bench) xml(document []byte, element string, key Key, signer crypto.Signer) (Outcome, error) {
	policy, err := icpbrasil.Current(icpbrasil.XAdES, b.world.Now)
	if err != nil {
		return Outcome{}, err
	}
	d, err := xades.Prepare(document, xades.Options{
		Certificate: key.Certificate, Chain: b.world.PKI.Chain, Hash: key.Hash, Policy: policy, Time: b.world.Now, Element: element,
	})
	if err != nil {
		return Outcome{}, err
	}
	signed, err := d.Sign(signer)
	return Outcome{Signed: signed}, err
}

func (b *Bench) cms(document []byte, detached bool, key Key, signer crypto.Signer) (Outcome, error) {
	o, err := b.options(key)
	if err != nil {
		return Outcome{}, err
	}
	o.Detached = detached
	d, err := cades.Prepare(int64(len(document)), o)
	if err != nil {
		return Outcome{}, err
	}
	parts, err := d.Sign(after(key.Hash, document), signer)
	if err != nil {
		return Outcome{}, err
	}
	if detached {
		return Outcome{Signed: parts.Trailer, Content: document}, nil
	}
	return joined(parts, bytes.NewReader(document), int64(len(document)))
}

func (b *Bench) coSign(document []byte, key Key, signer crypto.Signer) (Outcome, error) {
	o, err := b.options(key)
	if err != nil {
		return Outcome{}, err
	}
	d, err := cades.PrepareCoSign(bytes.NewReader(document), int64(len(document)), o)
	if err != nil {
		return Outcome{}, err
	}
	content := d.Content()
	digest := key.Hash.New()
	if _, err := io.Copy(digest, io.NewSectionReader(content, 0, content.Size())); err != nil {
		return Outcome{}, err
	}
	parts, err := d.Sign(digest, signer)
	if err != nil {
		return Outcome{}, err
	}
	return joined(parts, content, content.Size())
}

func (b *Bench) options(key Key) (cades.Options, error) {
	policy, err := icpbrasil.Current(icpbrasil.CAdES, b.world.Now)
	return cades.Options{
		Certificate: key.Certificate, Chain: b.world.PKI.Chain, Hash: key.Hash, Policy: policy, Time: b.world.Now,
	}, err
}

// joined is a message with its content inside.
func joined(parts cades.Parts, content io.ReaderAt, size int64) (Outcome, error) {
	signed, err := io.ReadAll(parts.Around(content, size))
	return Outcome{Signed: signed}, err
}

// after is the state of a hash after a document.
func after(h crypto.Hash, document []byte) hash.Hash {
	state := h.New()
	state.Write(document)
	return state
}
