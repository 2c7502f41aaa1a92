package lacuna_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
)

const page = "<!DOCTYPE html><html><body>Sign in " + documentKey + "</body></html>"

func TestFailuresAreClassified(t *testing.T) {
	t.Parallel()
	model := `{"code":"FolderNotFound","message":"` + documentKey + `","details":{"key":"` + documentKey + `"}}`
	tests := []struct {
		name         string
		status       int
		kind, answer string
		want         verdict
	}{
		{"a business error", 422, "application/json", model, verdict{422, "FolderNotFound", false, false}},
		{"a business error as text", 422, "text/plain", model, verdict{422, "FolderNotFound", false, false}},
		{"a business error with nulls", 422, "application/json", `{"code":null,"message":null}`, verdict{422, "", false, false}},
		{"a code that is none", 422, "application/json", `{"code":"key ` + documentKey + `"}`, verdict{422, "", false, false}},
		{"a code that is a number", 422, "application/json", `{"code":404}`, verdict{422, "", false, false}},
		{"a code that is too long", 422, "application/json", `{"code":"` + strings.Repeat("A", 65) + `"}`, verdict{422, "", false, false}},
		{"an error that is too long", 422, "application/json", `{"code":"A","message":"` + strings.Repeat("x", 70<<10) + `"}`, verdict{422, "", false, false}},
		{"an error that breaks off", 422, "application/json", `{"code":"FolderNo`, verdict{422, "", false, false}},
		{"400 in words", 400, "text/plain", "files is required " + documentKey, verdict{400, "", false, false}},
		{"400 with a code", 400, "application/json", model, verdict{400, "FolderNotFound", false, false}},
		{"401", 401, "application/json", "", verdict{401, "", false, false}},
		{"403 does not have its body read", 403, "application/json", model, verdict{403, "", false, false}},
		{"404 of a proxy", 404, "text/html", page, verdict{404, "", false, false}},
		{"404 without a code", 404, "application/json", `{"message":"no","resourceName":"x"}`, verdict{404, "", false, false}},
		{"413", 413, "text/html", page, verdict{413, "", false, false}},
		{"408", 408, "text/plain", "", verdict{408, "", true, false}},
		{"429", 429, "text/plain", "slow down", verdict{429, "", true, false}},
		{"500", 500, "application/json", model, verdict{500, "", true, false}},
		{"502 of a proxy", 502, "text/html", page, verdict{502, "", true, false}},
		{"503", 503, "text/html", page, verdict{503, "", true, false}},
		{"a status that nobody knows", 799, "text/html", page, verdict{799, "", true, false}},
		{"a redirect to nowhere", 302, "text/html", page, verdict{302, "", true, false}},
		{"not modified", 304, "text/html", "", verdict{304, "", true, false}},
		{"200 of a proxy", 200, "text/html", page, verdict{200, "", true, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := answering(t, tt.status, tt.kind, tt.answer)
			for _, call := range calls {
				err := call.do(t.Context(), c)
				if got := judged(t, err); got != tt.want {
					t.Errorf("%s: %+v (%v), want %+v", call.name, got, err, tt.want)
				}
				if !errors.Is(err, fault.SignerUnreachable) {
					t.Errorf("%s: the code is %s", call.name, fault.CodeOf(err))
				}
			}
		})
	}
}

// Answers that are JSON, and still not what Signer says. The download takes every byte.
func TestSuccessesThatAreNotSigners(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"truncated":       `{"id":"` + documentID + `","items":[{"id":`,
		"of another form": `{"message":"welcome"}`,
		"a string":        `"ok"`,
		"null":            `null`,
		"a number":        `200`,
		"empty":           "",
		"blank":           " \r\n",
		"followed":        `{"success":true,"token":"t","items":[]} {}`,
		"of wrong types":  `{"id":[],"items":{},"success":{},"documentId":7}`,
		"too long":        `{"id":"` + strings.Repeat("x", 9<<20) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := answering(t, http.StatusOK, "application/json", answer)
			for _, call := range calls {
				if call.name == "Download" || call.name == "Cancel" {
					continue
				}
				err := call.do(t.Context(), c)
				if call.name == "ActionURL" && errors.Is(err, fault.SignerFolderURLMalformed) {
					continue // an object without addresses
				}
				if got, want := judged(t, err), (verdict{200, "", true, false}); got != want {
					t.Errorf("%s: %+v (%v), want %+v", call.name, got, err, want)
				}
			}
		})
	}
}

func TestAnswersAreLimited(t *testing.T) {
	t.Parallel()
	for _, call := range calls {
		if call.name == "Download" || call.name == "Cancel" {
			continue
		}
		for size, fits := range map[int]bool{60 << 10: true, 9 << 20: false} {
			pad := `{"pad":"` + strings.Repeat("x", size) + `",`
			c := answering(t, http.StatusOK, "application/json", strings.Replace(good(call.name), "{", pad, 1))
			err := call.do(t.Context(), c)
			if (err == nil) != fits {
				t.Errorf("%s: an answer of %d bytes: %v", call.name, size, err)
			}
			if err != nil && (judged(t, err) != verdict{200, "", true, false} || !strings.Contains(err.Error(), "longer than")) {
				t.Errorf("%s: %v", call.name, err)
			}
		}
	}
}

func TestCancelExpectsNothing(t *testing.T) {
	t.Parallel()
	for answer, ok := range map[string]bool{"": true, "\n": true, "null": true, `{"x":1}`: true, page: false, "{": false} {
		err := answering(t, http.StatusOK, "application/json", answer).Cancel(t.Context(), documentID, "why")
		if (err == nil) != ok {
			t.Errorf("Cancel answered by %q = %v", answer, err)
		}
	}
}

func TestIdsThatSignerCannotHave(t *testing.T) {
	t.Parallel()
	c := serving(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, id := range []string{"", "1", "../folders", documentID + "/content", strings.ReplaceAll(documentID, "-", ""), "{" + documentID + "}"} {
		_, errDocument := c.Document(t.Context(), id)
		_, errFolder := c.Folder(t.Context(), id)
		_, errTicket := c.ActionURL(t.Context(), job.ActionQuery{DocumentID: id})
		var errPending error
		for _, err := range c.Pending(t.Context(), id) {
			errPending = err
		}
		for i, err := range []error{
			errDocument, errFolder, errTicket, errPending, c.Cancel(t.Context(), id, "why"), c.Download(t.Context(), id, nil),
		} {
			if got, want := judged(t, err), (verdict{unsent: true}); got != want {
				t.Errorf("call %d with %q: %+v, want %+v", i, id, got, want)
			}
		}
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	tests := []struct {
		endpoint string
		fit      bool
	}{
		{"https://signer.example.com", true}, {"https://signer.example.com/", true}, {"HTTPS://signer.example.com//", true},
		{"http://127.0.0.1:1", true}, {"http://[::1]:1/prefix", true}, {"http://localhost:1", true},
		{"", false}, {"signer.example.com", false}, {"http://signer.example.com", false}, {"ftp://127.0.0.1", false},
		{"https://", false}, {"https://u:SECRET@signer.example.com", false}, {"https://signer.example.com?SECRET", false},
		{"https://signer.example.com/#SECRET", false}, {"https://signer.example.com/%zzSECRET", false}, {"https:signer", false},
	}
	for _, tt := range tests {
		c := clientOf(tt.endpoint, refusing)
		_, err := c.Folder(t.Context(), folderID)
		if got, want := judged(t, err), (verdict{transient: tt.fit, unsent: true}); got != want {
			t.Errorf("%q: %+v (%v), want %+v", tt.endpoint, got, err, want)
		}
		if unfit := errors.Is(err, fault.SignerNotConfigured); unfit == tt.fit {
			t.Errorf("%q: %v", tt.endpoint, err)
		}
	}
}

func TestPathPrefixIsKept(t *testing.T) {
	t.Parallel()
	var got string
	c := serving(t, func(_ http.ResponseWriter, r *http.Request) { got = r.URL.Path })
	_ = c.Cancel(t.Context(), documentID, "why")
	want := "/api/documents/" + documentID + "/cancellation"
	if got != want {
		t.Errorf("path %q, want %q", got, want)
	}
	c = serving(t, func(_ http.ResponseWriter, r *http.Request) { got = r.URL.Path }, func(o *lacuna.Options) { o.Endpoint += "/signer/v1//" })
	_ = c.Cancel(t.Context(), strings.ToUpper(documentID), "why")
	if want = "/signer/v1" + want; got != want {
		t.Errorf("path %q, want %q", got, want)
	}
}

func TestClientDoesNotPrintItsKey(t *testing.T) {
	t.Parallel()
	c := answering(t, http.StatusOK, "application/json", `{"id":"`+folderID+`"}`)
	if _, err := c.Folder(t.Context(), folderID); err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(s, "SECRET") {
		t.Errorf("the client prints its key: %s", s)
	}
}
