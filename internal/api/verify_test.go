package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

// verdict is the answer as a client reads it.
type verdict struct {
	Valid      bool
	Format     string
	Signatures []struct {
		SignerName, Policy string
		CoversWholeFile    bool
		Signed             []struct {
			Element  string
			From, To int64
		}
		SignedLeftOut int
		Checks        []struct {
			Name, Outcome, Detail string
			Demanded              bool
		}
	}
}

// outcome is the answer to a check of the first signature, or "".
func (v verdict) outcome(name string) string {
	for _, s := range v.Signatures[:min(len(v.Signatures), 1)] {
		for _, c := range s.Checks {
			if c.Name == name {
				return c.Outcome
			}
		}
	}
	return ""
}

func verdictIn(t testing.TB, status int, body io.Reader) verdict {
	t.Helper()
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	var v verdict
	if err := json.Unmarshal(b, &v); err != nil || status != 200 {
		t.Fatalf("answer = %d %s, want 200", status, b)
	}
	return v
}

// verifyForm is a form with a file and, unless it is nil, the content beside it.
func verifyForm(file, content []byte) string {
	if content == nil {
		return fileForm("a.p7s", file)
	}
	first := strings.TrimSuffix(fileForm("a.p7s", file), "--b0undary--\r\n")
	return first + form(`form-data; name="content"; filename="a.txt"`, "text/plain", content)
}

// judging is a service whose verifier demands everything that the signed files have.
func judging(t testing.TB) (*service, signedFiles) {
	t.Helper()
	f := signedFor(t)
	return newService(t, func(s *service, _ *api.Parts) { s.demands = f.demands }), f
}

func (s *service) verdict(t testing.TB, body string) verdict {
	t.Helper()
	r := s.send(t, "POST", "/api/verify", body, "Content-Type", formType)
	return verdictIn(t, r.StatusCode, r.Body)
}

// altered is a copy with one byte of old changed.
func altered(t testing.TB, file []byte, old string) []byte {
	t.Helper()
	at := bytes.Index(file, []byte(old))
	if at < 0 {
		t.Fatalf("the file has no %q", old)
	}
	file = bytes.Clone(file)
	file[at] ^= 1
	return file
}

func TestVerify(t *testing.T) {
	t.Parallel()
	s, f := judging(t)
	content := []byte(signedContent)
	tests := []struct {
		name          string
		file, content []byte
		format        string
		signatures    int
		failed        string // the check that says what is wrong; "" if nothing is
	}{
		{"PDF", f.pdf, nil, "PAdES", 1, ""},
		{"XML", f.xml, nil, "XAdES", 1, ""},
		{"CMS", f.attached, nil, "CAdES", 1, ""},
		{"detached CMS", f.detached, content, "CAdES", 1, ""},
		{"PDF, altered", altered(t, f.pdf, "/MediaBox"), nil, "PAdES", 1, verify.MessageDigest},
		{"PDF, longer", append(bytes.Clone(f.pdf), '\n'), nil, "PAdES", 1, verify.Coverage},
		{"XML, altered", altered(t, f.xml, "0.00"), nil, "XAdES", 1, verify.MessageDigest},
		{"CMS, altered", altered(t, f.attached, signedContent), nil, "CAdES", 1, verify.MessageDigest},
		{"detached CMS, other content", f.detached, content[1:], "CAdES", 1, verify.MessageDigest},
		{"detached CMS, and content in it", f.attached, content, "CAdES", 1, verify.Coverage},
		{"PDF without a signature", f.plainPDF, nil, "PAdES", 0, ""},
		{"XML without a signature", []byte("<nota/>"), nil, "XAdES", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := s.verdict(t, verifyForm(tt.file, tt.content))
			if want := tt.failed == "" && tt.signatures > 0; v.Valid != want || v.Format != tt.format || len(v.Signatures) != tt.signatures {
				t.Fatalf("valid %v, %s, %d signatures; want %v, %s, %d\n%+v", v.Valid, v.Format, len(v.Signatures), want, tt.format, tt.signatures, v)
			}
			if tt.failed != "" && v.outcome(tt.failed) != "failed" {
				t.Errorf("%s = %q, want failed\n%+v", tt.failed, v.outcome(tt.failed), v)
			}
			if tt.signatures > 0 && v.Signatures[0].SignerName != "MARIA DE TESTE" && tt.failed != verify.Coverage {
				t.Errorf("signer = %q", v.Signatures[0].SignerName)
			}
		})
	}
}

// Without its content nothing can be said of a detached signature, which is not good.
func TestVerifyDetachedAlone(t *testing.T) {
	t.Parallel()
	s, f := judging(t)
	v := s.verdict(t, verifyForm(f.detached, nil))
	if v.Valid || v.outcome(verify.MessageDigest) == "passed" || v.outcome(verify.Coverage) != "not-checked" {
		t.Errorf("verdict = %+v", v)
	}
}

func TestVerifyPartsInEitherOrder(t *testing.T) {
	t.Parallel()
	s, f := judging(t)
	first := strings.TrimSuffix(form(`form-data; name="content"; filename="a.txt"`, "", []byte(signedContent)), "--b0undary--\r\n")
	if v := s.verdict(t, first+fileForm("a.p7s", f.detached)); !v.Valid {
		t.Errorf("verdict = %+v", v)
	}
}

// A file that is judged leaves nothing behind, and neither do uploads that are turned off stand in its way.
func TestVerifyKeepsNothing(t *testing.T) {
	t.Parallel()
	f := signedFor(t)
	s := newService(t, func(_ *service, p *api.Parts) { p.Settings.Upload.Enabled = false })
	s.verdict(t, verifyForm(f.pdf, nil))
	s.verdict(t, verifyForm(f.detached, []byte(signedContent)))
	if d := cmp.Diff(map[string]int{"Key": 2, "Verify": 1, "VerifyDetached": 1}, s.asked()); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	if log := s.lines.all(); len(log) != 0 {
		t.Errorf("logged %q", log)
	}
}

func TestVerifyRefused(t *testing.T) {
	t.Parallel()
	const pdf = "%PDF-1.7\n"
	file := func(content string) string { return fileForm("a.p7s", []byte(content)) }
	part := func(disposition, content string) string { return form(disposition, "", []byte(content)) }
	tests := []struct {
		name, kind, body string
		status           int
		code             fault.Code
	}{
		{"of no known kind", formType, file("plain text"), 422, fault.VerifyUnknownFormat},
		{"a broken PDF", formType, file(pdf), 422, fault.PDFMalformed},
		{"a broken message", formType, file("-----BEGIN CMS-----\n"), 422, fault.CMSMalformed},
		{"not well-formed", formType, file("<nota>"), 422, fault.XMLMalformed},
		{"a DOCTYPE", formType, file("<!DOCTYPE nota><nota/>"), 422, fault.XMLDoctype},
		{"an identifier twice", formType, file(`<nota><a Id="x"/><b Id="x"/></nota>`), 422, fault.XMLDuplicateID},
		{"too deep", formType, file(strings.Repeat("<a>", 1000)), 422, fault.XMLTooDeep},
		{"an unknown encoding", formType, file(`<?xml version="1.0" encoding="EBCDIC-CP-US"?><nota/>`), 422, fault.XMLEncodingUnsupported},
		{"a PDF as a detached signature", formType, verifyForm([]byte(pdf), []byte("x")), 422, fault.CMSMalformed},
		{"no bytes", formType, file(""), 400, fault.UploadEmpty},
		{"no bytes of content", formType, verifyForm([]byte("x"), []byte{}), 400, fault.UploadEmpty},
		{"no file name", formType, part(`form-data; name="file"`, "x"), 400, fault.UploadInvalidName},
		{"a folder", formType, fileForm("a/b", []byte("x")), 400, fault.UploadInvalidName},
		{"content alone", formType, part(`form-data; name="content"; filename="a"`, "x"), 400, fault.RequestInvalid},
		{"another part", formType, strings.Replace(verifyForm([]byte("x"), []byte("x")), `"content"`, `"profile"`, 1), 400, fault.RequestInvalid},
		{"the file twice", formType, strings.Replace(verifyForm([]byte("x"), []byte("x")), `"content"`, `"file"`, 1), 400, fault.RequestInvalid},
		{"no part", formType, "--b0undary--\r\n", 400, fault.RequestInvalid},
		{"cut short", formType, strings.TrimSuffix(file("x"), "--\r\n"), 400, fault.RequestInvalid},
		{"cut short behind the file", formType, strings.TrimSuffix(verifyForm([]byte("x"), []byte("x")), "x\r\n--b0undary--\r\n"), 400, fault.RequestInvalid},
		{"no boundary", "multipart/form-data", file("x"), 400, fault.RequestInvalid},
		{"no type", "", file("x"), 400, fault.RequestInvalid},
		{"an announcement", "application/json", `{"fileName":"a.pdf"}`, 400, fault.RequestInvalid},
		{"raw bytes", "application/pdf", pdf, 400, fault.RequestInvalid},
		{"too large", formType, file(strings.Repeat("x", api.MaxForm)), 413, fault.UploadTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			p := wantProblem(t, s.send(t, "POST", "/api/verify", tt.body, "Content-Type", tt.kind), tt.status, tt.code)
			if asked := s.asked()["Verify"]+s.asked()["VerifyDetached"] > 0; asked != (tt.status == 422) {
				t.Errorf("judged: %v, with status %d", asked, tt.status)
			}
			if strings.Contains(p.Detail, "announce") {
				t.Errorf("a way that does not exist is told: %q", p.Detail)
			}
		})
	}
}

func TestVerifyLimit(t *testing.T) {
	t.Parallel()
	small := newService(t, func(_ *service, p *api.Parts) { p.Settings.Upload.MaxBytes = 10 })
	for _, body := range []string{verifyForm(make([]byte, 11), nil), verifyForm([]byte("x"), make([]byte, 11))} {
		wantProblem(t, small.send(t, "POST", "/api/verify", body, "Content-Type", formType), 413, fault.UploadTooLarge)
	}
	largest := make([]byte, api.MaxForm-len(verifyForm(nil, nil)))
	wantProblem(t, newService(t).send(t, "POST", "/api/verify", verifyForm(largest, nil), "Content-Type", formType), 422, fault.VerifyUnknownFormat)
}

func TestVerifyNeedsTheKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	wantProblem(t, s.send(t, "POST", "/api/verify", verifyForm([]byte("x"), nil), "Content-Type", formType, "X-API-Key", ""), 401, fault.AuthInvalidCredentials)
	if n := s.asked()["Verify"]; n != 0 {
		t.Errorf("the verifier was asked %d times", n)
	}
}

func TestVerifierFails(t *testing.T) {
	t.Parallel()
	body := map[string]string{"Verify": verifyForm([]byte("segredo"), nil), "VerifyDetached": verifyForm([]byte("segredo"), []byte("segredo"))}
	for method, body := range body {
		s := newService(t)
		s.fail[method] = errors.New("read failed")
		wantProblem(t, s.send(t, "POST", "/api/verify", body, "Content-Type", formType), 500, fault.Internal)
		if log := strings.Join(s.lines.all(), ""); strings.Contains(log, "segredo") || strings.Contains(log, "a.p7s") || !strings.Contains(log, "read failed") {
			t.Errorf("log: %s", log)
		}
		s.fail[method] = fault.New(fault.Throttled, "slow down")
		wantProblem(t, s.send(t, "POST", "/api/verify", body, "Content-Type", formType), 503, fault.Throttled)
	}
}

// FuzzVerify holds that whatever is sent to be judged gets a verdict or a refusal.
func FuzzVerify(f *testing.F) {
	s, files := judging(f)
	for _, file := range [][]byte{files.pdf, files.plainPDF, files.xml, files.attached, files.detached, []byte("x")} {
		f.Add(file, []byte(nil))
		f.Add(file, []byte(signedContent))
	}
	f.Fuzz(func(t *testing.T, file, content []byte) {
		s.calls, s.lines.text = nil, nil
		if len(content) == 0 {
			content = nil
		}
		r := s.send(t, "POST", "/api/verify", verifyForm(file, content), "Content-Type", formType)
		if r.StatusCode == 200 {
			verdictIn(t, r.StatusCode, r.Body)
		} else if p := problemIn(t, r); p.Status >= 500 {
			t.Errorf("answer = %d %s: %v", p.Status, p.Code, s.lines.all())
		}
	})
}
