package lacunatest

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
)

// RoundTrip answers a request without a network, so that a client can use the Signer as its http.RoundTripper: inside of
// a testing/synctest bubble, say. A dropped connection and a body that ends early are errors, as they are on a network.
func (s *Signer) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	in := r.Clone(r.Context())
	if in.Body == nil {
		in.Body = http.NoBody
	}
	in.RequestURI = in.URL.RequestURI()
	defer in.Body.Close()
	rec := httptest.NewRecorder()
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if p != http.ErrAbortHandler {
			panic(p)
		}
		if resp, err = cutOff(rec, r); r.Context().Err() != nil {
			resp, err = nil, r.Context().Err()
		}
	}()
	s.ServeHTTP(rec, in)
	return answered(rec, r), nil
}

func answered(rec *httptest.ResponseRecorder, r *http.Request) *http.Response {
	resp := rec.Result()
	resp.Request = r
	return resp
}

// cutOff is what a client sees of an answer that broke off: nothing, or a body that ends with an error.
func cutOff(rec *httptest.ResponseRecorder, r *http.Request) (*http.Response, error) {
	if rec.Body.Len() == 0 {
		return nil, errors.New("the connection was dropped")
	}
	resp := answered(rec, r)
	resp.Body = io.NopCloser(io.MultiReader(rec.Body, broken{}))
	return resp, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
