package library

import (
	"bytes"
	"crypto"
	_ "crypto/sha256" // what crypto.SHA256 stands for
	"errors"
	"io"
	"os"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/xades"
	"bulksigner/scripts/bench/identity"
)

// What a signature says about itself, with us and with others.
const (
	name     = "Maria de Teste"
	reason   = "Approved"
	location = "Brasilia"
)

// begun is the moment that all signatures claim: that of the certificate's making, a day after its validity began.
func begun(id identity.Identity) time.Time { return id.Certificate.NotBefore.AddDate(0, 0, 1) }

// between opens a file and creates another for a signer.
func between(from, to string, sign func(in, out *os.File, size int64) error) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(sign(in, out, info.Size()), out.Close())
}

// PAdES signs a PDF with bulksigner, in one pass over the file.
func PAdES(id identity.Identity, from, to string) error {
	policy, err := icpbrasil.Current(icpbrasil.PAdES, begun(id))
	if err != nil {
		return err
	}
	return between(from, to, func(in, out *os.File, size int64) error {
		d, err := pades.Prepare(in, size, pades.Options{
			Certificate: id.Certificate, Chain: id.Chain, Hash: crypto.SHA256, Policy: policy,
			Name: name, Reason: reason, Location: location, Time: begun(id),
		})
		if err != nil {
			return err
		}
		h := crypto.SHA256.New()
		if _, err := io.Copy(io.MultiWriter(out, h), in); err != nil {
			return err
		}
		section, err := d.Sign(h, id.Key)
		if err != nil {
			return err
		}
		_, err = out.Write(section)
		return err
	})
}

// CAdES signs content with bulksigner, which has to know its digest before it can write the message: the file is read
// twice and never held.
func CAdES(id identity.Identity, from, to string) error {
	policy, err := icpbrasil.Current(icpbrasil.CAdES, begun(id))
	if err != nil {
		return err
	}
	return between(from, to, func(in, out *os.File, size int64) error {
		d, err := cades.Prepare(size, cades.Options{Certificate: id.Certificate, Chain: id.Chain, Hash: crypto.SHA256, Policy: policy, Time: begun(id)})
		if err != nil {
			return err
		}
		h := crypto.SHA256.New()
		if _, err := io.Copy(h, in); err != nil {
			return err
		}
		parts, err := d.Sign(h, id.Key)
		if err != nil {
			return err
		}
		return assemble(out, parts, in)
	})
}

// assemble writes a message around its content, which the system copies from file to file.
func assemble(out *os.File, parts cades.Parts, content *os.File) error {
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := out.Write(parts.Header); err != nil {
		return err
	}
	if _, err := io.Copy(out, content); err != nil {
		return err
	}
	_, err := out.Write(parts.Trailer)
	return err
}

// XAdES signs the whole of an XML document with bulksigner.
func XAdES(id identity.Identity, from, to string) error { return signXML(id, from, to, "") }

// XAdESOfInvoice signs the element of an electronic invoice that is meant to be signed.
func XAdESOfInvoice(id identity.Identity, from, to string) error {
	return signXML(id, from, to, "infNFe")
}

func signXML(id identity.Identity, from, to, element string) error {
	policy, err := icpbrasil.Current(icpbrasil.XAdES, begun(id))
	if err != nil {
		return err
	}
	return between(from, to, func(in, out *os.File, size int64) error {
		if size > xades.MaxDocument {
			return errors.New("the document is larger than bulksigner reads")
		}
		var document bytes.Buffer
		document.Grow(int(size) + bytes.MinRead)
		if _, err := document.ReadFrom(io.LimitReader(in, size)); err != nil {
			return err
		}
		d, err := xades.Prepare(document.Bytes(), xades.Options{
			Certificate: id.Certificate, Chain: id.Chain, Hash: crypto.SHA256, Policy: policy, Time: begun(id), Element: element,
		})
		if err != nil {
			return err
		}
		signed, err := d.Sign(id.Key)
		if err != nil {
			return err
		}
		_, err = out.Write(signed)
		return err
	})
}
