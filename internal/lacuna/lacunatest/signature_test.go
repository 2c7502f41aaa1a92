package lacunatest_test

import (
	"crypto"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/lacuna/lacunatest"
)

func TestAnActionURLHasKeyAndTicket(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}, {Type: lacunatest.TypeApprover, Participant: jose}}})
	for person, page := range map[string]string{maria.Identifier: "sign", jose.Identifier: "approve"} {
		got := ask(t, s, "POST", "/api/documents/"+doc+"/action-url", object{"identifier": person}).object(t)
		for field, end := range map[string]string{"url": page, "embedUrl": page + "-embedded"} {
			u, err := url.Parse(got[field].(string))
			if err != nil {
				t.Fatal(err)
			}
			if u.Path != "/document/key/"+s.State(doc).Key+"/"+end || u.Query().Get("ticket") == "" {
				t.Errorf("%s = %s", field, u)
			}
			if strings.HasPrefix(s.URL, "http://"+u.Host) || !strings.HasSuffix(u.Host, ".invalid") {
				t.Errorf("%s leads to %s, which is the service itself", field, u.Host)
			}
		}
	}
}

func TestAnActionURLIsForTheParticipant(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}, {Participant: maria}, {Step: 2, Participant: jose}}})
	st := s.State(doc)
	const none = "NoPendingActionFoundForEmailAndIdentifier"
	tests := []struct {
		name  string
		query object
		code  string
	}{
		{"by CPF", object{"identifier": maria.Identifier}, ""},
		{"by address", object{"emailAddress": strings.ToUpper(maria.Email)}, ""},
		{"by both", object{"identifier": maria.Identifier, "emailAddress": maria.Email}, ""},
		{"another address", object{"identifier": maria.Identifier, "emailAddress": jose.Email}, none},
		{"by action", object{"identifier": maria.Identifier, "flowActionId": strings.ToUpper(st.Actions[1].ID)}, ""},
		{"another's action", object{"identifier": maria.Identifier, "flowActionId": st.Actions[2].ID}, none},
		{"not yet", object{"identifier": jose.Identifier}, none},
		{"not yet, by action", object{"identifier": jose.Identifier, "flowActionId": st.Actions[2].ID}, "FlowActionNotPending"},
	}
	for _, tt := range tests {
		if got := ask(t, s, "POST", "/api/documents/"+doc+"/action-url", tt.query); got.code() != tt.code {
			t.Errorf("%s: %d %s, want %q", tt.name, got.status, got.body, tt.code)
		}
	}
	s.Cancel(doc, "late")
	if got := ask(t, s, "POST", "/api/documents/"+doc+"/action-url", tests[0].query); got.code() != none {
		t.Errorf("canceled: %d %s", got.status, got.body)
	}
}

func TestAHolderSigns(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, key string
		digest    crypto.Hash
		oid       string
	}{
		{"RSA", "RSA", crypto.SHA256, "2.16.840.1.101.3.4.2.1"},
		{"ECDSA", "ECDSA", crypto.SHA512, "2.16.840.1.101.3.4.2.3"},
		{"a digest that the policies lack", "RSA", crypto.SHA384, "2.16.840.1.101.3.4.2.2"},
		{"SHA-1", "RSA", crypto.SHA1, "1.3.14.3.2.26"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(o *lacunatest.Options) { o.Digest = tt.digest })
			doc := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}, {Step: 2, Participant: jose}}})
			id := holder(t, s, tt.key)
			key, started := begin(t, s, doc, id)
			hash, err := base64.StdEncoding.DecodeString(started["toSignHash"].(string))
			if err != nil || len(hash) != tt.digest.Size() || started["digestAlgorithm"] != tt.oid || started["success"] != true {
				t.Fatalf("started %v", started)
			}
			got := end(t, s, key, started["token"], id.sign(t, started, tt.digest)).object(t)
			if got["success"] != true || got["validationResults"].(object)["isValid"] != true {
				t.Errorf("completed %v", got)
			}
			checkStatuses(t, s, doc, pending, completed, pending)
			if n := s.Accepted(doc, s.State(doc).Actions[0].ID); n != 1 {
				t.Errorf("%d signatures accepted, want 1", n)
			}
		})
	}
}

func TestASignatureIsCompletedOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}, {Step: 2, Participant: jose}}})
	id := holder(t, s, "RSA")
	key, first := begin(t, s, doc, id)
	_, second := begin(t, s, doc, id)
	if first["token"] == second["token"] {
		t.Fatal("two starts have one token")
	}
	if got := end(t, s, key, first["token"], id.sign(t, first, crypto.SHA256)); got.object(t)["success"] != true {
		t.Fatalf("completed %s", got.body)
	}
	if got := end(t, s, key, first["token"], id.sign(t, first, crypto.SHA256)); got.code() != "InvalidToken" {
		t.Errorf("the token again: %d %s", got.status, got.body)
	}
	if got := end(t, s, key, second["token"], id.sign(t, second, crypto.SHA256)); got.code() != "SignatureNotPending" {
		t.Errorf("the second start: %d %s", got.status, got.body)
	}
	if n := s.Accepted(doc, s.State(doc).Actions[0].ID); n != 1 {
		t.Errorf("%d signatures accepted, want 1", n)
	}
}

func TestAWrongSignatureIsNotAccepted(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(waitingFor(maria, ""))
	id := holder(t, s, "RSA")
	bare := func(started object) []byte { // without the DigestInfo, as one published sample does
		return id.sign(t, started, crypto.Hash(0))
	}
	other := func(started object) []byte { return identity{key: keys()["ECDSA"]}.sign(t, started, crypto.SHA256) }
	for name, sign := range map[string]func(object) []byte{"without DigestInfo": bare, "of another key": other, "nothing": func(object) []byte { return []byte{} }} {
		key, started := begin(t, s, doc, id)
		got := end(t, s, key, started["token"], sign(started))
		o := got.object(t)
		findings, _ := o["validationResults"].(object)["errors"].([]any)
		if got.status != 200 || o["success"] != false || len(findings) != 1 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		if got := end(t, s, key, started["token"], id.sign(t, started, crypto.SHA256)); got.code() != "InvalidToken" {
			t.Errorf("%s: the token again: %d %s", name, got.status, got.body)
		}
	}
	checkStatuses(t, s, doc, pending, pending)
}

func TestAWrongSignatureIsFoundUnderEveryDigest(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *lacunatest.Options) { o.Digest = crypto.SHA384 })
	doc := s.AddDocument(waitingFor(maria, ""))
	key, started := begin(t, s, doc, holder(t, s, "RSA"))
	got := end(t, s, key, started["token"], identity{key: keys()["ECDSA"]}.sign(t, started, crypto.SHA384))
	if !strings.Contains(string(got.body), `"type":"InvalidSignature"`) {
		t.Errorf("completed %d %s", got.status, got.body)
	}
	checkStatuses(t, s, doc, pending, pending)
}

func TestAStartIsRefused(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newServer(t, func(o *lacunatest.Options) { o.Now = c.Now })
	doc := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}, {Type: lacunatest.TypeApprover, Participant: jose}}})
	other := s.AddDocument(waitingFor(maria, ""))
	key, ticket := link(t, s, doc, object{"identifier": maria.Identifier})
	_, approval := link(t, s, doc, object{"identifier": jose.Identifier})
	good := holder(t, s, "RSA").cert.Raw
	without := holder(t, s, "RSA", icpbrasiltest.WithoutCPF()).cert.Raw
	pki, err := s.PKI()
	if err != nil {
		t.Fatal(err)
	}
	anothers, err := pki.IssueECPF(keys()["RSA"].Public(), icpbrasiltest.Person{Name: jose.Name, CPF: jose.Identifier})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, key string
		body      object
		status    int
		code      string
	}{
		{"no ticket", key, object{"certificate": good}, 400, ""},
		{"no certificate", key, object{"ticket": ticket}, 400, ""},
		{"a certificate that is no base64", key, object{"ticket": ticket, "certificate": "%"}, 400, ""},
		{"an unknown key", "ABCDEABCDEABCDEABCDE", object{"ticket": ticket, "certificate": good}, 422, "DocumentInvalidKey"},
		{"another document's ticket", s.State(other).Key, object{"ticket": ticket, "certificate": good}, 422, "InvalidTicket"},
		{"an unknown ticket", key, object{"ticket": "x", "certificate": good}, 422, "InvalidTicket"},
		{"an approver's ticket", key, object{"ticket": approval, "certificate": good}, 422, "InvalidFlowAction"},
		{"no certificate in it", key, object{"ticket": ticket, "certificate": []byte("x")}, 422, "CertificateNotFound"},
		{"another person's certificate", key, object{"ticket": ticket, "certificate": anothers.Raw}, 422, "CpfMismatch"},
		{"a certificate without a CPF", key, object{"ticket": ticket, "certificate": without}, 422, "CpfMismatch"},
	}
	check := func(name, key string, body object, status int, code string) {
		t.Helper()
		got := ask(t, s, "POST", "/api/documents/keys/"+key+"/signature/certificate", body)
		if got.status != status || got.code() != code {
			t.Errorf("%s: %d %s, want %d %s", name, got.status, got.body, status, code)
		}
	}
	for _, tt := range tests {
		check(tt.name, tt.key, tt.body, tt.status, tt.code)
	}
	body, action := object{"ticket": ticket, "certificate": good}, s.State(doc).Actions[0].ID
	s.SetAction(doc, action, waiting)
	check("an action that is back to waiting", key, body, 422, "FlowActionNotPending")
	s.SetAction(doc, action, pending)
	c.advance(25 * time.Hour)
	check("an old ticket", key, body, 422, "InvalidTicket")
	key, ticket = link(t, s, doc, object{"identifier": maria.Identifier})
	s.Sign(doc)
	check("an action that is done", key, object{"ticket": ticket, "certificate": good}, 422, "SignatureNotPending")
}

func TestAStartFailsWhereNothingCanBeSigned(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	broken := s.AddDocument(lacunatest.Document{Content: []byte("no PDF"), Actions: []lacunatest.Action{{Participant: maria}}})
	good := s.AddDocument(waitingFor(maria, ""))
	expired := holder(t, s, "RSA", icpbrasiltest.Validity(now.AddDate(-2, 0, 0), now.AddDate(-1, 0, 0)))
	for doc, id := range map[string]identity{broken: holder(t, s, "RSA"), good: expired} {
		_, started := begin(t, s, doc, id)
		if started["success"] != false || started["toSignHash"] != nil || len(started["validationResults"].(object)["errors"].([]any)) != 1 {
			t.Errorf("started %v", started)
		}
	}
}

func TestACompanysHolderIsItsResponsiblePerson(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(waitingFor(maria, ""))
	pki, err := s.PKI()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := pki.IssueECNPJ(keys()["RSA"].Public(), icpbrasiltest.Firm())
	if err != nil {
		t.Fatal(err)
	}
	id := identity{keys()["RSA"], cert}
	key, started := begin(t, s, doc, id)
	if got := end(t, s, key, started["token"], id.sign(t, started, crypto.SHA256)).object(t); got["success"] != true {
		t.Errorf("completed %v", got)
	}
	checkStatuses(t, s, doc, lacunatest.Concluded, completed)
}
