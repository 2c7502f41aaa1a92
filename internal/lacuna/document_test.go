package lacuna_test

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
)

const wholeDocument = `{
 "id":"0B4E7C1A-3F52-4D6B-9A18-2C7D5E9F0A11","name":"Contrato","filename":"contrato – nº 1.pdf","mimeType":"Application/PDF; q=1",
 "status":"Refused","statusUpdateReason":"wrong date","isDeleted":false,"forceCadesSignature":true,"somethingNew":{"a":[1]},
 "folder":{"id":"7D1E0A52-94F7-4C3A-8A3E-6F0F1B2C3D4E","name":"F","parentId":null},"updateDate":"2026-09-10T13:02:11.4821234-03:00",
 "flowActions":[null,
  {"id":"9F0C6F0E-0A4C-4F0B-8F0E-5A7B3C1D2E3F","type":"Signer","status":"Pending","step":2,"user":{"identifier":"755.028.463-69","email":"a@b.c"}},
  {"id":"1c5f8d2b-4063-4e7c-8b29-3d8e6fa01b22","type":"NewRule","status":"Paused","step":"3","user":null}]}`

func TestParseDocument(t *testing.T) {
	t.Parallel()
	whole := job.SignerDocument{
		ID: documentID, Name: "Contrato", FileName: "contrato – nº 1.pdf", MIMEType: "application/pdf", Status: job.SignerRefused,
		Reason: "wrong date", FolderID: folderID, ForceCades: true, UpdatedAt: time.Date(2026, 9, 10, 16, 2, 11, 482123400, time.UTC),
		Actions: []job.FlowAction{
			{ID: actionID, Type: "Signer", Status: "Pending", Step: 2, Identifier: "75502846369", Email: "a@b.c"},
			{ID: otherID, Type: "NewRule", Status: "Paused", Step: 3},
		},
	}
	tests := []struct {
		name, in string
		want     job.SignerDocument
	}{
		{"whole", wholeDocument, whole},
		{"after a byte order mark", "\uFEFF" + wholeDocument, whole},
		{"an id alone", `{"id":"` + documentID + `"}`, job.SignerDocument{ID: documentID}},
		{"nulls everywhere", `{"id":"` + documentID + `","name":null,"filename":null,"mimeType":null,"status":null,"statusUpdateReason":null,
			"isDeleted":null,"forceCadesSignature":null,"folder":null,"updateDate":null,"flowActions":null}`, job.SignerDocument{ID: documentID}},
		{"nulls in what is there", `{"id":"` + documentID + `","folder":{"id":null},"flowActions":[{"id":null,"type":null,"status":null,"step":null,"user":{"identifier":null,"email":null}}]}`,
			job.SignerDocument{ID: documentID, Actions: []job.FlowAction{{}}}},
		{"an unknown status", `{"id":"` + documentID + `","status":"Paused"}`, job.SignerDocument{ID: documentID, Status: "Paused"}},
		{"other types", `{"id":"` + documentID + `","name":7,"status":{},"forceCadesSignature":"true","folder":{"id":7},"updateDate":7,"flowActions":[{"step":"x","user":{"identifier":75502846369}}]}`,
			job.SignerDocument{ID: documentID, Name: "7", ForceCades: true, Actions: []job.FlowAction{{Identifier: "75502846369"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := lacuna.ParseDocument([]byte(tt.in), documentID)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 9, 10, 13, 2, 11, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"2026-09-10T13:02:11Z":              day,
		"2026-09-10T13:02:11.5Z":            day.Add(time.Second / 2),
		"2026-09-10T13:02:11.123456789Z":    day.Add(123456789),
		"2026-09-10T10:02:11-03:00":         day,
		"2026-09-10T13:02:11":               day,
		"2026-09-10T13:02:11.25":            day.Add(time.Second / 4),
		"2026-09-10 13:02:11":               day,
		"2026-09-10":                        day.Truncate(24 * time.Hour),
		"10/09/2026":                        {},
		"":                                  {},
		"2026-13-10T13:02:11Z":              {},
		strings.Repeat("9", 1000) + "-09-1": {},
	} {
		d, err := lacuna.ParseDocument([]byte(`{"id":"`+documentID+`","updateDate":"`+in+`"}`), documentID)
		if err != nil || !d.UpdatedAt.Equal(want) {
			t.Errorf("%.40q is %v, %v, want %v", in, d.UpdatedAt, err, want)
		}
	}
}

func TestDocumentMustBeTheOneAskedFor(t *testing.T) {
	t.Parallel()
	c := answering(t, http.StatusOK, "application/json", `{"id":"`+otherID+`","name":"x"}`)
	_, errDocument := c.Document(t.Context(), documentID)
	_, errFolder := c.Folder(t.Context(), folderID)
	for _, err := range []error{errDocument, errFolder} {
		if got, want := judged(t, err), (verdict{200, "", true, false}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func TestDeletedDocumentIsNotFound(t *testing.T) {
	t.Parallel()
	c := answering(t, http.StatusOK, "application/json", `{"id":"`+documentID+`","status":"Pending","isDeleted":true}`)
	_, err := c.Document(t.Context(), documentID)
	if got, want := judged(t, err), (verdict{200, "DocumentNotFound", false, false}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestCancelSendsTheReason(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || !reflect.DeepEqual(body, map[string]any{"reason": `it was "wrong"`}) {
			t.Errorf("body %v, %v", body, err)
		}
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Api-Key") != apiKey {
			t.Errorf("%s with headers %v", r.Method, r.Header)
		}
	})
	if err := c.Cancel(t.Context(), documentID, `it was "wrong"`); err != nil {
		t.Error(err)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	upper := strings.ToUpper(folderID)
	for in, want := range map[string]job.SignerFolder{
		`{"id":"` + upper + `","name":"Notas","parentId":"` + strings.ToUpper(otherID) + `","organization":{}}`: {ID: folderID, Name: "Notas", ParentID: otherID},
		`{"id":"` + upper + `","name":null,"parentId":null}`:                                                    {ID: folderID},
	} {
		got, err := answering(t, http.StatusOK, "text/json", in).Folder(t.Context(), upper)
		if err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
}

func TestQuestionsSayWhoAsks(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != apiKey || r.Header.Get("Accept") != "application/json" || r.Header.Get("User-Agent") != "bulksigner" {
			t.Errorf("headers %v", r.Header)
		}
		_, _ = io.WriteString(w, `{"id":"`+folderID+`"}`)
	})
	if _, err := c.Folder(t.Context(), folderID); err != nil {
		t.Error(err)
	}
}
