package pades_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/pdf"
	"bulksigner/internal/sign/signtest"
)

// TestEverythingSurvives compares each document of the corpus with its signed version: nothing may be missing or other
// than it was, and one field and one annotation must be new.
func TestEverythingSurvives(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(signtest.Corpus(t, "pdf"), "*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, refused := refusals[filepath.Base(file)]; refused {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			doc, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			signed, err := sign(t, doc, world.ECDSA, func(o *pades.Options) { o.Chain = nil })
			if err != nil {
				t.Fatal(err)
			}
			compareStructure(t, doc, signed)
			compareWithQPDF(t, doc, signed)
		})
	}
}

func opened(t *testing.T, doc []byte) *pdf.File {
	t.Helper()
	f, err := pdf.Open(bytes.NewReader(doc), int64(len(doc)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// compareStructure compares trailer, Catalog, form and pages, byte by byte.
func compareStructure(t *testing.T, doc, signed []byte) {
	t.Helper()
	before, after := opened(t, doc), opened(t, signed)
	compareDicts(t, "trailer", before.Trailer(), after.Trailer(), "Size", "Prev", "ID", "XRefStm",
		"Type", "W", "Index", "Length", "Filter", "DecodeParms")
	oldRoot, _, err1 := before.Root()
	newRoot, _, err2 := after.Root()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	compareDicts(t, "Catalog", oldRoot, newRoot, "AcroForm")
	oldForm, _, err1 := before.Dict(oldRoot.Get("AcroForm"))
	newForm, _, err2 := after.Dict(newRoot.Get("AcroForm"))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	compareDicts(t, "AcroForm", oldForm, newForm, "Fields", "SigFlags")
	if flags, err := after.Int(newForm.Get("SigFlags"), 0); err != nil || flags&3 != 3 {
		t.Errorf("SigFlags = %d, %v, want 3", flags, err)
	}
	compareItems(t, "Fields", before, oldForm.Get("Fields"), after, newForm.Get("Fields"), 1)
	oldPages, newPages := pagesOf(t, before), pagesOf(t, after)
	if len(oldPages) != len(newPages) {
		t.Fatalf("there are %d pages, want %d", len(newPages), len(oldPages))
	}
	for i := range oldPages {
		compareDicts(t, "page", oldPages[i].Dict, newPages[i].Dict, "Annots")
		added := 0
		if i == 0 {
			added = 1
		}
		compareItems(t, "Annots", before, oldPages[i].Dict.Get("Annots"), after, newPages[i].Dict.Get("Annots"), added)
	}
}

// compareDicts compares all entries but some.
func compareDicts(t *testing.T, what string, before, after pdf.Dict, but ...string) {
	t.Helper()
	for key := range before.Entries() {
		if !slices.Contains(but, key) && !bytes.Equal(before.Get(key), after.Get(key)) {
			t.Errorf("%s: %s is %.80s, was %.80s", what, key, after.Get(key), before.Get(key))
		}
	}
	for key := range after.Entries() {
		if !slices.Contains(but, key) && before.Get(key) == nil {
			t.Errorf("%s: %s is new", what, key)
		}
	}
}

// compareItems wants the old items first, and some new ones.
func compareItems(t *testing.T, what string, before *pdf.File, old pdf.Value, after *pdf.File, now pdf.Value, added int) {
	t.Helper()
	oldItems, newItems := itemsOf(t, before, old), itemsOf(t, after, now)
	if len(newItems) != len(oldItems)+added || !slices.Equal(oldItems, newItems[:len(oldItems)]) {
		t.Errorf("%s are %q, want %d more than %q", what, newItems, added, oldItems)
	}
}

func itemsOf(t *testing.T, f *pdf.File, v pdf.Value) (out []string) {
	t.Helper()
	v, _, err := f.Resolve(v)
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range v.Items() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(item))
	}
	return out
}

func pagesOf(t *testing.T, f *pdf.File) (out []pdf.Page) {
	t.Helper()
	for p, err := range f.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// described is what qpdf says about fields and pages.
type described struct {
	AcroForm struct {
		Fields []struct {
			FullName  string `json:"fullname"`
			FieldType string `json:"fieldtype"`
		} `json:"fields"`
	} `json:"acroform"`
	Pages []struct {
		Object string `json:"object"`
	} `json:"pages"`
}

func compareWithQPDF(t *testing.T, doc, signed []byte) {
	t.Helper()
	before, after := describe(t, doc), describe(t, signed)
	if !slices.Equal(before.Pages, after.Pages) {
		t.Errorf("qpdf sees the pages %v, saw %v", after.Pages, before.Pages)
	}
	left := slices.Clone(after.AcroForm.Fields)
	for _, f := range before.AcroForm.Fields {
		i := slices.Index(left, f)
		if i < 0 {
			t.Errorf("qpdf does not see the field %v any more", f)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) != 1 || left[0].FieldType != "/Sig" {
		t.Errorf("qpdf sees the new fields %v, want one for a signature", left)
	}
}

func describe(t *testing.T, doc []byte) (d described) {
	t.Helper()
	tool := signtest.Tool(t, "qpdf", "qpdf")
	file := filepath.Join(t.TempDir(), "document.pdf")
	write(t, file, doc)
	out, _ := exec.CommandContext(t.Context(), tool, "--json=1", "--json-key=pages", "--json-key=acroform", file).Output() // warnings make it fail
	if err := json.Unmarshal(out, &d); err != nil {
		t.Fatal(err)
	}
	return d
}
