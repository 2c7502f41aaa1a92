package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
	"bulksigner/internal/sign/signtest"
)

// service runs the real binaries for all tests of this package.
var service *local.Service

func TestMain(m *testing.M) {
	code, err := serve(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func serve(m *testing.M) (code int, err error) {
	if err := enterModule(); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "local")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if service, err = start(context.Background(), flags{data: filepath.Join(dir, "data"), address: "127.0.0.1:0"}); err != nil {
		return 1, err
	}
	code = m.Run()
	return code, service.Close()
}

// TestSamples is the run that a newcomer sees, and every output of it before outside judges.
func TestSamples(t *testing.T) {
	var said bytes.Buffer
	r, err := try(t.Context(), flags{wait: 2 * time.Minute}, service, &said)
	if err != nil || r.Unexpected != 0 || r.Expected == 0 {
		t.Fatalf("%d as expected, %d not, %v\n%s", r.Expected, r.Unexpected, err, said.String())
	}
	j := newJudges(t)
	judged, there := map[string]int{}, 0
	err = filepath.WalkDir(filepath.Join(service.Dir, "output"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		ext := strings.ToLower(filepath.Ext(path))
		judged[ext]++
		if filepath.Base(filepath.Dir(path)) == "lacuna-signer" {
			there++
		}
		switch ext {
		case ".pdf":
			j.pdf(t, path)
		case ".xml":
			j.xml(t, path)
		case ".p7m":
			j.attached(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if judged[".pdf"] < 5 || judged[".xml"] == 0 || judged[".p7m"] == 0 {
		t.Errorf("judged %v, want PDFs, an XML file and a message", judged)
	}
	if there < 6 {
		t.Errorf("%d files that were signed at Lacuna Signer, want all", there)
	}
}

// judges are the outside tools, with the run's root.
type judges struct {
	pdfsig, qpdf, openssl string
	xmlsec                string
	root, nss             string
}

func newJudges(t *testing.T) *judges {
	t.Helper()
	j := &judges{
		pdfsig: signtest.Tool(t, "pdfsig", "poppler-utils"), qpdf: signtest.Tool(t, "qpdf", "qpdf"),
		openssl: signtest.Tool(t, "openssl", "openssl"), xmlsec: signtest.Tool(t, "xmlsec1", "xmlsec1"), root: service.Root(), nss: t.TempDir(),
	}
	certutil := signtest.Tool(t, "certutil", "libnss3-tools")
	output(t, certutil, "-N", "-d", j.nss, "--empty-password")
	output(t, certutil, "-A", "-d", j.nss, "-n", "root", "-t", "C,C,C", "-i", j.root)
	return j
}

var ranges = regexp.MustCompile(`Signed Ranges: \[0 - (\d+)\], \[(\d+) - (\d+)\]`)

// pdf judges one output: its maths, its chain, that it is covered whole, its structure, and its CAdES attributes.
func (j *judges) pdf(t *testing.T, path string) {
	t.Helper()
	name := filepath.Base(path)
	said := output(t, j.pdfsig, "-nssdir", j.nss, "-no-ocsp", path)
	for _, want := range []string{"Signature is Valid.", "Certificate is Trusted.", "Total document signed"} {
		if !strings.Contains(said, want) {
			t.Errorf("%s: pdfsig does not say %q:\n%s", name, want, said)
		}
	}
	output(t, j.qpdf, "--check", path)
	m := ranges.FindAllStringSubmatch(said, -1)
	if len(m) == 0 {
		t.Fatalf("%s: pdfsig names no signed ranges:\n%s", name, said)
	}
	j.cades(t, path, m[len(m)-1][1:], len(m)-1)
}

// xml judges a XAdES file: both its references, and the chain.
func (j *judges) xml(t *testing.T, path string) {
	t.Helper()
	said := output(t, j.xmlsec, "--verify", "--trusted-pem", j.root, "--id-attr:Id", "http://uri.etsi.org/01903/v1.3.2#:SignedProperties", path)
	if !strings.Contains(said, "SignedInfo References (ok/all): 2/2") {
		t.Errorf("%s: xmlsec1 says %s", filepath.Base(path), said)
	}
}

// attached judges a CAdES message with its content.
func (j *judges) attached(t *testing.T, path string) {
	t.Helper()
	said := output(t, j.openssl, "cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", path, "-CAfile", j.root, "-purpose", "any", "-out", os.DevNull)
	if !strings.Contains(said, "CAdES Verification successful") {
		t.Errorf("%s: openssl says %s", filepath.Base(path), said)
	}
}

// cades gives the CMS inside a PDF to openssl, with the bytes that its ranges name.
func (j *judges) cades(t *testing.T, path string, ends []string, n int) {
	t.Helper()
	var first, second, third int
	if _, err := fmt.Sscan(strings.Join(ends, " "), &first, &second, &third); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	content := filepath.Join(dir, "content")
	if err := os.WriteFile(content, append(bytes.Clone(whole[:first]), whole[second:third]...), 0o600); err != nil {
		t.Fatal(err)
	}
	dump := exec.CommandContext(t.Context(), j.pdfsig, "-nocert", "-dump", path)
	dump.Dir = dir
	if out, err := dump.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cms := filepath.Join(dir, fmt.Sprintf("%s.sig%d", filepath.Base(path), n))
	said := output(t, j.openssl, "cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", cms, "-content", content,
		"-CAfile", j.root, "-purpose", "any", "-out", os.DevNull)
	if !strings.Contains(said, "CAdES Verification successful") {
		t.Errorf("%s: openssl says %s", filepath.Base(path), said)
	}
}

// output runs a tool, which must not fail, and returns what it says.
func output(t *testing.T, tool string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", filepath.Base(tool), err, out)
	}
	return string(out)
}

// TestHandedIn hands a document to the API in both ways and fetches the signed one.
func TestHandedIn(t *testing.T) {
	document, err := embedded.ReadFile("samples/contrato.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for name, hand := range map[string]func(*testing.T, []byte) string{"in the request": handMultipart, "under a link": handLink} {
		t.Run(name, func(t *testing.T) {
			id := hand(t, document)
			j := await(t, id)
			if j.Status != "Completed" {
				t.Fatalf("the job ends %s %s: %s", j.Status, j.ErrorCode, j.ErrorMessage)
			}
			var got bytes.Buffer
			if err := demo.NewClient(service.URL, service.APIKey).Output(t.Context(), id, &got); err != nil {
				t.Fatal(err)
			}
			judge(t, got.Bytes(), true)
			judge(t, bytes.Replace(got.Bytes(), []byte("/Type"), []byte("/Typo"), 1), false)
			if !bytes.HasPrefix(got.Bytes(), document) || got.Len() == len(document) {
				t.Errorf("the output has %d bytes and does not begin with the document's %d", got.Len(), len(document))
			}
		})
	}
}

// judge asks the API for its verdict on a file.
func judge(t *testing.T, file []byte, want bool) {
	t.Helper()
	var verdict struct{ Valid bool }
	kind, body := formOf(t, file)
	answer := call(t, "POST", "/api/verify", kind, body, 200)
	if err := json.Unmarshal(answer, &verdict); err != nil || verdict.Valid != want {
		t.Errorf("the verdict is %s, %v, want valid %t", answer, err, want)
	}
}

// formOf is a file as a form field.
func formOf(t *testing.T, file []byte) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "Contrato ção.pdf")
	if err != nil {
		t.Fatal(err)
	}
	part.Write(file)
	form.Close()
	return form.FormDataContentType(), b.Bytes()
}

func handMultipart(t *testing.T, document []byte) string {
	t.Helper()
	kind, body := formOf(t, document)
	return accepted(t, call(t, "POST", "/api/files?profile=contracts", kind, body, 202)).JobID
}

func handLink(t *testing.T, document []byte) string {
	t.Helper()
	a := accepted(t, call(t, "POST", "/api/files", "application/json", []byte(`{"fileName":"contrato.pdf","profile":"contracts"}`), 202))
	r, err := http.NewRequestWithContext(t.Context(), a.Upload.Method, a.Upload.URL, bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range a.Upload.Headers {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the link answers %d", resp.StatusCode)
	}
	return a.JobID
}

type acceptance struct {
	JobID  string `json:"jobId"`
	Upload struct {
		Method, URL string
		Headers     map[string]string
	}
}

func accepted(t *testing.T, body []byte) (a acceptance) {
	t.Helper()
	if err := json.Unmarshal(body, &a); err != nil || a.JobID == "" {
		t.Fatalf("the answer is %s, %v", body, err)
	}
	return a
}

// await follows a job, which is not there before its object was taken in, until it has ended.
func await(t *testing.T, id string) demo.Job {
	t.Helper()
	c := demo.NewClient(service.URL, service.APIKey)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		j, err := c.Job(ctx, id)
		if err == nil && (j.Status == "Completed" || j.Status == "Failed") {
			return j
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("job %s does not end: %+v, %v", id, j, err)
		}
	}
}

func call(t *testing.T, method, path, contentType string, body []byte, want int) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, service.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("X-Api-Key", service.APIKey)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		t.Fatalf("%s %s answers %d, %v, want %d: %s", method, path, resp.StatusCode, err, want, got)
	}
	return got
}
