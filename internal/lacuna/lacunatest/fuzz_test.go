package lacunatest_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"bulksigner/internal/lacuna/lacunatest"
)

// FuzzRequests sends any body to every call: the service answers, and never with 5xx.
func FuzzRequests(f *testing.F) {
	s := lacunatest.New(lacunatest.Options{Now: newClock().Now})
	doc, err := s.AddDocument(waitingFor(maria, ""))
	if err != nil {
		f.Fatal(err)
	}
	st, _ := s.Get(doc)
	paths := []string{
		"/api/uploads", "/api/uploads/bytes", "/api/documents", "/api/documents/" + doc + "/cancellation", "/api/documents/" + doc + "/action-url",
		"/api/documents/keys/" + st.Key + "/signature/certificate", "/api/documents/keys/" + st.Key + "/signature",
	}
	f.Add(uint8(0), "multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n"))
	f.Add(uint8(1), "application/json", []byte(`{"bytes":"eA=="}`))
	f.Add(uint8(2), "application/json", []byte(`{"files":[{"id":"x","name":"a","displayName":"a","contentType":"a"}],"flowActions":[{"type":"Signer","step":null}],"expirationDate":null}`))
	f.Add(uint8(4), "text/json", []byte(`{"identifier":"52998224725"}`))
	f.Add(uint8(5), "application/json", []byte(`{"ticket":"x","certificate":"MAA="}`))
	f.Fuzz(func(t *testing.T, at uint8, kind string, body []byte) {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://signer.invalid"+paths[int(at)%len(paths)], bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		r.Header.Set("X-Api-Key", s.Key())
		resp, err := s.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode >= 500 {
			t.Errorf("%d, %v", resp.StatusCode, err)
		}
	})
}
