package signing_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
	"bulksigner/internal/sign/signtest"
	"bulksigner/scripts/conformance/signing"

	"github.com/google/go-cmp/cmp"
)

var bench *signing.Bench

func TestMain(m *testing.M) {
	var err error
	if bench, err = signing.New(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := bench.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// message is a document that was signed before.
func message(t *testing.T) []byte {
	t.Helper()
	o := bench.Sign([]byte("content"), signing.Form{Format: profile.Cades}, bench.Keys[0])
	if o.Refused != "" {
		t.Fatal(o.Detail)
	}
	return o.Signed
}

func TestForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		document   []byte
		want       []string
	}{
		{"PDF", "A.PDF", nil, []string{"PAdES"}},
		{"XML", "a.xml", []byte("<a/>"), []string{"XAdES"}},
		{"NF-e", "a.xml", []byte(`<NFe><infNFe versao="4.00" Id="NFe1"/></NFe>`), []string{"XAdES", "XAdES of infNFe"}},
		{"namesake", "a.xml", []byte(`<infNFes Id="x"/>`), []string{"XAdES"}},
		{"anything", "a.txt", []byte("%PDF-1.7"), []string{"CAdES, attached", "CAdES, detached"}},
		{"message", "a.txt", message(t), []string{"CAdES, co-signed"}},
		{"broken message", "a.p7m", message(t)[:20], []string{"CAdES, co-signed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range signing.Forms(tt.file, tt.document) {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("forms (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSign(t *testing.T) {
	t.Parallel()
	text := []byte("content")
	for name, document := range map[string][]byte{
		"a.pdf": signtest.OnePage("", "").Table("/Root 1 0 R").Bytes(), "a.xml": []byte(`<NFe><infNFe Id="NFe1"/></NFe>`), "a.txt": text, "a.p7m": message(t),
	} {
		for _, form := range signing.Forms(name, document) {
			for _, key := range bench.Keys {
				t.Run(name+"/"+form.String()+"/"+key.Name, func(t *testing.T) {
					t.Parallel()
					o := bench.Sign(document, form, key)
					if o.Refused != "" || o.Asked != 1 || len(o.Signed) == 0 {
						t.Errorf("refused %q (%s), key asked %d times, %d bytes", o.Refused, o.Detail, o.Asked, len(o.Signed))
					}
					if form.Detached != bytes.Equal(o.Content, text) {
						t.Errorf("the content beside it is %q", o.Content)
					}
				})
			}
		}
	}
}

func TestRefusalsComeBeforeTheKey(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]fault.Code{"a.pdf": fault.PDFNotAPDF, "a.xml": fault.XMLMalformed, "a.txt": fault.CMSEmpty} {
		for _, form := range signing.Forms(name, nil) {
			if o := bench.Sign(nil, form, bench.Keys[0]); o.Refused != want || o.Asked != 0 || o.Signed != nil {
				t.Errorf("%s, %s: %q, key asked %d times, want %q and not at all", name, form, o.Refused, o.Asked, want)
			}
		}
	}
	broken := message(t)[:200]
	if o := bench.Sign(broken, signing.Form{Format: profile.Cades, CoSigned: true}, bench.Keys[0]); o.Refused != fault.CMSMalformed || o.Asked != 0 {
		t.Errorf("a broken message: %q, key asked %d times", o.Refused, o.Asked)
	}
}
