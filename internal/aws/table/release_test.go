package table_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// written is a job as another release wrote it, and what becomes of it here.
type written struct {
	Name   string
	Item   map[string]any
	Status job.Status
	Code   string
	Asked  int // how often this release asks the key
}

// stamps are times as the table stores them.
var stamps = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)

// readWritten reads records of another release and moves them to four hours ago.
func readWritten(t *testing.T, file string) (all []written) {
	t.Helper()
	data, err := os.ReadFile("testdata/release/" + file)
	if err != nil {
		t.Fatal(err)
	}
	by := time.Since(time.Date(2026, time.July, 15, 13, 0, 0, 0, time.UTC)).Truncate(time.Millisecond)
	moved := stamps.ReplaceAllStringFunc(string(data), func(s string) string {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return at.Add(by).Format("2006-01-02T15:04:05.000Z")
	})
	if err := json.Unmarshal([]byte(moved), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// holder is the CPF in the certificate of all profiles.
var holder = icpbrasiltest.Firm().Responsible.CPF

// pen is what everybody signs with.
var pen = sync.OnceValues(func() (p struct {
	key  *rsa.PrivateKey
	cert profile.Key
	root *x509.Certificate
}, _ error) {
	pki, err := icpbrasiltest.New(time.Now())
	if err != nil {
		return p, err
	}
	if p.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		return p, err
	}
	leaf, err := pki.IssueECNPJ(p.key.Public(), icpbrasiltest.Firm())
	p.cert, p.root = profile.Key{Certificate: leaf, Chain: pki.Chain}, pki.Root
	return p, err
})

// shared is a service of this release on a table of its own, with buckets, keys and Lacuna Signer in memory.
type shared struct {
	fixture
	*workflowtest.World
	signer *workflowtest.Signer
	w      *workflow.Workflow
	folder string // at Signer
}

func share(t *testing.T) *shared {
	t.Helper()
	p, err := pen()
	if err != nil {
		t.Fatal(err)
	}
	s := &shared{fixture: open(t, backend{"kumo", kumo.Config()}), World: workflowtest.New(&workflowtest.Keys{Key: p.cert, Inner: p.key})}
	s.signer = workflowtest.NewSigner(s.World)
	s.folder = s.signer.AddFolder("contracts")
	store := s.fixture.Store
	s.w = workflow.New(workflow.Parts{
		Jobs: store, Arrivals: store, Profiles: store.Profiles(), Pipeline: store, Passes: store, Index: store, Discoveries: store, Journal: store, Bells: store,
		Inputs: workflowtest.Inputs{World: s.World}, Outputs: workflowtest.Outputs{World: s.World}, Queue: s.World, Keys: s.World.Keys,
		Trust: &workflowtest.Trust{World: s.World}, Signer: s.signer,
		Remote: workflow.Remote{PollEvery: 30 * time.Second, Timeout: 12 * time.Hour, MaxFailures: 5, SweepEvery: 5 * time.Minute},
		Place: func(key string) workflow.Place {
			folder, name, _ := strings.Cut(key, "/")
			return workflow.Place{Folder: folder, Profile: folder, Name: name}
		},
		Anchors: []*x509.Certificate{p.root}, ReconcileEvery: time.Hour, Temporary: t.TempDir(),
	})
	s.saveProfiles(t)
	return s
}

func (s *shared) saveProfiles(t *testing.T) {
	t.Helper()
	own := &profile.Certificate{Source: profile.Kms}
	for _, p := range []profile.Profile{
		{Name: "local", Method: profile.Local, Format: profile.Pades, Verify: true, RequirePolicy: true, Certificate: own, Signature: profile.Signature{Digest: profile.SHA256}},
		{Name: "person", Method: profile.LacunaSigner, Format: profile.Pades, Verify: true, Signer: &profile.Participant{Name: "Ana", Email: "ana@example.invalid", Identifier: "52998224725"}},
		{Name: "folder", Method: profile.SignerFolder, Certificate: own, SignerFolder: &profile.Binding{ID: s.folder}},
	} {
		p.Enabled = true
		if err := s.SaveProfile(t.Context(), p, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// begin puts a record into the table, with what it speaks of around it, and returns the record's key.
func (s *shared) begin(t *testing.T, r written) (pk string) {
	t.Helper()
	i, id := r.Item, job.ID(strings.TrimPrefix(r.Item["pk"].(string), "JOB#"))
	if key, ok := i["key"].(string); ok {
		o := s.Drop(key, sample(), time.Now())
		i["versionId"], i["size"], i["etag"] = o.VersionID, o.Size, o.ETag
		s.store(t, map[string]any{"pk": "OBJECT#" + o.Bucket + "/" + key, "sk": "V#" + o.VersionID, "job": string(id)})
	}
	if i["outputKey"] == "@published" {
		i["outputKey"] = "local/a.pdf"
		signed := job.Publication{Job: id, Key: "local/a.pdf", Content: io.NewSectionReader(bytes.NewReader(sample()), 0, int64(len(sample())))}
		if err := (workflowtest.Outputs{World: s.World}).Put(t.Context(), signed); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case i["method"] == "SignerFolder":
		d := s.signer.AddWaiting(s.folder, "contrato.pdf", job.FlowAction{Type: job.ActionSigner, Status: job.ActionPending, Step: 1, Identifier: holder})
		if i["status"] == "Verifying" {
			s.signer.Act(d.ID, d.Actions[0].ID, job.ActionCompleted)
		}
		i["documentId"], i["actionId"], i["folderId"] = d.ID, d.Actions[0].ID, s.folder
	case i["documentId"] == "@document":
		sum := sha256.Sum256(sample())
		i["documentId"], i["documentSha256"] = "d", hex.EncodeToString(sum[:])
		s.signer.Documents["d"] = &workflowtest.Document{Content: sample(), SignerDocument: job.SignerDocument{ID: "d", Status: job.SignerPending}}
	}
	s.store(t, i)
	return i["pk"].(string)
}

func (s *shared) store(t *testing.T, i map[string]any) {
	t.Helper()
	m, err := attributevalue.MarshalMap(i)
	if err != nil {
		t.Fatal(err)
	}
	s.put(t, m)
}

// minute wakes every function once: somebody rings for the job, people at Signer sign, poll and recover look.
func (s *shared) minute(t *testing.T, id job.ID) {
	t.Helper()
	s.Send(job.Doorbell(id))
	s.work(t)
	s.conclude(t)
	for _, pass := range []func(context.Context) error{s.w.Poll, s.w.Recover} {
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second) // too short to wait for the next pass
		defer cancel()
		if err := pass(ctx); err != nil {
			t.Fatal(err)
		}
	}
	s.work(t)
}

func (s *shared) work(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for body, ok := s.Receive(); ok; body, ok = s.Receive() {
		b, err := s.w.Batch(ctx)
		if err == nil {
			err = b.Work(ctx, body)
		}
		if err != nil {
			t.Fatalf("%s comes again: %v", body, err)
		}
	}
}

// conclude has people sign what was sent to them.
func (s *shared) conclude(t *testing.T) {
	t.Helper()
	for id, d := range s.signer.Documents {
		if d.FolderID == "" && d.Status == job.SignerPending {
			s.signer.Conclude(id, personally(t, d.Content))
		}
	}
}

// personally signs a PDF as somebody at Lacuna Signer does.
func personally(t *testing.T, content []byte) []byte {
	t.Helper()
	p, err := pen()
	if err != nil {
		t.Fatal(err)
	}
	policy, err := icpbrasil.Current(icpbrasil.PAdES, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	d, err := pades.Prepare(bytes.NewReader(content), int64(len(content)), pades.Options{
		Certificate: p.cert.Certificate, Chain: p.cert.Chain, Hash: crypto.SHA256, Policy: policy, Time: time.Now(), SubFilter: "ETSI.CAdES.detached",
	})
	if err != nil {
		t.Fatal(err)
	}
	h := crypto.SHA256.New()
	h.Write(content)
	tail, err := d.Sign(h, p.key)
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.Clone(content), tail...)
}

// sample is a PDF of one page.
func sample() []byte {
	var b strings.Builder
	var offsets []int
	b.WriteString("%PDF-1.7\n")
	for i, o := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Resources<<>>>>"} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, at)
	return []byte(b.String())
}

// TestAJobOfAnOlderReleaseComesToItsEnd takes a job up in every status in which an older release may leave it, without what
// later releases store, and with what this one does not know.
func TestAJobOfAnOlderReleaseComesToItsEnd(t *testing.T) {
	t.Parallel()
	for _, r := range readWritten(t, "older.json") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			s := share(t)
			pk := s.begin(t, r)
			before, id := s.item(t, pk, "JOB"), job.ID(strings.TrimPrefix(pk, "JOB#"))
			for range 2 {
				s.minute(t, id)
			}
			j, err := s.fixture.Get(t.Context(), id)
			if err != nil || j.Status != r.Status || string(j.Code) != r.Code {
				t.Errorf("the job is %s (%s), %v; want %s (%s)\n%+v", j.Status, j.Code, err, r.Status, r.Code, j.History)
			}
			if got := s.World.Keys.Count(); got != r.Asked {
				t.Errorf("the key was asked %d times, want %d", got, r.Asked)
			}
			checkCarried(t, before, s.item(t, pk, "JOB"))
		})
	}
}

// checkCarried demands that what this release does not know is as it was, and so is every entry of the history.
func checkCarried(t *testing.T, before, after map[string]types.AttributeValue) {
	t.Helper()
	for name, want := range before {
		if strings.HasPrefix(name, "x-next") && cmp.Diff(want, after[name], anyOrder) != "" {
			t.Errorf("%s is lost: %v", name, after[name])
		}
	}
	old, now := before["history"].(*types.AttributeValueMemberL).Value, after["history"].(*types.AttributeValueMemberL).Value
	if diff := cmp.Diff(old, now[:min(len(old), len(now))], anyOrder); diff != "" {
		t.Errorf("the history is another (-before +after):\n%s", diff)
	}
}
