package lacuna_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"slices"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/profile"
)

var maria = profile.Participant{Name: "MARIA DE TESTE", Email: "maria@teste.invalid", Identifier: "52998224725"}

func newFake(t testing.TB, change ...func(*lacunatest.Options)) (*lacunatest.Server, *lacuna.Client) {
	t.Helper()
	day := time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)
	s := lacunatest.NewServer(t, append([]func(*lacunatest.Options){func(o *lacunatest.Options) { o.Now = func() time.Time { return day } }}, change...)...)
	return s, clientOf(s.URL, func(o *lacuna.Options) {
		o.Key = func(context.Context, bool) (string, error) { return s.Key(), nil }
	})
}

// must is a value without an error.
func must[T any](t testing.TB) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestDispatchOverTheFake(t *testing.T) {
	t.Parallel()
	s, c := newFake(t)
	pdf := must[[]byte](t)(s.Content(s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}}})))
	upload := must[string](t)(c.Upload(t.Context(), "Contrato – ação nº 1.pdf", "application/pdf", section(string(pdf))))
	id := must[string](t)(c.Create(t.Context(), job.Dispatch{
		UploadID: upload, Name: "Contrato", FileName: "Contrato – ação nº 1.pdf", ContentType: "application/pdf", Participant: maria, Job: "job-1",
	}))
	if st, _ := s.Get(id); st.Tags[lacuna.TagLabel] != "job-1" || st.FileName != "Contrato – ação nº 1.pdf" {
		t.Errorf("Signer has %+v", st)
	}
	d := must[job.SignerDocument](t)(c.Document(t.Context(), id))
	if len(d.Actions) != 1 || d.Status != job.SignerPending || d.MIMEType != "application/pdf" || d.UpdatedAt.IsZero() {
		t.Errorf("the document is %+v", d)
	}
	if a := d.Actions[0]; a.ID == "" || a.Type != job.ActionSigner || a.Status != job.ActionPending || a.Identifier != maria.Identifier || a.Email != maria.Email {
		t.Errorf("the action is %+v", a)
	}
	if v := judged(t, c.Download(t.Context(), id, &bytes.Buffer{})); v.status != 422 || v.transient {
		t.Errorf("download before the end: %+v", v)
	}
	s.Conclude(id)
	s.Fail(lacunatest.Rule{Op: lacunatest.Download, Times: 1, Fault: lacunatest.Redirected()})
	want := must[[]byte](t)(s.Content(id))
	for range 2 {
		var got bytes.Buffer
		if err := c.Download(t.Context(), id, &got); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%d bytes, %v, want %d", got.Len(), err, len(want))
		}
	}
	for _, call := range s.Calls() {
		if call.Key == (call.Op == lacunatest.Away) {
			t.Errorf("%s with the key: %v", call.Op, call.Key)
		}
	}
}

func TestCancelOverTheFake(t *testing.T) {
	t.Parallel()
	s, c := newFake(t)
	id := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}}})
	if err := c.Cancel(t.Context(), id, "sent by mistake"); err != nil {
		t.Fatal(err)
	}
	if d := must[job.SignerDocument](t)(c.Document(t.Context(), id)); d.Status != job.SignerCanceled || d.Reason != "sent by mistake" {
		t.Errorf("the document is %+v", d)
	}
	if v := judged(t, c.Cancel(t.Context(), id, "again")); v.status != 422 || v.code == "" || v.transient {
		t.Errorf("canceled twice: %+v", v)
	}
}

func TestFoldersOverTheFake(t *testing.T) {
	t.Parallel()
	for name, lists := range map[string]lacunatest.Lists{
		"pages": {}, "rows": {ItemOffsets: true}, "no total": {HideTotal: true}, "small pages": {PageSize: 7}, "subfolders": {Subfolders: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := newFake(t, func(o *lacunatest.Options) { o.Lists = lists })
			parent := s.AddFolder("Notas", "")
			child := s.AddFolder("Notas de saída", parent)
			var want, got []string
			for i := range 120 {
				d := lacunatest.Document{Name: fmt.Sprint(i), FolderID: parent, Actions: []lacunatest.Action{{Participant: maria}}}
				want = append(want, s.AddDocument(d))
				if d.FolderID = child; i%10 == 0 {
					s.AddDocument(d)
				}
			}
			for d, err := range c.Pending(t.Context(), parent) {
				if err != nil || d.FolderID != parent || d.UpdatedAt.IsZero() {
					t.Fatal(d, err)
				}
				got = append(got, d.ID)
			}
			slices.Sort(want)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%d documents, want %d", len(got), len(want))
			}
			folders := must[[]job.SignerFolder](t)(c.Folders(t.Context(), "notas"))
			if len(folders) != 2 || folders[1] != (job.SignerFolder{ID: child, Name: "Notas de saída", ParentID: parent}) {
				t.Errorf("folders %+v", folders)
			}
			if f := must[job.SignerFolder](t)(c.Folder(t.Context(), parent)); f != folders[0] {
				t.Errorf("folder %+v, want %+v", f, folders[0])
			}
			_, err := c.Folder(t.Context(), folderID)
			if v := judged(t, err); v != (verdict{422, "FolderNotFound", false, false}) {
				t.Errorf("a folder that is not there: %+v", v)
			}
		})
	}
}

// Documents that leave between pages do not hide those that stay.
func TestPendingOverTheFakeWhileDocumentsLeave(t *testing.T) {
	t.Parallel()
	var s *lacunatest.Server
	var leaving []string
	s, c := newFake(t, func(o *lacunatest.Options) {
		o.Lists.Between = func(int) {
			for range min(12, len(leaving)) {
				if err := s.Signer.Sign(leaving[0]); err != nil {
					t.Error(err)
				}
				leaving = leaving[1:]
			}
		}
	})
	folder := s.AddFolder("Notas", "")
	var ids []string
	for range 160 {
		ids = append(ids, s.AddDocument(lacunatest.Document{FolderID: folder, Actions: []lacunatest.Action{{Participant: maria}}}))
	}
	leaving = ids[:40]
	got := map[string]bool{}
	for d, err := range c.Pending(t.Context(), folder) {
		if err != nil || got[d.ID] {
			t.Fatal(d.ID, got[d.ID], err)
		}
		got[d.ID] = true
	}
	for i, id := range ids[40:] {
		if !got[id] {
			t.Errorf("document %d is missing", 40+i)
		}
	}
}

// holder is a key with a certificate of Maria's.
func holder(t testing.TB, s *lacunatest.Server) (*rsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key := must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048))
	pki := must[*icpbrasiltest.PKI](t)(s.PKI())
	return key, must[*x509.Certificate](t)(pki.IssueECPF(key.Public(), icpbrasiltest.Maria()))
}

func TestSigningOverTheFake(t *testing.T) {
	t.Parallel()
	for _, digest := range []crypto.Hash{crypto.SHA256, crypto.SHA512} {
		t.Run(digest.String(), func(t *testing.T) {
			t.Parallel()
			s, c := newFake(t, func(o *lacunatest.Options) { o.Digest = digest })
			key, cert := holder(t, s)
			id := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}}})
			q := job.ActionQuery{DocumentID: id, Identifier: maria.Identifier, Email: maria.Email}
			link := must[job.Ticket](t)(c.ActionURL(t.Context(), q))

			wrong := must[job.Started](t)(c.Start(t.Context(), link, cert.Raw))
			if h := must[job.Handed](t)(c.Complete(t.Context(), link, wrong.Token, make([]byte, 256))); h.Accepted || len(h.Findings) == 0 {
				t.Errorf("a wrong signature: %+v", h)
			}
			started := must[job.Started](t)(c.Start(t.Context(), link, cert.Raw))
			if !started.Accepted || started.Digest != digest || len(started.Hash) != digest.Size() {
				t.Fatalf("started %+v", started)
			}
			signature := must[[]byte](t)(rsa.SignPKCS1v15(nil, key, started.Digest, started.Hash))
			if h := must[job.Handed](t)(c.Complete(t.Context(), link, started.Token, signature)); !h.Accepted {
				t.Errorf("handed %+v", h)
			}
			_, err := c.Complete(t.Context(), link, started.Token, signature)
			if v := judged(t, err); v.status != 422 || v.code == "" || v.transient {
				t.Errorf("completed twice: %+v", v)
			}
			_, err = c.ActionURL(t.Context(), q)
			if v := judged(t, err); v.status != 422 || v.code == "" || v.transient {
				t.Errorf("asked for an action that is done: %+v", v)
			}
			if d := must[job.SignerDocument](t)(c.Document(t.Context(), id)); d.Actions[0].Status != job.ActionCompleted || s.Accepted(id, d.Actions[0].ID) != 1 {
				t.Errorf("the document is %+v", d)
			}
		})
	}
}
