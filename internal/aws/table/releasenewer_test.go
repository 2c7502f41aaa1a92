package table_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// qualified puts a profile into the table whose method only a newer release knows.
func (s *shared) qualified(t *testing.T) {
	t.Helper()
	s.store(t, map[string]any{"pk": "PROFILES", "sk": "qualified", "version": 1, "x-next": "kept",
		"settings": `{"Name":"qualified","Enabled":true,"Method":"Qualified","Format":"Pades","Verify":true,"Council":{"Members":3}}`})
}

// TestAJobOfANewerReleaseIsLeftAlone: where a job stands in a way that this release does not know, nobody here takes it up,
// ends it or writes it, and no key is asked.
func TestAJobOfANewerReleaseIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, r := range readWritten(t, "newer.json") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			s := share(t)
			s.qualified(t)
			pk := s.begin(t, r)
			before, id := s.item(t, pk, "JOB"), job.ID(strings.TrimPrefix(pk, "JOB#"))
			s.minute(t, id)
			if diff := cmp.Diff(before, s.item(t, pk, "JOB"), anyOrder); diff != "" {
				t.Errorf("the job was written (-before +after):\n%s", diff)
			}
			if n := s.World.Keys.Count(); n != 0 || len(s.signer.Dispatched()) > 0 {
				t.Errorf("the key was asked %d times, and %d documents were created", n, len(s.signer.Dispatched()))
			}
		})
	}
}

// A document at Lacuna Signer with a status that nobody here knows is one that waits.
func TestADocumentInAnUnknownStatusWaits(t *testing.T) {
	t.Parallel()
	s := share(t)
	for _, r := range readWritten(t, "older.json") {
		if r.Name != "person: awaited" {
			continue
		}
		id := job.ID(strings.TrimPrefix(s.begin(t, r), "JOB#"))
		s.signer.SetStatus("d", "Archived", "")
		s.minute(t, id)
		if j, err := s.fixture.Get(t.Context(), id); err != nil || j.Status != job.AwaitingSigner || j.Claim != (job.Claim{}) {
			t.Errorf("the job is %s under the claim %+v, %v", j.Status, j.Claim, err)
		}
		return
	}
	t.Fatal("no job is awaited")
}

// A newer release's words in fields that decide nothing here go along to the job's end.
func TestWhatANewerReleaseWroteGoesToTheJobsEnd(t *testing.T) {
	t.Parallel()
	s := share(t)
	r := readWritten(t, "older.json")[0]
	r.Item["source"] = "Mailbox"
	r.Item["stages"] = map[string]any{"review": 12}
	r.Item["history"] = append(r.Item["history"].([]any), map[string]any{
		"id": "NEWER", "time": r.Item["since"], "status": "Reviewing", "code": "review.open", "message": "Waits.", "reviewer": "ana"})
	pk := s.begin(t, r)
	before, id := s.item(t, pk, "JOB"), job.ID(strings.TrimPrefix(pk, "JOB#"))
	s.minute(t, id)
	after := s.item(t, pk, "JOB")
	checkCarried(t, before, after)
	stages := after["stages"].(*types.AttributeValueMemberM).Value
	if got := plain(t, after); got["status"] != "Completed" || got["source"] != "Mailbox" || stages["review"] == nil {
		t.Errorf("the job ended %v of source %v with stages %v", got["status"], got["source"], stages)
	}
}

// A file for a profile whose method this release does not know has its job, which waits for who knows it.
func TestAFileForAMethodOfANewerReleaseWaits(t *testing.T) {
	t.Parallel()
	s := share(t)
	s.qualified(t)
	o := s.Drop("qualified/a.pdf", sample(), time.Now())
	s.Send(workflowtest.Event(o))
	s.work(t)
	id, err := s.fixture.TakenIn(t.Context(), o)
	if err != nil || id == "" {
		t.Fatalf("the file has job %q, %v", id, err)
	}
	s.minute(t, id)
	if j, err := s.fixture.Get(t.Context(), id); err != nil || j.Status != job.Queued || j.Method != "Qualified" || j.Version != 1 {
		t.Errorf("the job is %s of method %s at version %d, %v; want it Queued as it was taken in", j.Status, j.Method, j.Version, err)
	}
}

// What a newer release put beside the settings of a profile stays when an operator saves it here.
func TestASavedProfileKeepsWhatStandsBesideItsSettings(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		p := profile.Profile{Name: "local", Method: profile.Local, Format: profile.Pades}
		if err := f.SaveProfile(t.Context(), p, 0); err != nil {
			t.Fatal(err)
		}
		f.put(t, with(f.item(t, "PROFILES", "local"), "x-next", text("kept")))
		p.Format = profile.Cades
		if err := f.SaveProfile(t.Context(), p, 1); err != nil {
			t.Fatal(err)
		}
		got, err := f.Profiles().Get(t.Context(), "local")
		if i := plain(t, f.item(t, "PROFILES", "local")); err != nil || i["x-next"] != "kept" || got.Format != profile.Cades || got.Version != 2 {
			t.Errorf("the profile is %+v, %v, and its item %v", got, err, i)
		}
	})
}
