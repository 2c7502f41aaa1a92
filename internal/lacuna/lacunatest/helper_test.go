package lacunatest_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/profile"
)

var now = time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)

var (
	maria = profile.Participant{Name: "MARIA DE TESTE", Email: "maria@teste.invalid", Identifier: "52998224725"}
	ana   = profile.Participant{Name: "ANA DE TESTE", Email: "ana@teste.invalid", Identifier: "11144477735"}
	jose  = profile.Participant{Name: "JOSE DE TESTE", Email: "jose@teste.invalid", Identifier: "75502846369"}
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: now} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newServer(t *testing.T, changes ...func(*lacunatest.Options)) *lacunatest.Server {
	t.Helper()
	return lacunatest.NewServer(t, append([]func(*lacunatest.Options){func(o *lacunatest.Options) { o.Now = newClock().Now }}, changes...)...)
}

// waitingFor is a document with one signer.
func waitingFor(p profile.Participant, folder string) lacunatest.Document {
	return lacunatest.Document{FolderID: folder, Actions: []lacunatest.Action{{Participant: p}}}
}

// object is a JSON object of any shape.
type object = map[string]any

// reply is an answer as it came.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request with the key. The body is JSON unless it is nil.
func ask(t *testing.T, s *lacunatest.Server, method, path string, body any) reply {
	t.Helper()
	r, err := send(t, s, method, path, body, s.Key())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func send(t *testing.T, s *lacunatest.Server, method, path string, body any, key string) (reply, error) {
	t.Helper()
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, content)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("X-Api-Key", key)
	}
	return exchange(r)
}

func exchange(r *http.Request) (reply, error) {
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, b}, err
}

// object reads an answer that is an object.
func (r reply) object(t *testing.T) (o object) {
	t.Helper()
	if err := json.Unmarshal(r.body, &o); err != nil {
		t.Fatalf("answer %d %q: %v", r.status, r.body, err)
	}
	return o
}

// code is the code of a business error, or "".
func (r reply) code() string {
	var e struct{ Code string }
	if json.Unmarshal(r.body, &e) != nil {
		return ""
	}
	return e.Code
}

// identity is a holder's certificate and key.
type identity struct {
	key  crypto.Signer
	cert *x509.Certificate
}

var keys = sync.OnceValue(func() map[string]crypto.Signer {
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return map[string]crypto.Signer{"RSA": r, "ECDSA": e}
})

// holder issues a certificate to Maria.
func holder(t *testing.T, s *lacunatest.Server, kind string, opts ...icpbrasiltest.Option) identity {
	t.Helper()
	pki, err := s.PKI()
	if err != nil {
		t.Fatal(err)
	}
	key := keys()[kind]
	cert, err := pki.IssueECPF(key.Public(), icpbrasiltest.Maria(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return identity{key, cert}
}

// link asks for an action URL and takes key and ticket out of it.
func link(t *testing.T, s *lacunatest.Server, doc string, query object) (key, ticket string) {
	t.Helper()
	r := ask(t, s, "POST", "/api/documents/"+doc+"/action-url", query)
	raw, _ := r.object(t)["url"].(string)
	u, err := url.Parse(raw)
	if err != nil || r.status != 200 {
		t.Fatalf("action URL = %d %s", r.status, r.body)
	}
	_, rest, _ := strings.Cut(u.Path, "/document/key/")
	key, _, _ = strings.Cut(rest, "/")
	return key, u.Query().Get("ticket")
}

// begin starts a signature of Maria's.
func begin(t *testing.T, s *lacunatest.Server, doc string, id identity) (key string, started object) {
	t.Helper()
	key, ticket := link(t, s, doc, object{"identifier": maria.Identifier, "emailAddress": maria.Email})
	r := ask(t, s, "POST", "/api/documents/keys/"+key+"/signature/certificate", object{"ticket": ticket, "certificate": id.cert.Raw})
	if r.status != 200 {
		t.Fatalf("start = %d %s", r.status, r.body)
	}
	return key, r.object(t)
}

// end completes a signature.
func end(t *testing.T, s *lacunatest.Server, key string, token any, signature []byte) reply {
	t.Helper()
	return ask(t, s, "POST", "/api/documents/keys/"+key+"/signature", object{"token": token, "signature": signature})
}

// sign signs the hash that a start answered.
func (id identity) sign(t *testing.T, started object, h crypto.Hash) []byte {
	t.Helper()
	hash, err := base64.StdEncoding.DecodeString(started["toSignHash"].(string))
	if err != nil {
		t.Fatal(err)
	}
	value, err := id.key.Sign(rand.Reader, hash, h)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// uploaded sends a file and returns the upload's id.
func uploaded(t *testing.T, s *lacunatest.Server, content string) string {
	t.Helper()
	return ask(t, s, "POST", "/api/uploads/bytes", object{"bytes": []byte(content)}).object(t)["id"].(string)
}

// dispatch is a request that creates a document of an upload for Maria.
func dispatch(upload, name, contentType string) object {
	return object{
		"files":       []object{{"id": upload, "displayName": name, "name": name, "contentType": contentType}},
		"flowActions": []object{{"type": "Signer", "step": 1, "user": object{"name": maria.Name, "identifier": maria.Identifier, "email": maria.Email}}},
		"tags":        []object{{"label": "bulksigner-job", "value": "0195"}},
	}
}
