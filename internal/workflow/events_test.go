package workflow_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"bulksigner/internal/fault"
	"bulksigner/internal/workflow"
)

// TestSampleEvents holds what comes of each event shape under events/: the keys that get a job, and the code with which a
// message fails, by its place in the batch.
func TestSampleEvents(t *testing.T) {
	t.Parallel()
	const put = "contracts/contrato-001.pdf"
	want := map[string]struct {
		keys   []string
		failed map[int]fault.Code
	}{
		"sqs-s3-put.json":           {keys: []string{put}},
		"sqs-s3-copy.json":          {keys: []string{put}},
		"sqs-s3-multipart.json":     {keys: []string{put}},
		"sqs-sns-s3-put.json":       {keys: []string{put}},
		"sqs-s3-records.json":       {keys: []string{put, "contracts/contrato-002.pdf"}},
		"sqs-s3-key-blank.json":     {keys: []string{"contracts/Contrato de prestação 001.pdf"}},
		"sqs-s3-key-plus.json":      {keys: []string{"contracts/contrato+anexo 50%.pdf"}},
		"sqs-s3-key-unicode.json":   {keys: []string{"contracts/契約/наряд №7 ✍.pdf"}},
		"sqs-eventbridge-put.json":  {keys: []string{"contracts/Contrato de prestação+001.pdf"}},
		"sqs-s3-key-broken.json":    {failed: map[int]fault.Code{0: fault.MessageMalformed}},
		"sqs-malformed.json":        {failed: map[int]fault.Code{0: fault.MessageMalformed}},
		"sqs-unknown.json":          {failed: map[int]fault.Code{0: fault.MessageMalformed}},
		"sqs-s3-unversioned.json":   {failed: map[int]fault.Code{0: fault.StorageUnfit}},
		"sqs-s3-folder-marker.json": {},
		"sqs-s3-empty.json":         {},
		"sqs-s3-removed.json":       {},
		"sqs-s3-test-event.json":    {},
		"sqs-sns-test-event.json":   {},
		"sqs-doorbell.json":         {},
		"sqs-batch-of-ten.json":     {failed: map[int]fault.Code{8: fault.MessageMalformed}},
	}
	files, err := filepath.Glob("../../events/sqs-*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample events: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		w, known := want[name]
		if !known {
			t.Errorf("%s has no expectation here", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bodies := messages(t, file)
			synctest.Test(t, func(t *testing.T) {
				keys, failed := s3events(t, bodies)
				if len(bodies) == 1 && !slices.Equal(keys, w.keys) {
					t.Errorf("jobs for %q, want %q", keys, w.keys)
				}
				for i := range bodies {
					if failed[i] != w.failed[i] {
						t.Errorf("message %d fails with %q, want %q", i, failed[i], w.failed[i])
					}
				}
			})
		})
	}
}

// s3events works through messages and returns the keys that got a job and the codes of the messages that come again.
func s3events(t *testing.T, bodies []string) (keys []string, failed map[int]fault.Code) {
	t.Helper()
	s := newScene(t)
	s.w.Place = func(key string) workflow.Place {
		if strings.HasPrefix(key, "uploads/") {
			return workflow.Place{Name: key, Upload: true}
		}
		return workflow.Place{Folder: "p", Profile: "p", Name: key}
	}
	failed = map[int]fault.Code{}
	for i, body := range bodies {
		if err := s.workFor(timeout, body); err != nil && !errors.Is(err, fault.JobInputMissing) {
			failed[i] = fault.CodeOf(err)
		}
	}
	for _, j := range s.Jobs() {
		keys = append(keys, j.Object.Key)
	}
	slices.Sort(keys)
	return keys, failed
}

func messages(t *testing.T, file string) (bodies []string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var e struct{ Records []struct{ Body string } }
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Records {
		bodies = append(bodies, r.Body)
	}
	return bodies
}
