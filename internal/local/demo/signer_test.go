package demo_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/demo"
)

// fakeSigner has what becomes of documents, by id: each look sees one more of it.
type fakeSigner struct {
	looks   map[string][]demo.There
	created []string
}

func (f *fakeSigner) Create(name, fileName string, content []byte, flow []string) error {
	f.created = append(f.created, fmt.Sprint(name, " ", fileName, " ", string(content), " ", flow))
	return nil
}

func (f *fakeSigner) Look(id string) (demo.There, error) {
	all, ok := f.looks[id]
	if !ok {
		return demo.There{}, fmt.Errorf("there is no document %s", id)
	}
	if len(all) > 1 {
		f.looks[id] = all[1:]
	}
	return all[0], nil
}

func (f *fakeSigner) Content(id string) ([]byte, error) { return []byte("signed there " + id), nil }

// sent is a job whose document is at Lacuna Signer.
func sent(status, code string) map[string]any {
	j := job("1", "hr/a.pdf", status, code)
	j["remoteDocumentId"] = "d1"
	return j
}

// swept is a job of a document in a folder at Lacuna Signer.
func swept(status, code string, after time.Duration) map[string]any {
	j := job("1", "", status, code)
	j["remoteDocumentId"], j["documentName"], j["outputKey"] = "d1", "Ata", nil
	j["createdAt"] = now.Add(after)
	return j
}

func there(status string, accepted ...int) demo.There {
	return demo.There{Status: status, FileName: "Ata.pdf", Accepted: accepted}
}

func TestDocumentsAtLacunaSigner(t *testing.T) {
	t.Parallel()
	sample := func(status, code, deed, flow, there string) demo.Sample {
		s := demo.Sample{File: "a.pdf", Key: "hr/a.pdf", Status: status, Code: code, Deed: deed, Flow: flow, There: there}
		if flow != "-" {
			s.Key = "Ata"
		}
		return s
	}
	tests := []struct {
		name   string
		sample demo.Sample
		job    map[string]any
		looks  []demo.There
		good   bool
		line   string
	}{
		{"signed by a person", sample("Completed", "-", "-", "-", "Concluded"), sent("Completed", ""), []demo.There{there("Concluded", 1)}, true,
			"hr/a.pdf  Completed [queue 12 ms]; Concluded at Lacuna Signer, 1 of 1 signatures -> out/hr/a.pdf (looks good)"},
		{"refused", sample("Failed", "signer.document-rejected", "-", "-", "Refused"), sent("Failed", "signer.document-rejected"), []demo.There{there("Refused", 0)}, true,
			"hr/a.pdf  Failed signer.document-rejected [queue 12 ms]; Refused at Lacuna Signer, 0 of 1 signatures: because"},
		{"canceled by an operator", sample("Canceled", "-", "cancel", "-", "Canceled"), sent("AwaitingSigner", ""), []demo.There{there("Canceled", 0)}, true,
			"hr/a.pdf  Canceled [queue 12 ms]; an operator canceled it through the API; Canceled at Lacuna Signer, 0 of 1 signatures"},
		{"canceled here and not there", sample("Canceled", "-", "cancel", "-", "Canceled"), sent("AwaitingSigner", ""), []demo.There{there("Concluded", 1)}, false,
			"hr/a.pdf  Canceled [queue 12 ms]; an operator canceled it through the API; Concluded at Lacuna Signer, 1 of 1 signatures, expected Canceled with each signature once"},
		{"tried again by an operator", sample("Completed", "-", "retry", "-", "Concluded"), sent("Failed", "signer.document-rejected"), []demo.There{there("Concluded", 1)}, true,
			"hr/a.pdf  Completed [queue 12 ms]; an operator had it tried again through the API after Failed signer.document-rejected; Concluded at Lacuna Signer, 1 of 1 signatures"},
		{"moved back in time", sample("Failed", "signer.timeout", "back", "-", "Pending"), sent("AwaitingSigner", ""), []demo.There{there("Pending", 0)}, true,
			"hr/a.pdf  Failed signer.timeout [queue 12 ms]; waits since 8 days: its dispatch was moved back in the table; Pending at Lacuna Signer, 0 of 1 signatures: too late"},
		{"never sent", sample("Failed", "signer.unreachable", "-", "-", "Pending"), job("1", "hr/a.pdf", "Failed", "signer.unreachable"), nil, false,
			"hr/a.pdf  Failed signer.unreachable [queue 12 ms]; no document at Lacuna Signer, expected Pending: because"},
		{"signed in the folder", sample("Completed", "-", "-", "holder", "Concluded"), swept("Completed", "", 500*time.Millisecond), []demo.There{there("Concluded", 1)}, true,
			"Lacuna Signer: Ata  Completed [queue 12 ms]; found 0.5 s after its creation; Concluded at Lacuna Signer, 1 of 1 signatures -> lacuna-signer/Ata.pdf (looks good)"},
		{"concluded a little later", sample("Completed", "-", "-", "holder,witness", "Concluded"), swept("Completed", "", time.Second),
			[]demo.There{there("Pending", 1, 0), there("FlowConcluded", 1, 1), there("Concluded", 1, 1)}, true,
			"Lacuna Signer: Ata  Completed [queue 12 ms]; found 1.0 s after its creation; Concluded at Lacuna Signer, 2 of 2 signatures -> lacuna-signer/Ata.pdf (looks good)"},
		{"found by the sweep", sample("Completed", "-", "silence", "holder", "Concluded"), swept("Completed", "", 0), []demo.There{there("Concluded", 1)}, true,
			"Lacuna Signer: Ata  Completed [queue 12 ms]; found by the sweep: no notification told of it; Concluded at Lacuna Signer, 1 of 1 signatures -> lacuna-signer/Ata.pdf (looks good)"},
		{"found only by the next sweep", sample("Completed", "-", "-", "holder", "Concluded"), swept("Completed", "", 30500*time.Millisecond), []demo.There{there("Concluded", 1)}, false,
			"Lacuna Signer: Ata  Completed [queue 12 ms]; found 30.5 s after its creation, not by a notification; Concluded at Lacuna Signer, 1 of 1 signatures -> lacuna-signer/Ata.pdf (looks good)"},
		{"signed twice", sample("Completed", "-", "-", "holder", "Concluded"), swept("Completed", "", 0), []demo.There{there("Concluded", 2)}, false,
			"Lacuna Signer: Ata  Completed [queue 12 ms]; found 0.0 s after its creation; Concluded at Lacuna Signer, 2 of 1 signatures, expected Concluded with each signature once -> lacuna-signer/Ata.pdf (looks good)"},
		{"never concluded", sample("Completed", "-", "-", "holder", "Concluded"), swept("Completed", "", 0), []demo.There{there("Pending", 0)}, false,
			"Lacuna Signer: Ata  did not end in time, expected Completed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			api := &fakeAPI{jobs: []map[string]any{tt.job}}
			d, out := newDemo(t, api, []demo.Sample{tt.sample}, true)
			d.Signer = &fakeSigner{looks: map[string][]demo.There{"d1": tt.looks}}
			d.MoveBack = func(_ context.Context, _ string, by time.Duration) error {
				api.mu.Lock()
				defer api.mu.Unlock()
				tt.job["status"], tt.job["errorCode"], tt.job["errorMessage"] = "Failed", "signer.timeout", "too late"
				return nil
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			r, err := d.Run(ctx)
			if good := r == (demo.Result{Expected: 1}); err != nil || good != tt.good {
				t.Errorf("Run = %+v, %v, want good %t", r, err, tt.good)
			}
			mark := map[bool]string{true: "ok   ", false: "NOT  "}[tt.good]
			if diff := cmp.Diff(mark+tt.line, strings.TrimSpace(out.String())); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDocumentsAreCreatedBeforeAndAfterNotificationsBegin(t *testing.T) {
	t.Parallel()
	told := demo.Sample{File: "a.pdf", Key: "Ata", Status: "Completed", Code: "-", Deed: "-", Flow: "witness,holder", There: "Concluded"}
	silent := told
	silent.Key, silent.Deed = "Recibo", "silence"
	signer := &fakeSigner{}
	d, _ := newDemo(t, &fakeAPI{}, []demo.Sample{told, silent, file("a.pdf", "in/a.pdf", "Completed", "-")}, true)
	d.Signer = signer
	if err := d.CreateSilent(); err != nil {
		t.Fatal(err)
	}
	const first = "Recibo Recibo.pdf %PDF [witness holder]"
	if diff := cmp.Diff([]string{first}, signer.created); diff != "" {
		t.Errorf("created before (-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := d.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{first, "Ata Ata.pdf %PDF [witness holder]"}, signer.created); diff != "" {
		t.Errorf("created after all (-want +got):\n%s", diff)
	}
}

func TestWhatStaysAtLacunaSignerIsKept(t *testing.T) {
	t.Parallel()
	d, _ := newDemo(t, &fakeAPI{jobs: []map[string]any{swept("Completed", "", 0)}},
		[]demo.Sample{{File: "a.pdf", Key: "Ata", Status: "Completed", Code: "-", Deed: "-", Flow: "holder", There: "Concluded"}}, true)
	d.Signer = &fakeSigner{looks: map[string][]demo.There{"d1": {there("Concluded", 1)}}}
	if _, err := d.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(d.Output, "lacuna-signer", "Ata.pdf"))
	if err != nil || string(got) != "signed there d1" {
		t.Errorf("kept %q, %v, want the file from there", got, err)
	}
}

func TestADeedThatIsRefusedEndsTheRun(t *testing.T) {
	t.Parallel()
	s := file("a.pdf", "hr/a.pdf", "Completed", "-")
	s.Deed = "back"
	d, _ := newDemo(t, &fakeAPI{jobs: []map[string]any{sent("AwaitingSigner", "")}}, []demo.Sample{s}, true)
	d.MoveBack = func(context.Context, string, time.Duration) error { return fmt.Errorf("it moved") }
	if _, err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "back hr/a.pdf: it moved") {
		t.Errorf("err = %v, want one that names the deed and the sample", err)
	}
}

func TestReview(t *testing.T) {
	t.Parallel()
	api := &fakeAPI{checks: []map[string]any{
		{"name": "database", "ok": true, "detail": "The table answers."}, {"name": "signer", "ok": false, "detail": "Check the key."},
	}}
	d, out := newDemo(t, api, nil, true)
	r := demo.Result{Expected: 3}
	if err := d.Review(t.Context(), &r, []demo.Finding{{What: "signatures", Said: "1 accepted", Good: true}}); err != nil {
		t.Fatal(err)
	}
	want := "ok   signatures  1 accepted\nok   ready: database  The table answers.\nNOT  ready: signer  Check the key.\n"
	if diff := cmp.Diff(want, out.String()); diff != "" || r != (demo.Result{Expected: 5, Unexpected: 1}) {
		t.Errorf("result %+v, lines (-want +got):\n%s", r, diff)
	}
}

func TestWhoIsNotLetInIsToldWhy(t *testing.T) {
	t.Parallel()
	d, _ := newDemo(t, &fakeAPI{}, nil, true)
	d.Client, d.Out = demo.NewClient("http://127.0.0.1:1", apiKey), new(bytes.Buffer)
	if err := d.Review(t.Context(), new(demo.Result), nil); err == nil || !strings.Contains(err.Error(), "ready") {
		t.Errorf("err = %v, want one that says what was asked", err)
	}
}
