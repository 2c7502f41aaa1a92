package lacuna_test

import (
	"crypto"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
)

func TestParseActionURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]job.Ticket{
		"https://x.example/document/key/ABCD/sign?ticket=T1":                 {Key: "ABCD", Ticket: "T1"},
		"https://x.example/document/key/ABCD/sign-embedded?a=b&ticket=T%2F1": {Key: "ABCD", Ticket: "T/1"},
		"https://x.example/site/document/key/AB-CD/approve?ticket=T1#top":    {Key: "AB-CD", Ticket: "T1"},
		"/document/key/ABCD?ticket=T1":                                       {Key: "ABCD", Ticket: "T1"},
		"https://x.example/document/key/A%2FB%20C/sign?ticket=a+b":           {Key: "A/B C", Ticket: "a b"},
		"https://x.example/document/key/ABCD/sign":                           {},
		"https://x.example/document/key/ABCD/sign?Ticket=T1":                 {},
		"https://x.example/document/key/ABCD/sign?ticket=":                   {},
		"https://x.example/document/key//sign?ticket=T1":                     {},
		"https://x.example/document/key/../sign?ticket=T1":                   {},
		"https://x.example/document/key/%2e%2e/sign?ticket=T1":               {},
		"https://x.example/document/ABCD/sign?ticket=T1":                     {},
		"https://x.example/?ticket=T1&next=/document/key/ABCD/sign":          {},
		"https://x.example/document/key/%zz/sign?ticket=T1":                  {},
		"": {},
	} {
		got, ok := lacuna.ParseActionURL(in)
		if ok != (want != job.Ticket{}) || ok && got != want {
			t.Errorf("%s: %+v, %v, want %+v", in, got, ok, want)
		}
	}
}

func TestActionURL(t *testing.T) {
	t.Parallel()
	good, embedded := "https://other.invalid/document/key/K1/sign?ticket=T1", "https://other.invalid/document/key/K2/sign-embedded?ticket=T2"
	tests := []struct {
		name, answer string
		want         job.Ticket
	}{
		{"both", fmt.Sprintf(`{"url":%q,"embedUrl":%q}`, good, embedded), job.Ticket{Key: "K1", Ticket: "T1"}},
		{"the embedded one alone", fmt.Sprintf(`{"url":null,"embedUrl":%q}`, embedded), job.Ticket{Key: "K2", Ticket: "T2"}},
		{"a first one without a ticket", fmt.Sprintf(`{"url":"https://x/document/key/SECRET/sign","embedUrl":%q}`, embedded), job.Ticket{Key: "K2", Ticket: "T2"}},
		{"none", `{"url":null,"embedUrl":null}`, job.Ticket{}},
		{"neither is good", `{"url":"https://x/SECRET?ticket=SECRET","embedUrl":"%zzSECRET"}`, job.Ticket{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := answering(t, http.StatusOK, "application/json", tt.answer).ActionURL(t.Context(), job.ActionQuery{DocumentID: documentID})
			if got != tt.want || (err == nil) != (tt.want != job.Ticket{}) {
				t.Errorf("%+v, %v, want %+v", got, err, tt.want)
			}
			if err != nil {
				keepsSecrets(t, err)
			}
			if _, signers := errors.AsType[*job.SignerError](err); err != nil && (signers || fault.CodeOf(err) != fault.SignerFolderURLMalformed) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// received makes a client of a server that compares what it is sent.
func received(t testing.TB, path, body, answer string) *lacuna.Client {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.URL.EscapedPath() != path || string(b) != body || r.Method != http.MethodPost {
			t.Errorf("%s %s %s\nwant POST %s %s", r.Method, r.URL.EscapedPath(), b, path, body)
		}
		_, _ = io.WriteString(w, answer)
	})
}

func TestWhatSigningSends(t *testing.T) {
	t.Parallel()
	url := `{"url":"https://x/document/key/K/sign?ticket=T"}`
	path := "/api/documents/" + documentID + "/action-url"
	q := job.ActionQuery{DocumentID: strings.ToUpper(documentID), Identifier: "755.028.463-69", Email: "a@b.c"}
	if _, err := received(t, path, `{"identifier":"75502846369","emailAddress":"a@b.c"}`, url).ActionURL(t.Context(), q); err != nil {
		t.Error(err)
	}
	q = job.ActionQuery{DocumentID: documentID, Identifier: "75502846369", ActionID: actionID}
	if _, err := received(t, path, `{"identifier":"75502846369","flowActionId":"`+actionID+`"}`, url).ActionURL(t.Context(), q); err != nil {
		t.Error(err)
	}
	odd := job.Ticket{Key: "A/B ?#%", Ticket: "T"}
	c := received(t, "/api/documents/keys/A%2FB%20%3F%23%25/signature/certificate", `{"ticket":"T","certificate":"AP//"}`, `{"success":true,"token":"t"}`)
	if _, err := c.Start(t.Context(), odd, []byte{0, 255, 255}); err != nil {
		t.Error(err)
	}
	c = received(t, "/api/documents/keys/A%2FB%20%3F%23%25/signature", `{"token":"t","signature":"AP//"}`, `{"success":true}`)
	if _, err := c.Complete(t.Context(), odd, "t", []byte{0, 255, 255}); err != nil {
		t.Error(err)
	}
}

func TestParseStarted(t *testing.T) {
	t.Parallel()
	hash := []byte("0123456789abcdef0123456789abcdef")
	for name, want := range map[string]crypto.Hash{
		"2.16.840.1.101.3.4.2.1": crypto.SHA256, "SHA-256": crypto.SHA256, "sha256": crypto.SHA256, " Sha-256 ": crypto.SHA256,
		"2.16.840.1.101.3.4.2.2": crypto.SHA384, "SHA-384": crypto.SHA384, "SHA384": crypto.SHA384,
		"2.16.840.1.101.3.4.2.3": crypto.SHA512, "sha-512": crypto.SHA512, "SHA512": crypto.SHA512,
		"1.3.14.3.2.26": 0, "SHA-1": 0, "SHA1": 0, "MD5": 0, "": 0, "SHA-2\u0000\n56": crypto.SHA256, "x" + strings.Repeat("y", 500): 0,
	} {
		in := fmt.Sprintf(`{"success":true,"token":"tok","toSignHash":%q,"digestAlgorithm":%q,"validationResults":null}`,
			base64.StdEncoding.EncodeToString(hash), strings.ReplaceAll(name, "\u0000\n", ""))
		got, err := lacuna.ParseStarted([]byte(in))
		if err != nil || got.Digest != want || !got.Accepted || got.Token != "tok" || !reflect.DeepEqual(got.Hash, hash) || len(got.DigestName) > 64 {
			t.Errorf("%.20q: %+v, %v, want %v", name, got, err, want)
		}
	}
}

func TestParseStartedLeniently(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     job.Started
		ok       bool
	}{
		{"a hash that is none", `{"success":true,"token":"t","toSignHash":"%%%","digestAlgorithm":"SHA256"}`,
			job.Started{Accepted: true, Token: "t", Digest: crypto.SHA256, DigestName: "SHA256"}, true},
		{"nulls", `{"success":true,"token":"t","toSignHash":null,"digestAlgorithm":null,"validationResults":null}`, job.Started{Accepted: true, Token: "t"}, true},
		{"a digest that does not print", `{"success":true,"token":"t","digestAlgorithm":"SHA\u0000-\n1"}`, job.Started{Accepted: true, Token: "t", DigestName: "SHA-1"}, true},
		{"refused", `{"success":false,"token":"t","toSignHash":"AAAA","validationResults":{"errors":[{"type":"CertificateExpired"}]}}`,
			job.Started{Findings: []string{"CertificateExpired"}}, true},
		{"refused without a word", `{"success":false,"token":null,"toSignHash":null,"validationResults":null}`, job.Started{}, true},
		{"without a token", `{"success":true,"toSignHash":"AAAA"}`, job.Started{}, false},
		{"without a verdict", `{"success":null,"token":"t","toSignHash":"AAAA"}`, job.Started{}, false},
	}
	for _, tt := range tests {
		got, err := lacuna.ParseStarted([]byte(tt.in))
		if (err == nil) != tt.ok || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	many := make([]string, 0, 100)
	for i := range 100 {
		many = append(many, fmt.Sprintf(`{"type":"T%02d"}`, i))
	}
	deep := `{"type":"Bottom"}`
	for i := range 50 {
		deep = fmt.Sprintf(`{"type":"L%d","innerValidationResults":{"errors":[%s]}}`, 50-i, deep)
	}
	tests := []struct {
		name, results string
		want          []string
	}{
		{"none", `null`, nil},
		{"no object", `"` + strings.Repeat("x", 100) + `"`, nil},
		{"of other types", `{"errors":{"type":"A"}}`, nil},
		{"an inner one of another type", `{"errors":[{"type":"A","innerValidationResults":[1]}]}`, []string{"A"}},
		{"nested without end", `{"errors":[` + strings.Repeat(`{"innerValidationResults":{"errors":[`, 3000) + strings.Repeat(`]}}`, 3000) + `]}`, nil},
		{"nulls", `{"errors":null,"warnings":null,"passedChecks":null}`, nil},
		{"errors, never messages or details", `{"errors":[null,{"type":"A","message":"SECRET","detail":"SECRET"},{"type":null,"message":"SECRET"},{"type":"A"},{"type":"B"}],"warnings":[{"type":"W"}]}`, []string{"A", "B"}},
		{"inner ones", `{"errors":[{"type":"A","innerValidationResults":{"errors":[{"type":"A1"}],"passedChecks":[{"type":"P"}]}},{"type":"B"}]}`, []string{"A", "A1", "B"}},
		{"indeterminate ones", `{"errors":[],"indeterminateItens":[{"type":"I"}],"warnings":[{"type":"W"}]}`, []string{"I"}},
		{"warnings", `{"errors":[],"warnings":[{"type":"W"}]}`, []string{"W"}},
		{"long and odd ones", `{"errors":[{"type":"` + strings.Repeat("ã", 100) + `\u0000\n"}]}`, []string{strings.Repeat("ã", 64)}},
		{"many", `{"errors":[` + strings.Join(many, ",") + `]}`, []string{"T00", "T01", "T02", "T03", "T04", "T05", "T06", "T07", "T08", "T09", "T10", "T11", "T12", "T13", "T14", "T15", "T16", "T17", "T18", "T19"}},
		{"deep", `{"errors":[` + deep + `]}`, []string{"L1", "L2", "L3", "L4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			handed, err := lacuna.ParseHanded([]byte(`{"success":false,"validationResults":` + tt.results + `}`))
			if err != nil || handed.Accepted || !reflect.DeepEqual(handed.Findings, tt.want) {
				t.Errorf("%+v, %v, want %v", handed, err, tt.want)
			}
			started, err := lacuna.ParseStarted([]byte(`{"success":false,"validationResults":` + tt.results + `}`))
			if err != nil || !reflect.DeepEqual(started.Findings, tt.want) {
				t.Errorf("%+v, %v, want %v", started, err, tt.want)
			}
		})
	}
}
