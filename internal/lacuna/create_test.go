package lacuna_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"bulksigner/internal/lacuna"
)

func TestCreateSends(t *testing.T) {
	t.Parallel()
	forced := dispatch
	forced.ForceCades, forced.Name, forced.FileName, forced.ContentType = true, "", "nota.xml", "text/xml"
	tests := map[string]struct {
		in   int
		want string
	}{
		"plain":  {0, `{"files":[{"id":"UP-1","displayName":"Contrato","name":"contrato.pdf","contentType":"application/pdf"}],"flowActions":[{"type":"Signer","step":1,"user":{"name":"Maria","identifier":"75502846369","email":"maria@example.com"}}],"tags":[{"label":"bulksigner-job","value":"job-1"}]}`},
		"forced": {1, `{"files":[{"id":"UP-1","displayName":"nota.xml","name":"nota.xml","contentType":"text/xml"}],"flowActions":[{"type":"Signer","step":1,"user":{"name":"Maria","identifier":"75502846369","email":"maria@example.com"}}],"tags":[{"label":"bulksigner-job","value":"job-1"}],"forceCadesSignature":true}`},
	}
	for name, tt := range tests {
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			if r.URL.Path != "/api/documents" || string(b) != tt.want || strconv.Itoa(len(b)) != r.Header.Get("Content-Length") {
				t.Errorf("%s: %s\n%s\nwant\n%s", name, r.URL.Path, b, tt.want)
			}
			_ = json.NewEncoder(w).Encode([]map[string]any{{"uploadId": "up-1", "documentId": strings.ToUpper(documentID), "attachments": nil}})
		})
		d := dispatch
		if tt.in == 1 {
			d = forced
		}
		if id, err := c.Create(t.Context(), d); err != nil || id != documentID {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
}

func TestParseCreated(t *testing.T) {
	t.Parallel()
	entry := func(upload, document string) string {
		return `{"uploadId":` + upload + `,"documentId":"` + document + `"}`
	}
	for in, want := range map[string]string{
		"[" + entry(`"up-1"`, documentID) + "]":                               documentID,
		"[" + entry("null", documentID) + "]":                                 documentID,
		"[null," + entry("null", documentID) + "]":                            documentID,
		"[" + entry(`"x"`, otherID) + "," + entry(`"Up-1"`, documentID) + "]": documentID,
		"[" + entry(`"x"`, documentID) + "]":                                  "",
		"[" + entry("null", otherID) + "," + entry("null", documentID) + "]":  "",
		"[" + entry(`"UP-1"`, "7") + "]":                                      "",
		"[]":                                                                  "",
		entry(`"UP-1"`, documentID):                                           "",
	} {
		got, err := lacuna.ParseCreated([]byte(in), "UP-1")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ã", 300)
	for in, want := range map[string]string{
		"a.pdf": "a.pdf", "  a.pdf ": "a.pdf", "": "document", "   ": "document", ".": "document", "..": "document", "/": "document",
		".pdf": "document.pdf", "x/.pdf": "x/.pdf", "\x00\x1f": "document", "a\u0085b": "ab", "a\xffb.pdf": "a_b.pdf",
		long + ".pdf": strings.Repeat("ã", 196) + ".pdf", long: strings.Repeat("ã", 200), "a." + long: "a." + strings.Repeat("ã", 198),
	} {
		if got := lacuna.Shown(in); got != want {
			t.Errorf("Shown(%.30q) = %.60q, want %.60q", in, got, want)
		}
	}
}
