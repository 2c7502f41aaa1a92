package lacunatest_test

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"fmt"
	"mime"
	"sync"
	"testing"

	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/verify"
)

const xmlText = `<?xml version="1.0" encoding="UTF-8"?><contrato><valor>1</valor></contrato>`

// judged verifies a signed file in full, AD-RB demanded, and returns how many signatures it has.
func judged(t *testing.T, s *lacunatest.Server, file, content []byte) int {
	t.Helper()
	pki, err := s.PKI()
	if err != nil {
		t.Fatal(err)
	}
	o := verify.Options{Anchors: []*x509.Certificate{pki.Root}, At: now, Policy: true}
	r, err := verify.File(bytes.NewReader(file), int64(len(file)), o)
	if content != nil {
		r, err = verify.Detached(file, bytes.NewReader(content), o)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	return len(r.Signatures)
}

func TestWhatPeopleSignIsSigned(t *testing.T) {
	t.Parallel()
	two := []lacunatest.Action{{Participant: maria}, {Step: 2, Participant: jose}}
	tests := []struct {
		name, fileName     string
		mime               string
		content            []byte
		force, detached    bool
		actions            []lacunatest.Action
		wantMIME, wantName string
	}{
		{"PDF", "a.pdf", "application/pdf", nil, false, false, two, "application/pdf", "a.pdf"},
		{"XML", "nota.xml", "text/xml", []byte(xmlText), false, false, two[:1], "text/xml", "nota.xml"},
		{"anything", "relatório.txt", "text/plain", []byte("text"), false, false, two, "application/pkcs7-signature", "relatório.txt.p7s"},
		{"anything, detached", "a.txt", "text/plain", []byte("text"), false, true, two[:1], "application/pkcs7-signature", "a.txt.p7s"},
		{"PDF as CAdES", "a.pdf", "application/pdf", nil, true, false, two, "application/pkcs7-signature", "a.pdf.p7s"},
		{"XML as CAdES", "nota.xml", "application/xml", []byte(xmlText), true, false, two[:1], "application/pkcs7-signature", "nota.xml.p7s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(o *lacunatest.Options) { o.Detached = tt.detached })
			doc := s.AddDocument(lacunatest.Document{FileName: tt.fileName, MIME: tt.mime, Content: tt.content, ForceCades: tt.force, Actions: tt.actions})
			s.Conclude(doc)
			got := ask(t, s, "GET", "/api/documents/"+doc+"/content?type=Signatures", nil)
			var content []byte
			if tt.detached {
				content = tt.content
			}
			if n := judged(t, s, got.body, content); n != len(tt.actions) {
				t.Errorf("%d signatures, want %d", n, len(tt.actions))
			}
			_, params, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
			if err != nil || params["filename"] != tt.wantName || got.header.Get("Content-Type") != tt.wantMIME {
				t.Errorf("headers %v, want %s of type %s", got.header, tt.wantName, tt.wantMIME)
			}
			original := ask(t, s, "GET", "/api/documents/"+doc+"/content?TYPE=Original", nil)
			if tt.content != nil && !bytes.Equal(original.body, tt.content) {
				t.Error("the original is another one")
			}
		})
	}
}

func TestSomeFilesHaveRoomForOneSignature(t *testing.T) {
	t.Parallel()
	two := []lacunatest.Action{{Participant: maria}, {Step: 2, Participant: jose}}
	for name, d := range map[string]lacunatest.Document{
		"XML":      {MIME: "text/xml", Content: []byte(xmlText), Actions: two},
		"detached": {MIME: "text/plain", Content: []byte("text"), Actions: two},
	} {
		s := newServer(t, func(o *lacunatest.Options) { o.Detached = true })
		doc := s.AddDocument(d)
		s.Sign(doc)
		if err := s.Signer.Sign(doc); err == nil {
			t.Errorf("%s: a second signature was made", name)
		}
		checkStatuses(t, s, doc, pending, completed, pending)
	}
}

func TestAHoldersSignatureIsBuiltIn(t *testing.T) {
	t.Parallel()
	tests := map[string]lacunatest.Document{
		"PDF": {}, "XML": {MIME: "text/xml", Content: []byte(xmlText)}, "anything": {MIME: "text/plain", Content: []byte("text")},
	}
	for name, d := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			d.Actions = []lacunatest.Action{{Participant: maria}}
			want := 1
			if name != "XML" { // a signature of a whole document leaves no room for another one
				d.Actions, want = []lacunatest.Action{{Participant: jose}, {Step: 2, Participant: maria}, {Step: 3, Participant: ana}}, 3
			}
			doc := s.AddDocument(d)
			if want == 3 {
				s.Sign(doc)
			}
			id := holder(t, s, "RSA")
			key, started := begin(t, s, doc, id)
			if got := end(t, s, key, started["token"], id.sign(t, started, crypto.SHA256)).object(t); got["success"] != true {
				t.Fatalf("completed %v", got)
			}
			if o := ask(t, s, "GET", "/api/documents/"+doc, nil).object(t); o["hasSignature"] != true {
				t.Error("the document says that it has no signature")
			}
			s.Conclude(doc)
			file, err := s.Content(doc)
			if err != nil {
				t.Fatal(err)
			}
			if n := judged(t, s, file, nil); n != want {
				t.Errorf("%d signatures, want %d", n, want)
			}
			if !bytes.Contains(file, id.cert.Raw) && name == "anything" {
				t.Error("the holder's certificate is not in the file")
			}
		})
	}
}

func TestSignaturesBegunAtOnceAreBothAccepted(t *testing.T) {
	t.Parallel()
	for _, built := range []bool{false, true} { // whether the other signature was made by then
		t.Run(fmt.Sprint(built), func(t *testing.T) {
			t.Parallel()
			testSignaturesBegunAtOnce(t, built)
		})
	}
}

func testSignaturesBegunAtOnce(t *testing.T, built bool) {
	t.Helper()
	s := newServer(t)
	doc := s.AddDocument(lacunatest.Document{MIME: "text/plain", Content: []byte("text"), Actions: []lacunatest.Action{{Participant: maria}, {Participant: jose}}})
	id := holder(t, s, "RSA")
	key, started := begin(t, s, doc, id)
	s.SignAs(doc, jose.Identifier)
	if built {
		if _, err := s.Content(doc); err != nil {
			t.Fatal(err)
		}
	}
	if got := end(t, s, key, started["token"], id.sign(t, started, crypto.SHA256)).object(t); got["success"] != true {
		t.Fatalf("completed %v", got)
	}
	checkStatuses(t, s, doc, lacunatest.Concluded, completed, completed)
	file, err := s.Content(doc)
	if err != nil {
		t.Fatal(err)
	}
	if n := judged(t, s, file, nil); n != 1 || bytes.Contains(file, id.cert.Raw) {
		t.Errorf("%d signatures, want that of the one who came first", n)
	}
}

func TestTheServiceIsUsedByManyAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *lacunatest.Options) {
		o.People = func(lacunatest.Waiting) lacunatest.Reply { return lacunatest.Reply{Do: lacunatest.Sign} }
	})
	hook := newReceiver(t)
	s.SetWebhook("a", hook.webhook())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				upload := uploaded(t, s, "text")
				ask(t, s, "POST", "/api/documents", dispatch(upload, "a.txt", "text/plain"))
				listed(t, s, "Status=Concluded&Order=Asc")
				if _, err := s.Deliver(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, doc := range s.Documents() {
		if got := ask(t, s, "GET", "/api/documents/"+doc+"/content?type=Signatures", nil); got.status != 200 {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if n := len(s.Documents()); n != 40 {
		t.Errorf("%d documents, want 40", n)
	}
	deliver(t, s)
	if n := len(hook.events(t)); n < 81 {
		t.Errorf("%d events, want two for each document and those that tell of them", n)
	}
}
