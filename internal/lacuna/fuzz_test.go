package lacuna_test

import (
	"crypto"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"bulksigner/internal/lacuna"
)

var (
	guidForm  = regexp.MustCompile(`^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$`)
	digitForm = regexp.MustCompile(`^[0-9]*$`)
	codeForm  = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]{0,63})?$`)
)

func fits(t *testing.T, form *regexp.Regexp, values ...string) {
	t.Helper()
	for _, v := range values {
		if !form.MatchString(v) {
			t.Errorf("%q does not fit %s", v, form)
		}
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(wholeDocument))
	f.Add([]byte(`{"id":"` + documentID + `","flowActions":[{"user":{}},null],"folder":{},"updateDate":"x"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := lacuna.ParseDocument(b, documentID)
		if err != nil {
			keepsSecrets(t, err)
			return
		}
		fits(t, guidForm, d.FolderID)
		if d.ID != documentID || d.MIMEType != strings.ToLower(d.MIMEType) || strings.Contains(d.MIMEType, ";") {
			t.Errorf("%+v", d)
		}
		for _, a := range d.Actions {
			fits(t, guidForm, a.ID)
			fits(t, digitForm, a.Identifier)
		}
	})
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(`{"items":[null,` + row(1, `{"id":"`+folderID+`"}`) + `],"totalCount":1,"nextCursor":null}`))
	f.Add([]byte(`{"items":null,"totalCount":"7"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, _, err := lacuna.ParsePage(b)
		for _, r := range rows {
			fits(t, guidForm, r.ID, r.FolderID)
			if r.ID == "" && err == nil {
				t.Error("a row has no id")
			}
		}
	})
}

func FuzzFolder(f *testing.F) {
	f.Add([]byte(`{"id":"` + folderID + `","name":"x","parentId":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := lacuna.ParseFolder(b, folderID)
		fits(t, guidForm, d.ID, d.ParentID)
		if (d.ID == folderID) != (err == nil) {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func FuzzDispatch(f *testing.F) {
	f.Add([]byte(`[{"uploadId":"UP-1","documentId":"` + documentID + `"}]`))
	f.Add([]byte(`{"id":"UP-1"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		created, err := lacuna.ParseCreated(b, "up-1")
		fits(t, guidForm, created)
		uploaded, errUpload := lacuna.ParseUploaded(b)
		if (created == "") != (err != nil) || (uploaded == "") != (errUpload != nil) || len(uploaded) > 128 {
			t.Errorf("%q, %v; %q, %v", created, err, uploaded, errUpload)
		}
	})
}

func FuzzSignature(f *testing.F) {
	f.Add([]byte(`{"success":true,"token":"t","toSignHash":"AAAA","digestAlgorithm":"2.16.840.1.101.3.4.2.1"}`))
	f.Add([]byte(`{"success":false,"validationResults":{"errors":[{"type":"A","innerValidationResults":{"errors":[{"type":"B"}]}}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := lacuna.ParseStarted(b)
		h, errHanded := lacuna.ParseHanded(b)
		if err == nil && s.Accepted && s.Token == "" || err != nil && s.Accepted || errHanded != nil && h.Accepted {
			t.Errorf("%+v, %v; %+v, %v", s, err, h, errHanded)
		}
		if !slices.Contains([]crypto.Hash{0, crypto.SHA256, crypto.SHA384, crypto.SHA512}, s.Digest) {
			t.Errorf("digest %v", s.Digest)
		}
		for _, word := range append(slices.Concat(s.Findings, h.Findings), s.DigestName) {
			if utf8.RuneCountInString(word) > 64 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%q is shown", word)
			}
		}
		if len(s.Findings) > 20 || len(h.Findings) > 20 {
			t.Errorf("%d and %d findings", len(s.Findings), len(h.Findings))
		}
	})
}

func FuzzActionURL(f *testing.F) {
	f.Add("https://x.example/document/key/ABCD/sign?ticket=T1")
	f.Add("https://x.example/document/key/%2e%2e/sign?ticket=T1")
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := lacuna.ParseActionURL(s)
		if ok && (got.Key == "" || got.Key == "." || got.Key == ".." || got.Ticket == "") {
			t.Errorf("%+v of %q", got, s)
		}
	})
}

func FuzzErrorCode(f *testing.F) {
	f.Add(`{"code":"FolderNotFound","message":"x","details":null}`)
	f.Add(page)
	f.Fuzz(func(t *testing.T, s string) { fits(t, codeForm, lacuna.ErrorCode(strings.NewReader(s))) })
}

func FuzzNames(f *testing.F) {
	f.Add("Contrato – ação nº 1.pdf", "application/pdf; charset=utf-8")
	f.Add("\r\n/.pdf", "a/b\r\nX: y")
	f.Fuzz(func(t *testing.T, name, kind string) {
		shown, typed := lacuna.Shown(name), lacuna.ContentType(kind)
		control := func(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) || !utf8.ValidString(s) }
		if strings.TrimSpace(shown) == "" || utf8.RuneCountInString(shown) > 200 || control(shown) || lacuna.Shown(shown) != shown {
			t.Errorf("%q is shown as %q", name, shown)
		}
		if typed == "" || control(typed) {
			t.Errorf("%q is sent as %q", kind, typed)
		}
	})
}
