package lacunatest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/lacuna/lacunatest"
)

const unknownID = "00000000-0000-4000-8000-000000000000"

func TestTheKeyIsChecked(t *testing.T) {
	t.Parallel()
	const foreign = "Another App|1234"
	s := newServer(t, func(o *lacunatest.Options) { o.Foreign = []string{foreign} })
	doc := s.AddDocument(waitingFor(maria, ""))
	tests := []struct {
		name, key string
		want      int
	}{
		{"its own", s.Key(), 200}, {"none", "", 401}, {"unknown", "x|y", 401}, {"trimmed inside", strings.ReplaceAll(s.Key(), " ", ""), 401}, {"another organization's", foreign, 403},
	}
	for _, tt := range tests {
		for method, path := range map[string]string{"GET": "/api/documents/" + doc, "POST": "/api/documents/" + doc + "/action-url"} {
			got, err := send(t, s, method, path, object{"identifier": maria.Identifier}, tt.key)
			if err != nil || got.status != tt.want || tt.want != 200 && len(got.body) > 0 {
				t.Errorf("%s, %s: %d %q, %v, want %d and nothing else", tt.name, method, got.status, got.body, err, tt.want)
			}
		}
	}
	if got, err := send(t, s, "POST", "/api/documents/keys/X/signature", object{"token": "a", "signature": []byte("b")}, ""); err != nil || got.code() != "DocumentInvalidKey" {
		t.Errorf("a public signature without a key: %d %s, %v", got.status, got.body, err)
	}
}

func TestRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(waitingFor(maria, ""))
	ended := s.AddDocument(waitingFor(maria, ""))
	s.Cancel(ended, "late")
	upload := uploaded(t, s, "text")
	good := func(change func(object)) object {
		o := dispatch(upload, "a.txt", "text/plain")
		change(o)
		return o
	}
	person := func(name, identifier, email string) func(object) {
		return func(o object) {
			o["flowActions"] = []object{{"type": "Signer", "step": 1, "user": object{"name": name, "identifier": identifier, "email": email}}}
		}
	}
	tests := []struct {
		name, method, path string
		body               any
		status             int
		code               string
	}{
		{"an unknown document", "GET", "/api/documents/" + unknownID, nil, 422, "DocumentNotFound"},
		{"an unknown folder", "GET", "/api/folders/" + unknownID, nil, 422, "FolderNotFound"},
		{"an id that is no GUID", "GET", "/api/documents/7", nil, 404, ""},
		{"a path that nobody serves", "GET", "/api/users", nil, 404, ""},
		{"a method that nobody serves", "PUT", "/api/documents", object{}, 404, ""},
		{"a cancellation without a reason", "POST", "/api/documents/" + doc + "/cancellation", object{}, 400, ""},
		{"a refusal with an empty reason", "POST", "/api/documents/" + doc + "/refusal", object{"reason": ""}, 400, ""},
		{"a cancellation of what is over", "POST", "/api/documents/" + ended + "/cancellation", object{"reason": "late"}, 422, "DocumentNotPending"},
		{"a refusal of what is over", "POST", "/api/documents/" + ended + "/refusal", object{"reason": "late"}, 422, "DocumentNotPending"},
		{"a cancellation of nothing", "POST", "/api/documents/" + unknownID + "/cancellation", object{"reason": "late"}, 422, "DocumentNotFound"},
		{"an action URL for nobody", "POST", "/api/documents/" + doc + "/action-url", object{}, 422, "NoPendingActionFoundForEmailAndIdentifier"},
		{"a creation without files", "POST", "/api/documents", good(func(o object) { delete(o, "files") }), 400, ""},
		{"a creation without actions", "POST", "/api/documents", good(func(o object) { o["flowActions"] = []object{} }), 400, ""},
		{"a file without a display name", "POST", "/api/documents", good(func(o object) { delete(o["files"].([]object)[0], "displayName") }), 400, ""},
		{"a tag without a value", "POST", "/api/documents", good(func(o object) { o["tags"] = []object{{"label": "a"}} }), 400, ""},
		{"an unknown upload", "POST", "/api/documents", good(func(o object) { o["files"].([]object)[0]["id"] = unknownID }), 422, "UploadNotFound"},
		{"a folder that is not there", "POST", "/api/documents", good(func(o object) { o["folderId"] = unknownID }), 422, "FolderNotFound"},
		{"an envelope", "POST", "/api/documents", good(func(o object) { o["isEnvelope"] = true }), 422, "OperationNotSupported"},
		{"a CPF with dots", "POST", "/api/documents", good(person("MARIA", "529.982.247-25", "m@teste.invalid")), 422, "InvalidFlowAction"},
		{"a name with a blank at its end", "POST", "/api/documents", good(person("MARIA ", maria.Identifier, "m@teste.invalid")), 422, "InvalidFlowAction"},
		{"an action of an unknown type", "POST", "/api/documents", good(func(o object) { o["flowActions"] = []object{{"type": "Witness"}} }), 422, "InvalidFlowAction"},
		{"a rule without members", "POST", "/api/documents", good(func(o object) { o["flowActions"] = []object{{"type": "SignRule"}} }), 422, "InvalidFlowAction"},
		{"a creation that is no object", "POST", "/api/documents", []int{1}, 400, ""},
		{"an action URL of text", "POST", "/api/documents/" + doc + "/action-url", "text", 400, ""},
		{"marks, which are not made", "GET", "/api/documents/" + doc + "/content?type=SignatureMarks", nil, 422, "DownloadNotAllowed"},
		{"folders with a negative offset", "GET", "/api/folders?Offset=-1", nil, 400, ""},
		{"a folder's id that is no GUID", "GET", "/api/folders/7", nil, 404, ""},
		{"a start of text", "POST", "/api/documents/keys/X/signature/certificate", "text", 400, ""},
		{"a completion of text", "POST", "/api/documents/keys/X/signature", "text", 400, ""},
		{"a completion without a signature", "POST", "/api/documents/keys/X/signature", object{"token": "a"}, 400, ""},
		{"a request that is too large", "POST", "/api/documents", object{"a": strings.Repeat("a", 2<<20)}, 413, ""},
		{"no address", "POST", "/api/documents", good(person("MARIA", maria.Identifier, "")), 422, "InvalidFlowAction"},
		{"a download of an unknown type", "GET", "/api/documents/" + doc + "/content?type=All", nil, 400, ""},
		{"signatures before there are any", "GET", "/api/documents/" + doc + "/content?type=Signatures", nil, 422, "DocumentHasNoSignature"},
		{"signatures of what was canceled", "GET", "/api/documents/" + ended + "/content?type=Signatures", nil, 422, "DocumentHasNoSignature"},
		{"a list with an unknown status", "GET", "/api/documents?Status=Paused", nil, 400, ""},
		{"a list with a limit that is no number", "GET", "/api/documents?Limit=many", nil, 400, ""},
		{"a list of a folder that is no GUID", "GET", "/api/documents?FolderId=7", nil, 400, ""},
	}
	for _, tt := range tests {
		got := ask(t, s, tt.method, tt.path, tt.body)
		if got.status != tt.status || got.code() != tt.code {
			t.Errorf("%s: %d %q, want %d %s", tt.name, got.status, got.body, tt.status, tt.code)
		}
		if got.status == 422 && got.object(t)["details"] != nil {
			t.Errorf("%s: details are not null", tt.name)
		}
	}
	if st := s.State(doc); st.Status != lacunatest.Pending {
		t.Errorf("the document is %s after all this", st.Status)
	}
}

func TestADocumentIsCreatedOfAnUpload(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	upload := uploaded(t, s, "text")
	folder := s.AddFolder("Contratos", "")
	body := dispatch(strings.ToUpper(upload), "a.txt", "text/plain")
	body["folderId"], body["somethingNew"], body["disableNotifications"] = strings.ToUpper(folder), object{"a": 1}, false
	got := ask(t, s, "POST", "/api/documents", body)
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	ids := s.Documents()
	if len(ids) != 1 || !strings.Contains(string(got.body), ids[0]) || !strings.Contains(string(got.body), strings.ToUpper(upload)) {
		t.Fatalf("answer %s, documents %v", got.body, ids)
	}
	st := s.State(ids[0])
	if st.Tags["bulksigner-job"] != "0195" || st.FolderID != folder || st.MIME != "text/plain" || st.Actions[0].Status != lacunatest.Pending {
		t.Errorf("%+v", st)
	}
	created := s.Calls()[len(s.Calls())-1]
	if created.Op != lacunatest.Create || created.Document != ids[0] || !created.Effect || created.Status != 200 || !created.Key || len(created.Body) == 0 {
		t.Errorf("recorded %+v", created)
	}
	if s.Count(lacunatest.Create) != 1 || s.Counts()[lacunatest.Upload] != 1 {
		t.Errorf("counts %v", s.Counts())
	}
}

func TestADocumentMayComeWithItsFolderAndRules(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	body := dispatch(uploaded(t, s, "text"), "a.txt", "text/plain")
	body["newFolderName"] = "Novos"
	body["flowActions"] = []object{{"type": "SignRule", "ruleName": "um", "step": 2, "ruleUsers": []object{{"name": jose.Name, "identifier": jose.Identifier, "email": jose.Email}}}}
	if got := ask(t, s, "POST", "/api/documents", body); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	doc := s.Documents()[0]
	s.Conclude(doc)
	o := ask(t, s, "GET", "/api/documents/"+doc, nil).object(t)
	rule := o["flowActions"].([]any)[0].(object)
	member := rule["ruleUsers"].([]any)[0].(object)
	if o["folder"].(object)["name"] != "Novos" || rule["user"] != nil || member["identifier"] != jose.Identifier || member["completeActionDate"] == nil {
		t.Errorf("folder %v, rule %v", o["folder"], rule)
	}
}

func TestARequestThatIsNoJSONIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for kind, want := range map[string]int{"text/plain": 400, "": 400, "text/json": 422, "application/json-patch+json; charset=utf-8": 422, "application/vnd.lacuna+json": 422} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/documents/"+unknownID+"/cancellation", strings.NewReader(`{"reason":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		r.Header.Set("X-Api-Key", s.Key())
		if got, err := exchange(r); err != nil || got.status != want {
			t.Errorf("%q: %d, %v, want %d", kind, got.status, err, want)
		}
	}
}

func TestTheApplicationEndsDocuments(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	tests := []struct{ call, status string }{{"cancellation", lacunatest.Canceled}, {"refusal", lacunatest.Refused}}
	for _, tt := range tests {
		doc := s.AddDocument(waitingFor(maria, ""))
		if got := ask(t, s, "POST", "/api/documents/"+doc+"/"+tt.call, object{"reason": "Tarde"}); got.status != 200 || len(got.body) != 0 {
			t.Errorf("%s: %d %q, want 200 and nothing", tt.call, got.status, got.body)
		}
		o := ask(t, s, "GET", "/api/documents/"+doc, nil).object(t)
		by, _ := o["statusUpdatedBy"].(object)
		if o["status"] != tt.status || o["statusUpdateReason"] != "Tarde" || by["type"] != "Application" || by["name"] != "Bulk Signer Test" {
			t.Errorf("%s: %v %v %v", tt.call, o["status"], o["statusUpdateReason"], by)
		}
	}
	doc := s.AddDocument(waitingFor(maria, ""))
	if got := ask(t, s, "DELETE", "/api/documents/"+doc, nil); got.status != 200 || len(got.body) != 0 {
		t.Errorf("deletion: %d %q", got.status, got.body)
	}
	if got := ask(t, s, "GET", "/api/documents/"+doc, nil); got.code() != "DocumentNotFound" {
		t.Errorf("a deleted document: %d %s", got.status, got.body)
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	root := s.AddFolder("Contratos", "")
	child := s.AddFolder("contratos de 2026", root)
	s.AddFolder("Arquivo", "")
	names := func(query string) (all []string) {
		for _, i := range ask(t, s, "GET", "/api/folders?"+query, nil).object(t)["items"].([]any) {
			all = append(all, i.(object)["name"].(string))
		}
		return all
	}
	tests := []struct {
		query string
		want  []string
	}{
		{"Order=Asc", []string{"Contratos", "contratos de 2026", "Arquivo"}},
		{"q=CONTRATOS&order=asc&organizationId=", []string{"Contratos", "contratos de 2026"}},
		{"Q=contratos&Limit=1&Offset=1&Order=Asc", []string{"contratos de 2026"}},
		{"filterByParent=true&Order=Asc", []string{"Contratos", "Arquivo"}},
		{"filterByParent=true&parentId=" + root, []string{"contratos de 2026"}},
		{"Q=nada", nil},
	}
	for _, tt := range tests {
		if got := names(tt.query); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.query, got, tt.want)
		}
	}
	doc := s.AddDocument(waitingFor(maria, child))
	if got := ask(t, s, "GET", "/api/folders/"+strings.ToUpper(child), nil).object(t); got["parentId"] != root {
		t.Errorf("folder = %v", got)
	}
	s.RemoveFolder(root)
	if got := ask(t, s, "GET", "/api/folders/"+child, nil); got.code() != "FolderNotFound" {
		t.Errorf("a removed folder: %d %s", got.status, got.body)
	}
	if _, ok := s.Get(doc); ok {
		t.Error("a document outlived its folder")
	}
	if got := ask(t, s, "GET", "/api/documents?FolderId="+child, nil).object(t); len(got["items"].([]any)) != 0 || got["totalCount"] != 0.0 {
		t.Errorf("a removed folder lists %v", got)
	}
}

func TestActsThatCannotBeDoneAreErrors(t *testing.T) {
	t.Parallel()
	s := newServer(t).Signer
	doc, err := s.AddDocument(waitingFor(maria, ""))
	if err != nil {
		t.Fatal(err)
	}
	broken, err := s.AddDocument(lacunatest.Document{Content: []byte("no PDF"), Actions: []lacunatest.Action{{Participant: maria}}})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]error{
		"sign nothing":            s.Sign(unknownID),
		"sign what is no PDF":     s.Sign(broken),
		"sign as another":         s.SignAs(doc, jose.Identifier),
		"approve without one":     s.Approve(doc),
		"move to nowhere":         s.Move(doc, unknownID),
		"no such action":          s.SetAction(doc, unknownID, "Pending"),
		"remove a folder twice":   s.RemoveFolder(unknownID),
		"conclude what is broken": s.Conclude(broken),
	}
	_, tests["add to nowhere"] = s.AddDocument(waitingFor(maria, unknownID))
	_, tests["a folder below nowhere"] = s.AddFolder("a", unknownID)
	if err := s.Expire(doc); err != nil {
		t.Error(err)
	}
	tests["expire twice"], tests["cancel what expired"] = s.Expire(doc), s.Cancel(doc, "late")
	for name, err := range tests {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
