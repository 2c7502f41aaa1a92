package lacuna_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
)

// reader answers with one key after another. It records how it was asked.
type reader struct {
	keys  []string
	err   error // of the second
	asked []bool
}

func (r *reader) read(_ context.Context, again bool) (string, error) {
	r.asked = append(r.asked, again)
	if again && r.err != nil {
		return "", r.err
	}
	return r.keys[min(len(r.asked), len(r.keys))-1], nil
}

func TestRefusedKeyIsReadAnew(t *testing.T) {
	t.Parallel()
	broken := errors.New("the store does not answer")
	tests := []struct {
		name     string
		status   int
		reader   reader
		requests []string // the keys that came
		asked    []bool
		want     verdict
		cause    error
	}{
		{"good", 401, reader{keys: []string{"new"}}, []string{"new"}, []bool{false}, verdict{}, nil},
		{"changed, 401", 401, reader{keys: []string{"old", "new"}}, []string{"old", "new"}, []bool{false, true}, verdict{}, nil},
		{"changed, 403", 403, reader{keys: []string{"old", "new"}}, []string{"old", "new"}, []bool{false, true}, verdict{}, nil},
		{"the same", 401, reader{keys: []string{"old"}}, []string{"old"}, []bool{false, true}, verdict{status: 401}, nil},
		{"changed, and refused too", 403, reader{keys: []string{"old", "older", "new"}}, []string{"old", "older"}, []bool{false, true}, verdict{status: 403}, nil},
		{"cannot be read anew", 401, reader{keys: []string{"old"}, err: broken}, []string{"old"}, []bool{false, true}, verdict{}, broken},
		{"another refusal", 422, reader{keys: []string{"old", "new"}}, []string{"old"}, []bool{false}, verdict{status: 422}, nil},
		{"a failure", 503, reader{keys: []string{"old", "new"}}, []string{"old"}, []bool{false}, verdict{status: 503, transient: true}, nil},
	}
	for _, tt := range tests {
		for _, call := range calls {
			t.Run(tt.name+"/"+call.name, func(t *testing.T) {
				t.Parallel()
				var came []string
				keys := tt.reader
				c := serving(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					came = append(came, r.Header.Get("X-Api-Key"))
					if r.Header.Get("X-Api-Key") != "new" {
						w.WriteHeader(tt.status)
						return
					}
					_, _ = io.WriteString(w, good(call.name))
				}, func(o *lacuna.Options) { o.Key = keys.read })
				err := call.do(t.Context(), c)
				var got verdict
				if err != nil && tt.cause == nil {
					got = judged(t, err)
				}
				if _, signers := errors.AsType[*job.SignerError](err); signers && tt.cause != nil {
					t.Errorf("a trouble of our own shows as Signer's: %v", err)
				}
				if got != tt.want || tt.cause != nil && !errors.Is(err, tt.cause) {
					t.Errorf("%+v, %v, want %+v", got, err, tt.want)
				}
				if !slices.Equal(came, tt.requests) || !slices.Equal(keys.asked, tt.asked) {
					t.Errorf("keys %v came, asked %v", came, keys.asked)
				}
			})
		}
	}
}

// good is an answer of success to a call.
func good(name string) string {
	return map[string]string{
		"Upload": `{"id":"UP-1"}`, "Create": `[{"uploadId":"UP-1","documentId":"` + documentID + `"}]`,
		"Document": `{"id":"` + documentID + `"}`, "Download": "content", "Cancel": "",
		"Pending": `{"items":[],"totalCount":0}`, "Folder": `{"id":"` + folderID + `"}`, "Folders": `{"items":[],"totalCount":0}`,
		"ActionURL": `{"url":"https://x/document/key/K/sign?ticket=T"}`,
		"Start":     `{"success":true,"token":"t"}`, "Complete": `{"success":true}`,
	}[name]
}

func TestKeyIsSentAsItIs(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("X-Api-Key"); got != "My  App | v2|00ff" {
			t.Errorf("the key came as %q", got)
		}
	}, func(o *lacuna.Options) {
		o.Key = func(context.Context, bool) (string, error) { return "My  App | v2|00ff", nil }
	})
	if err := c.Cancel(t.Context(), documentID, "why"); err != nil {
		t.Error(err)
	}
}
