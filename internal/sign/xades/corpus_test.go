package xades_test

import (
	"bytes"
	"crypto"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/signtest"
	"bulksigner/internal/sign/xades"
)

// refusals are the documents of the corpus that must be refused. All others must be signed.
var refusals = map[string]fault.Code{
	"doctype-external-entity.xml": fault.XMLDoctype,
	"duplicate-ids.xml":           fault.XMLDuplicateID,
	"signed-xades-enveloped.xml":  fault.XMLSigned,
}

// elements are those that have an Id of their own in a document, to be signed by it as well.
var elements = map[string]string{
	"nfe.xml": "infNFe", "utf8-bom.xml": "infMDFe", "default-namespace.xml": "infDPS",
}

func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(signtest.Corpus(t, "xml"), "*.xml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	docs := map[string][]byte{}
	for _, name := range names {
		if docs[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return docs
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	docs := corpus(t)
	for name, doc := range docs {
		for _, id := range []signtest.Identity{world.RSA, world.ECDSA} {
			t.Run(name+"/"+id.Name, func(t *testing.T) {
				t.Parallel()
				signed, err := sign(t, doc, id, nil)
				if want, refused := refusals[name]; refused {
					if !errors.Is(err, want) {
						t.Errorf("Prepare = %v, want %s", err, want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				checkXMLSec(t, signed)
			})
		}
	}
}

func TestCorpusByElement(t *testing.T) {
	t.Parallel()
	docs := corpus(t)
	for name, element := range elements {
		for _, id := range []signtest.Identity{world.RSA, world.ECDSA} {
			t.Run(name+"/"+id.Name, func(t *testing.T) {
				t.Parallel()
				signed := must(t, docs[name], id, func(o *xades.Options) { o.Element, o.Hash = element, crypto.SHA512 })
				checkXMLSec(t, signed, "Id "+element)
				if !bytes.Contains(signed, []byte("</ds:Signature></")) {
					t.Error("the signature is not the last child of its parent")
				}
			})
		}
	}
}

// TestJavaAgrees asks a second, independent implementation about all that the corpus gives.
func TestJavaAgrees(t *testing.T) {
	t.Parallel()
	var files []string
	for name, doc := range corpus(t) {
		if refusals[name] != "" {
			continue
		}
		for _, id := range []signtest.Identity{world.RSA, world.ECDSA} {
			for _, element := range []string{"", elements[name]} {
				files = append(files, file(t, must(t, doc, id, func(o *xades.Options) { o.Element = element })))
			}
		}
	}
	checkJava(t, files...)
}

func TestEarlierSignatureStaysValid(t *testing.T) {
	t.Parallel()
	doc := corpus(t)["signed-xpath-all-signatures.xml"]
	text := string(doc)
	begin, end := "<X509Certificate>", "</X509Certificate>"
	der, err := base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
		if r == '\n' {
			return -1
		}
		return r
	}, text[strings.Index(text, begin)+len(begin):strings.Index(text, end)]))
	if err != nil {
		t.Fatal(err)
	}
	anchor := certificate(t, der)
	first := "(//*[local-name()='Signature'])[1]"
	if out, ok := xmlsecAt(t, doc, first, anchor); !ok {
		t.Fatalf("the first signature is not valid before:\n%s", out)
	}
	signed := must(t, doc, world.RSA, nil)
	if out, ok := xmlsecAt(t, signed, first, anchor); !ok {
		t.Errorf("the first signature is not valid afterwards:\n%s", out)
	}
	checkXMLSec(t, signed)
}
