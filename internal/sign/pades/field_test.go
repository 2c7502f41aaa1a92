package pades_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/signtest"
)

// formed is a document with these root fields; each begins an object of its own, the first is number 10.
func formed(fields ...string) []byte {
	d := signtest.OnePage("/AcroForm 4 0 R", "/Annots[10 0 R]")
	var list strings.Builder
	for i, f := range fields {
		d.Object(10+i, f)
		list.WriteString(" " + ref(10+i))
	}
	d.Object(4, "<</Fields["+list.String()+"]/DA(/Helv 0 Tf)>>")
	return d.Table(root).Bytes()
}

func ref(n int) string { return string(rune('0'+n/10)) + string(rune('0'+n%10)) + " 0 R" }

const widget = "/Type/Annot/Subtype/Widget/Rect[10 10 50 50]/F 4/P 3 0 R"

func TestFillField(t *testing.T) {
	t.Parallel()
	locked := "<</FT/Sig/T(Old)/V<</Type/Sig/Reference[<</TransformMethod/FieldMDP/TransformParams<<"
	tests := []struct {
		name  string
		doc   []byte
		field string
		want  error
		says  string
	}{
		{"by name", formed("<</FT/Sig/T(Here)" + widget + ">>"), "Here", nil, ""},
		{"name in UTF-16", formed("<</FT/Sig/T<FEFF004C00F6>" + widget + ">>"), "Lö", nil, ""},
		{"null value", formed("<</FT/Sig/T(Here)/V null" + widget + ">>"), "Here", nil, ""},
		{"widget of its own", formed("<</FT/Sig/T(Here)/Kids[20 0 R]>>"), "Here", nil, ""},
		{"unknown", formed("<</FT/Sig/T(Here)>>", "<</FT/Sig/T(There)>>"), "Nowhere", fault.PDFField, `"Nowhere" does not exist; empty signature fields are "Here", "There"`},
		{"unknown, and there is none", onePage("", ""), "Here", fault.PDFField, "there is no empty signature field"},
		{"text field", formed("<</FT/Tx/T(Here)>>"), "Here", fault.PDFField, "is not a signature field"},
		{"signed", formed("<</FT/Sig/T(Here)/V<</Type/Sig>>>>"), "Here", fault.PDFField, "is signed already"},
		{"locked with all", formed(locked+"/Action/All>>>>]>>>>", "<</FT/Sig/T(Here)>>"), "Here", fault.PDFField, "locked"},
		{"locked by name", formed(locked+"/Action/Include/Fields[(Here)]>>>>]>>>>", "<</FT/Sig/T(Here)>>"), "Here", fault.PDFField, "locked"},
		{"locked with its parent", formed(locked+"/Action/Include/Fields[(a)]>>>>]>>>>", "<</T(a)/Kids[12 0 R]>>", "<</FT/Sig/T(b)>>"), "a.b", fault.PDFField, "locked"},
		{"not excluded from a lock", formed(locked+"/Action/Exclude/Fields[(X)]>>>>]>>>>", "<</FT/Sig/T(Here)>>"), "Here", fault.PDFField, "locked"},
		{"another is locked", formed(locked+"/Action/Include/Fields[(Her)]>>>>]>>>>", "<</FT/Sig/T(Here)>>"), "Here", nil, ""},
		{"excluded from a lock", formed(locked+"/Action/Exclude/Fields[(Here)]>>>>]>>>>", "<</FT/Sig/T(Here)>>"), "Here", nil, ""},
		{"demands what it gets", formed("<</FT/Sig/T(Here)/SV<</Ff 75/Filter/Adobe.PPKLite/SubFilter[/ETSI.CAdES.detached]/DigestMethod[(SHA256)]/Reasons[(Because)]>>>>"), "Here", nil, ""},
		{"demands another sub-filter", formed("<</FT/Sig/T(Here)/SV<</Ff 2/SubFilter[/adbe.pkcs7.detached]>>>>"), "Here", fault.PDFField, "demands another SubFilter"},
		{"demands another reason", formed("<</FT/Sig/T(Here)/SV<</Ff 8/Reasons[(Other)]>>>>"), "Here", fault.PDFField, "demands another Reasons"},
		{"demands revocation values", formed("<</FT/Sig/T(Here)/SV<</Ff 32>>>>"), "Here", fault.PDFField, "does not have"},
		{"wishes another sub-filter", formed("<</FT/Sig/T(Here)/SV<</SubFilter[/adbe.pkcs7.detached]>>>>"), "Here", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			signed, err := sign(t, tt.doc, world.ECDSA, func(o *pades.Options) { o.Field, o.Reason = tt.field, "Because" })
			if !errors.Is(err, tt.want) || !strings.Contains(fault.DetailOf(err), tt.says) {
				t.Fatalf("Prepare = %v, want %v saying %q", err, tt.want, tt.says)
			}
			if err == nil && bytes.Contains(signed[len(tt.doc):], []byte("/Subtype/Form")) {
				t.Error("a new field was made although one was named")
			}
		})
	}
}

func TestFieldBelowOthers(t *testing.T) {
	t.Parallel()
	d := signtest.OnePage("/AcroForm 4 0 R", "/Annots[11 0 R]")
	d.Object(4, "<</Fields[10 0 R]>>")
	d.Object(10, "<</T(a)/FT/Sig/Kids[11 0 R]>>")
	d.Object(11, "<</T(b)/Parent 10 0 R"+widget+">>")
	doc := d.Table(root).Bytes()
	signed, err := sign(t, doc, world.ECDSA, func(o *pades.Options) { o.Field = "a.b" })
	if err != nil {
		t.Fatal(err)
	}
	judge(t, doc, signed)
	if !bytes.Contains(signed[len(doc):], []byte("11 0 obj\n<</V 12 0 R/T(b)/Parent 10 0 R"+widget+">>")) {
		t.Errorf("the field was not filled where it is:\n%.300s", signed[len(doc):])
	}
}

// TestLockIsEnforced holds that filling a field with a lock says so in the signature, where readers look for it.
func TestLockIsEnforced(t *testing.T) {
	t.Parallel()
	d := signtest.OnePage("/AcroForm<</Fields[10 0 R]>>", "/Annots[10 0 R]")
	d.Object(10, "<</FT/Sig/T(Here)/Lock 11 0 R"+widget+">>")
	d.Object(11, "<</Type/SigFieldLock/Action/Include/Fields[(a) (b)]>>")
	doc := d.Table(root).Bytes()
	signed, err := sign(t, doc, world.ECDSA, func(o *pades.Options) { o.Field = "Here" })
	if err != nil {
		t.Fatal(err)
	}
	const want = "/Reference[<</Type/SigRef/TransformMethod/FieldMDP/Data 1 0 R" +
		"/TransformParams<</Type/TransformParams/V/1.2/Action /Include/Fields [(a) (b)]>>>>]"
	if !bytes.Contains(signed[len(doc):], []byte(want)) {
		t.Errorf("the signature does not say what it locks:\n%.900s", signed[len(doc):])
	}
	judge(t, doc, signed)
}

func TestCorpusFieldIsFilled(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join(signtest.Corpus(t, "pdf"), "empty-signature-fields.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := sign(t, doc, world.RSA, func(o *pades.Options) { o.Field = "SignatureEmployee" })
	if err != nil {
		t.Fatal(err)
	}
	judge(t, doc, signed)
	if !strings.Contains(world.PDFSigOf(t, signed), "Signature Field Name: SignatureEmployee") {
		t.Error("pdfsig does not find the signature in the field that was named")
	}
	_, err = sign(t, signed, world.RSA, func(o *pades.Options) { o.Field = "SignatureEmployee" })
	if !errors.Is(err, fault.PDFField) || !strings.Contains(fault.DetailOf(err), `"SignatureManager"`) {
		t.Errorf("signing the field again = %v, want %s with what is left", err, fault.PDFField)
	}
}

func TestNewFieldHasAFreeName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fields []string
		want   string
	}{
		{"none", nil, "Signature1"},
		{"a text field", []string{"<</FT/Tx/T(Signature1)>>"}, "Signature2"},
		{"a gap", []string{"<</FT/Tx/T(Signature1)>>", "<</FT/Sig/T<FEFF005300690067006E00610074007500720065003300>>>"}, "Signature2"},
		{"hexadecimal, and the parent of others", []string{"<</T<5369676E617475726531>/Kids[]>>"}, "Signature2"},
		{"others do not matter", []string{"<</FT/Tx/T(Signature10)>>", "<</FT/Tx/T(signature1)>>"}, "Signature1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := formed(tt.fields...)
			signed, err := sign(t, doc, world.ECDSA, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(signed[len(doc):], []byte("/T("+tt.want+")")) {
				t.Errorf("the new field is not called %s:\n%.2000s", tt.want, signed[len(doc):])
			}
		})
	}
}

func TestSharedAnnotationsAreCopied(t *testing.T) {
	t.Parallel()
	pages := func(second string) []byte {
		d := signtest.OnePage("", "/Annots 6 0 R")
		d.Object(2, "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>")
		d.Object(4, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]"+second+">>")
		d.Object(6, "[7 0 R]")
		d.Object(7, "<</Type/Annot/Subtype/Link/Rect[0 0 1 1]>>")
		return d.Table(root).Bytes()
	}
	tests := []struct {
		name string
		doc  []byte
		want string
	}{
		{"the array is extended", pages(""), "6 0 obj\n[7 0 R 9 0 R]\nendobj"},
		{"or copied into the page", pages("/Annots 6 0 R"), "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Annots [7 0 R 9 0 R]>>\nendobj"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			signed, err := sign(t, tt.doc, world.ECDSA, nil)
			if err != nil {
				t.Fatal(err)
			}
			if section := signed[len(tt.doc):]; !bytes.Contains(section, []byte(tt.want)) {
				t.Errorf("there is no %q in\n%s", tt.want, section)
			}
			judge(t, tt.doc, signed)
		})
	}
}
