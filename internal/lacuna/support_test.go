package lacuna_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
	"bulksigner/internal/profile"
)

const (
	apiKey      = "A Sample App|0123456789abcdefSECRET"
	documentKey = "DOCKEY-7Q2X-SECRET"
	ticket      = "TICKET-SECRET"
	documentID  = "0b4e7c1a-3f52-4d6b-9a18-2c7d5e9f0a11"
	otherID     = "1c5f8d2b-4063-4e7c-8b29-3d8e6fa01b22"
	folderID    = "7d1e0a52-94f7-4c3a-8a3e-6f0f1b2c3d4e"
	actionID    = "9f0c6f0e-0a4c-4f0b-8f0e-5a7b3c1d2e3f"
)

// settled is a key that does not change.
func settled(context.Context, bool) (string, error) { return apiKey, nil }

// clientOf makes a client of an address.
func clientOf(url string, change ...func(*lacuna.Options)) *lacuna.Client {
	o := lacuna.Options{Endpoint: url, Key: settled}
	for _, c := range change {
		c(&o)
	}
	return lacuna.New(o)
}

// serving makes a client of a server.
func serving(t testing.TB, h http.HandlerFunc, change ...func(*lacuna.Options)) *lacuna.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return clientOf(s.URL, change...)
}

// answering makes a client of a server that gives one answer to everything.
func answering(t testing.TB, status int, contentType, body string) *lacuna.Client {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// call is one of the client's calls.
type call struct {
	name string
	read bool // may be repeated and redirected
	do   func(context.Context, *lacuna.Client) error
}

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}

var dispatch = job.Dispatch{
	UploadID: "UP-1", Name: "Contrato", FileName: "contrato.pdf", ContentType: "application/pdf",
	Participant: profile.Participant{Name: " Maria ", Email: "maria@example.com", Identifier: "755.028.463-69"}, Job: "job-1",
}

var opening = job.Ticket{Key: documentKey, Ticket: ticket}

// calls are all calls.
var calls = []call{
	{"Upload", false, func(ctx context.Context, c *lacuna.Client) error {
		_, err := c.Upload(ctx, "a.pdf", "application/pdf", section("content"))
		return err
	}},
	{"Create", false, func(ctx context.Context, c *lacuna.Client) error { _, err := c.Create(ctx, dispatch); return err }},
	{"Document", true, func(ctx context.Context, c *lacuna.Client) error { _, err := c.Document(ctx, documentID); return err }},
	{"Download", true, func(ctx context.Context, c *lacuna.Client) error { return c.Download(ctx, documentID, &bytes.Buffer{}) }},
	{"Cancel", false, func(ctx context.Context, c *lacuna.Client) error { return c.Cancel(ctx, documentID, "why") }},
	{"Pending", true, func(ctx context.Context, c *lacuna.Client) error {
		for _, err := range c.Pending(ctx, folderID) {
			if err != nil {
				return err
			}
		}
		return nil
	}},
	{"Folder", true, func(ctx context.Context, c *lacuna.Client) error { _, err := c.Folder(ctx, folderID); return err }},
	{"Folders", true, func(ctx context.Context, c *lacuna.Client) error { _, err := c.Folders(ctx, "a"); return err }},
	{"ActionURL", false, func(ctx context.Context, c *lacuna.Client) error {
		_, err := c.ActionURL(ctx, job.ActionQuery{DocumentID: documentID, Identifier: "1", Email: "e"})
		return err
	}},
	{"Start", false, func(ctx context.Context, c *lacuna.Client) error {
		_, err := c.Start(ctx, opening, []byte("der"))
		return err
	}},
	{"Complete", false, func(ctx context.Context, c *lacuna.Client) error {
		_, err := c.Complete(ctx, opening, "token", []byte("sig"))
		return err
	}},
}

// verdict is what a caller decides by.
type verdict struct {
	status            int
	code              string
	transient, unsent bool
}

// judged returns the verdict of an error, after it has looked for secrets in it.
func judged(t testing.TB, err error) verdict {
	t.Helper()
	keepsSecrets(t, err)
	e, ok := errors.AsType[*job.SignerError](err)
	if !ok {
		t.Fatalf("the error is %v, want a *job.SignerError", err)
	}
	if e.Op == "" {
		t.Error("the error does not say what was done")
	}
	return verdict{e.Status, e.Code, e.Transient, e.Unsent}
}

// keepsSecrets looks for secrets in everything that an error can be printed as.
func keepsSecrets(t testing.TB, err error) {
	t.Helper()
	text := fmt.Sprintf("%v %+v %#v", err, err, err)
	for ; err != nil; err = unwrap(err) {
		text += fmt.Sprintf(" %v %+v", err, err)
	}
	for _, secret := range []string{"SECRET", "http://", "https://", "/api/", documentID} {
		if strings.Contains(text, secret) {
			t.Errorf("the error quotes %q: %s", secret, text)
		}
	}
}

// unwrap goes to the last cause of an error.
func unwrap(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		all := many.Unwrap()
		return all[len(all)-1]
	}
	return errors.Unwrap(err)
}
