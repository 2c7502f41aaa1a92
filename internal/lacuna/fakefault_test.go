package lacuna_test

import (
	"crypto"
	"errors"
	"fmt"
	"slices"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/lacuna/lacunatest"
)

func TestStartVariantsOfTheFake(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault  lacunatest.Fault
		digest crypto.Hash
		named  string
		width  int
	}{
		"a name":      {lacunatest.Set("digestAlgorithm", "SHA-256"), crypto.SHA256, "SHA-256", 32},
		"SHA-1":       {lacunatest.Set("digestAlgorithm", "1.3.14.3.2.26"), 0, "1.3.14.3.2.26", 32},
		"absent":      {lacunatest.Set("digestAlgorithm", nil), 0, "", 32},
		"wrong width": {lacunatest.Set("toSignHash", "AAAA"), crypto.SHA256, "2.16.840.1.101.3.4.2.1", 3},
	} {
		s, c := newFake(t)
		_, cert := holder(t, s)
		id := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}}})
		link := must[job.Ticket](t)(c.ActionURL(t.Context(), job.ActionQuery{DocumentID: id, Identifier: maria.Identifier, Email: maria.Email}))
		s.Fail(lacunatest.Rule{Op: lacunatest.Start, Times: 1, Fault: tt.fault})
		got := must[job.Started](t)(c.Start(t.Context(), link, cert.Raw))
		if got.Digest != tt.digest || got.DigestName != tt.named || len(got.Hash) != tt.width {
			t.Errorf("%s: %+v", name, got)
		}
		s.Fail(lacunatest.Rule{Op: lacunatest.Start, Times: 1, Fault: lacunatest.Unsuccessful("CertificateRevoked")})
		got = must[job.Started](t)(c.Start(t.Context(), link, cert.Raw))
		if got.Accepted || !slices.Equal(got.Findings, []string{"CertificateRevoked"}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// ops are the operations of the fake that the calls are.
var ops = map[string]lacunatest.Op{
	"Upload": lacunatest.Upload, "Create": lacunatest.Create, "Document": lacunatest.Details, "Download": lacunatest.Download,
	"Cancel": lacunatest.Cancel, "Pending": lacunatest.List, "Folder": lacunatest.Folder, "Folders": lacunatest.Folders,
	"ActionURL": lacunatest.ActionURL, "Start": lacunatest.Start, "Complete": lacunatest.Complete,
}

func TestFaultsOfTheFake(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault lacunatest.Fault
		want  verdict
	}{
		"dropped before":   {lacunatest.Dropped(), verdict{transient: true}},
		"dropped after":    {lacunatest.Dropped().AfterEffect(), verdict{transient: true}},
		"a proxy":          {lacunatest.HTML(502), verdict{502, "", true, false}},
		"a proxy's page":   {lacunatest.HTML(200), verdict{200, "", true, false}},
		"throttled":        {lacunatest.Status(429), verdict{429, "", true, false}},
		"another code":     {lacunatest.ErrorCode("SignatureNotPending"), verdict{422, "SignatureNotPending", false, false}},
		"nothing is there": {lacunatest.Status(404), verdict{404, "", false, false}},
	} {
		s, c := newFake(t)
		s.Fail(lacunatest.Rule{Fault: tt.fault})
		for _, call := range calls {
			err := call.do(t.Context(), c)
			if got := judged(t, err); got != tt.want {
				t.Errorf("%s, %s: %+v (%v), want %+v", name, call.name, got, err, tt.want)
			}
			if n := s.Count(ops[call.name]); n != 1 && !call.read {
				t.Errorf("%s, %s: %d requests arrived", name, call.name, n)
			}
		}
	}
}

// Answers that grow do no harm; answers of nulls alone do not say what was asked for.
func TestAlteredAnswersOfTheFake(t *testing.T) {
	t.Parallel()
	s, c := newFake(t)
	folder := s.AddFolder("Notas", "")
	id := s.AddDocument(lacunatest.Document{FolderID: folder, Actions: []lacunatest.Action{{Participant: maria}}})
	before := must[job.SignerDocument](t)(c.Document(t.Context(), id))
	s.Fail(lacunatest.Rule{Fault: lacunatest.Extended()})
	after := must[job.SignerDocument](t)(c.Document(t.Context(), id))
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%+v, want %+v", after, before)
	}
	must[job.SignerFolder](t)(c.Folder(t.Context(), folder))
	must[[]job.SignerFolder](t)(c.Folders(t.Context(), ""))
	must[job.Ticket](t)(c.ActionURL(t.Context(), job.ActionQuery{DocumentID: id, Identifier: maria.Identifier, Email: maria.Email}))
	s.Heal()
	s.Fail(lacunatest.Rule{Fault: lacunatest.Nulls()})
	_, errDocument := c.Document(t.Context(), id)
	_, errFolder := c.Folder(t.Context(), folder)
	_, errUpload := c.Upload(t.Context(), "a.pdf", "application/pdf", section("%PDF"))
	for _, err := range []error{errDocument, errFolder, errUpload} {
		if v := judged(t, err); v != (verdict{200, "", true, false}) {
			t.Errorf("%+v", v)
		}
	}
	_, err := c.ActionURL(t.Context(), job.ActionQuery{DocumentID: id, Identifier: maria.Identifier, Email: maria.Email})
	if !errors.Is(err, fault.SignerFolderURLMalformed) {
		t.Errorf("an address of null: %v", err)
	}
	for range c.Pending(t.Context(), folder) {
		t.Error("a list of null has a document")
	}
}
