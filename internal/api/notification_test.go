package api_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/job"
)

// What has the wrong shape names nothing, and takes nothing from what stands beside it.
func TestParseNotification(t *testing.T) {
	t.Parallel()
	const good = `"id":"` + agreement118 + `","folder":{"id":"` + boundID + `"}`
	signed := func(data string) string { return `{"type":"DocumentSigned","data":` + data + `}` }
	several := func(documents string) string {
		return `{"type":"DocumentsCreated","data":{"documents":` + documents + `}}`
	}
	tests := []struct {
		name, body, kind string
		want             []string // document and folder
	}{
		{"good", signed(`{` + good + `}`), "DocumentSigned", []string{agreement118 + " " + boundID}},
		{"byte order mark", "\ufeff" + signed(`{`+good+`}`), "DocumentSigned", []string{agreement118 + " " + boundID}},
		{"upper case", signed(`{"id":"` + strings.ToUpper(agreement118) + `","folder":{"id":"` + strings.ToUpper(boundID) + `"}}`), "DocumentSigned", []string{agreement118 + " " + boundID}},
		{"data first", `{"data":{` + good + `},"type":"DocumentSigned"}`, "DocumentSigned", []string{agreement118 + " " + boundID}},
		{"folder null", signed(`{"id":"` + agreement118 + `","folder":null}`), "DocumentSigned", []string{agreement118 + " "}},
		{"folder a text", signed(`{"id":"` + agreement118 + `","folder":"` + boundID + `"}`), "DocumentSigned", []string{agreement118 + " "}},
		{"folder a list", signed(`{"id":"` + agreement118 + `","folder":[{"id":"` + boundID + `"}]}`), "DocumentSigned", []string{agreement118 + " "}},
		{"folder's id a number", signed(`{"id":"` + agreement118 + `","folder":{"id":7}}`), "DocumentSigned", []string{agreement118 + " "}},
		{"id a number", signed(`{"id":7,"folder":{"id":"` + boundID + `"}}`), "DocumentSigned", nil},
		{"id no GUID", signed(`{"id":"../../x","folder":{"id":"` + boundID + `"}}`), "DocumentSigned", nil},
		{"id in braces", signed(`{"id":"{` + agreement118 + `}"}`), "DocumentSigned", nil},
		{"id missing", signed(`{"folder":{"id":"` + boundID + `"}}`), "DocumentSigned", nil},
		{"data null", signed(`null`), "DocumentSigned", nil},
		{"data missing", `{"type":"DocumentSigned"}`, "DocumentSigned", nil},
		{"data a list", signed(`[{` + good + `}]`), "DocumentSigned", nil},
		{"data a text", signed(`"` + agreement118 + `"`), "DocumentSigned", nil},
		{"documents where one is meant", signed(`{"documents":[{` + good + `}]}`), "DocumentSigned", nil},
		{"one where documents are meant", `{"type":"DocumentsCreated","data":{` + good + `}}`, "DocumentsCreated", nil},
		{"documents null", several(`null`), "DocumentsCreated", nil},
		{"documents an object", several(`{` + good + `}`), "DocumentsCreated", nil},
		{"documents of all kinds", several(`[null,1,"x",[],{},{"id":[]},{` + good + `},true]`), "DocumentsCreated", []string{agreement118 + " " + boundID}},
		{"type a number", `{"type":1,"data":{` + good + `}}`, "other", nil},
		{"type null", `{"type":null,"data":{` + good + `}}`, "other", nil},
		{"type in another case", `{"type":"documentsigned","data":{` + good + `}}`, "other", nil},
		{"type of another spelling", `{"type":"DocumentsDeleted","data":{` + good + `}}`, "other", nil},
		{"a list", `[` + signed(`{`+good+`}`) + `]`, "other", nil},
		{"a text", `"DocumentSigned"`, "other", nil},
		{"null", `null`, "other", nil},
		{"more behind it", signed(`{`+good+`}`) + `{}`, "other", nil},
		{"UTF-16", "\xff\xfe{\x00}\x00", "other", nil},
		{"nested too deep", strings.Repeat(`{"data":`, 20_000), "other", nil},
		{"nested deep inside", signed(`{` + good + `,"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`), "DocumentSigned", []string{agreement118 + " " + boundID}},
		{"a field twice", signed(`{"id":"x",` + good + `}`), "DocumentSigned", []string{agreement118 + " " + boundID}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			kind, documents, folders := api.Named([]byte(tt.body))
			var got []string
			for i := range documents {
				got = append(got, documents[i]+" "+folders[i])
			}
			if d := cmp.Diff(tt.want, got); d != "" || kind != tt.kind {
				t.Errorf("kind = %s, want %s; named (-want +got):\n%s", kind, tt.kind, d)
			}
			status := 204
			if len(tt.want) > 0 && strings.HasSuffix(tt.want[0], boundID) {
				status = 202
			}
			wantAnswer(t, newReceiver(t).post(t, tt.body), status)
		})
	}
}

// FuzzParseNotification holds that any body names ids that are GUIDs, so many at the most, and a word for the log.
func FuzzParseNotification(f *testing.F) {
	samples, err := filepath.Glob(filepath.Join("testdata", "notifications", "*.json"))
	if err != nil || len(samples) < 11 {
		f.Fatal(samples, err)
	}
	for _, s := range samples {
		b, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(bytes.Join(bytes.Fields(b), nil))
	}
	f.Add([]byte(`{"type":"DocumentsCreated","data":{"documents":[{"id":1},{}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		kind, documents, folders := api.Named(b)
		if len(documents) > api.MaxNamed {
			t.Errorf("%d documents", len(documents))
		}
		for i := range documents {
			document, ok := job.GUID(documents[i])
			folder, fok := job.GUID(folders[i])
			if !ok || document != documents[i] || folders[i] != "" && (!fok || folder != folders[i]) {
				t.Errorf("named %q in %q", documents[i], folders[i])
			}
		}
		if _, err := os.Stat(filepath.Join("testdata", "notifications", kind+".json")); kind != "other" && err != nil {
			t.Errorf("kind = %q", kind)
		}
	})
}
