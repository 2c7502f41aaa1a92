package api_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/job"
	"bulksigner/internal/sign/signtest"
)

func manual(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	blockForm  = regexp.MustCompile("(?s)```sh\n(.*?)```")
	statusForm = regexp.MustCompile(`(?m)\s# (\d{3})$`)
	toldForm   = regexp.MustCompile(`(?m)^status (\d{3})$`)
)

// quiet makes curl tell the status of each answer beside whatever else it does.
const quiet = `curl() { command curl -sS -w '%{stderr}status %{http_code}\n' "$@"; }` + "\n"

// Every example of the manual does what it says.
func TestExamples(t *testing.T) {
	t.Parallel()
	signtest.Tool(t, "curl", "curl")
	shell := signtest.Tool(t, "bash", "bash")
	blocks := blockForm.FindAllStringSubmatch(manual(t), -1)
	if len(blocks) < 12 {
		t.Fatalf("only %d blocks of examples", len(blocks))
	}
	for _, b := range blocks {
		t.Run(strings.SplitN(b[1], "\n", 2)[0], func(t *testing.T) {
			t.Parallel()
			s := newExamples(t)
			c := exec.CommandContext(t.Context(), shell, "-euc", quiet+b[1])
			c.Dir, c.Env = s.folder, append(os.Environ(), s.environ...)
			var said strings.Builder
			c.Stderr = &said
			if out, err := c.Output(); err != nil {
				t.Fatalf("%v: %s%s", err, said.String(), out)
			}
			want, got := second(statusForm.FindAllStringSubmatch(b[1], -1)), second(toldForm.FindAllStringSubmatch(said.String(), -1))
			if d := cmp.Diff(want, got); d != "" || len(want) == 0 || len(want) != strings.Count(b[1], "curl ") {
				t.Errorf("statuses (-want +got):\n%s\n%s", d, said.String())
			}
		})
	}
}

func second(matches [][]string) (list []string) {
	for _, m := range matches {
		list = append(list, m[1])
	}
	return list
}

// examples is what the manual's examples are run against.
type examples struct {
	folder  string
	environ []string
}

func newExamples(t *testing.T) examples {
	s := furnished(t)
	waiting := remote()
	waiting.ID = "01890a5d-ac96-774b-bcce-b302099a8059"
	s.jobs[waiting.ID] = waiting
	contracts := s.profiles["contracts"]
	contracts.SaveAsPem, contracts.PreserveFileExtension = false, false
	contracts.Certificate.Pfx.Password = "arn:aws:secretsmanager:sa-east-1:123456789012:secret:p-AbCdEf"
	s.profiles["contracts"] = contracts
	s.rescan = job.RescanReport{Complete: true}
	folder := t.TempDir()
	signed := signedFor(t).pdf
	for _, name := range []string{"contrato.pdf", "contrato.signed.pdf"} {
		if err := os.WriteFile(filepath.Join(folder, name), signed, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return examples{folder, []string{
		"URL=" + serve(t, s), "KEY=" + key, "ID=" + string(id1), "WAITING=" + string(waiting.ID), "UPLOAD_URL=" + serve(t, bucket(http.StatusOK)) + "/upload",
	}}
}

// bucket takes whatever is put.
type bucket int

func (b bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPut || r.Header.Get("X-API-Key") != "" {
		b = http.StatusBadRequest
	}
	w.WriteHeader(int(b))
}

func serve(t *testing.T, h http.Handler) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// The manual names every route, with its limit, and no other.
func TestManualNamesEveryRoute(t *testing.T) {
	t.Parallel()
	told := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([A-Z]+ /api/[^`]*)` \\| (\\w*) ?\\|").FindAllStringSubmatch(manual(t), -1) {
		told[m[1]] = m[2]
	}
	d, _ := documentOf(t, newService(t))
	want := map[string]string{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			limit := ""
			if _, limited := op.Responses["429"]; limited {
				limit = "Actions"
			}
			if op.OperationID == "postFile" {
				limit = "Upload"
			}
			want[strings.ToUpper(method)+" "+path] = limit
		}
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("routes (-document +manual):\n%s", diff)
	}
}

// An outside judge finds nothing wrong with the document.
func TestDocumentPassesALinter(t *testing.T) {
	t.Parallel()
	const missing = "redocly is not installed: npm install -g @redocly/cli@2.36.0"
	linter, err := exec.LookPath("redocly")
	if err != nil && os.Getenv("BULKSIGNER_NO_SKIP") == "1" {
		t.Fatal(missing)
	}
	if err != nil {
		t.Skip(missing)
	}
	c := exec.CommandContext(t.Context(), linter, "lint", "--extends=recommended", "--format=stylish", filepath.Join("testdata", "openapi.json"))
	c.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
