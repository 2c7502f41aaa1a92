package lacunatest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/profile"
)

// models are the fields of the vendor's published client for Node (OpenAPI 2.6.0), each with its JSON type and "?" if it
// may be null. A capital names another model of the table, "[]" a list. The generated client cannot say of a reference to
// an object or an enum whether it may be null: it may here, except where it is always there. totalCount is null for those
// who hide it, as the client for Java allows. Start and completion are not in the OpenAPI text; they are as the clients
// for Java and Node have them.
var models = map[string]string{
	"Error":          "code string? message string? details map?",
	"File":           "id string name string? contentType string location string?",
	"UploadBytes":    "id string? size number digest string?",
	"Created":        "uploadId string? documentId string attachments []any?",
	"Documents":      "items []ListedDocument? totalCount number? nextCursor string?",
	"Folders":        "items []FolderInfo? totalCount number? nextCursor string?",
	"ListedDocument": "id string name string? creationDate string updateDate string folder FolderInfo? type string? tags []Tag?",
	"FolderInfo":     "id string name string? parentId string?",
	"Folder":         "id string name string? parentId string? organization Organization",
	"Organization":   "id string name string? identifier string? owner Creator?",
	"Creator":        "id string name string?",
	"Agent":          "id string type string name string?",
	"Tag":            "id string label string? value string",
	"Permissions":    "move bool editFlow bool",
	"Document": "id string name string? filename string? fileSize number mimeType string? checksumMd5 string? key string? status string " +
		"isConcluded bool isDeleted bool hasSignature bool forceCadesSignature bool isScanned bool isEnvelope bool " +
		"hideDownloadOptionForPendingDocuments bool folder FolderInfo? organization Organization? creationDate string updateDate string " +
		"expirationDate string? expirationDateWithoutTime string? createdBy Creator description string? statusUpdatedBy Agent? " +
		"statusUpdateReason string? flowActions []FlowAction? observers []any? attachments []any? permissions Permissions " +
		"notifiedEmails []string? tags []Tag? signatureType string? securityContext any?",
	"FlowAction": "id string type string status string step number user Participant? creationDate string pendingDate string? updateDate string " +
		"title string? ruleName string? numberRequiredSignatures number numberRequiredActions number signRuleUsers []RuleUser? ruleUsers []RuleUser? " +
		"marks []any? allowElectronicSignature bool requireEmailAuthenticationToSignElectronically bool? " +
		"requireSmsAuthenticationToSignElectronically bool? requireWhatsappAuthenticationToSignElectronically bool? " +
		"requireAuthenticatorAppToSignElectronically bool? requireSelfieAuthenticationToSignElectronically bool? " +
		"requireDatavalidAuthenticationToSignElectronically bool? requirePixAuthenticationToSignElectronically bool? " +
		"requireLivenessAuthenticationToSignElectronically bool? requireIdScanAuthenticationToSignElectronically bool? " +
		"requiredCertificateTypeToSign string? requiredCertificateHolderTypeToSign string? requiredCompanyIdentifier string? " +
		"requireCompanyCertificate bool? refusalReason string? isElectronic bool? signatureInitialsMode string? " +
		"allowRuleFlowToContinueIfRefused bool notificationLanguage string?",
	"Participant": "id string? name string? identifier string? email string? phone string?",
	"RuleUser": "id string? name string? identifier string? email string? phone string? signatureDate string? completeActionDate string? " +
		"isElectronic bool? refusalDate string? hasRefused bool refusalReason string?",
	"ActionURL":  "url string? embedUrl string?",
	"Started":    "success bool token string? toSignHash string? digestAlgorithm string? validationResults Validation?",
	"Completed":  "success bool validationResults Validation?",
	"Validation": "passedChecks []Check? errors []Check? warnings []Check? indeterminateItens []Check? isValid bool",
	"Check":      "type string? message string? detail string? innerValidationResults Validation?",

	"Webhook":       "type string data any?",
	"EventFolder":   "id string name string? parentId string? organizationName string?",
	"Information":   "id string name string? creationDate string updateDate string folder EventFolder? organization Organization? createdBy Creator",
	"EventsOf":      "documents []Information?",
	"Deleted":       "documents []Information? action string",
	"Signature":     "flowActionId string date string userId string name string? identifier string? emailAddress string?",
	"Refusal":       "flowActionId string? reason string? date string userId string name string? identifier string? emailAddress string?",
	"SignedEvent":   "@Information signature Signature",
	"ApprovedEvent": "@Information approval Signature",
	"RefusedEvent":  "@Information refusal Refusal",
	"CanceledEvent": "@Information canceledBy Agent reason string?",
	"ExpiredEvent":  "@Information expirationDate string expirationDateWithoutTime string?",
}

// fields are a model's fields and their types. "@" takes those of another model.
func fields(model string) map[string]string {
	words := strings.Fields(models[model])
	out := map[string]string{}
	for len(words) > 0 {
		if base, ok := strings.CutPrefix(words[0], "@"); ok {
			maps.Copy(out, fields(base))
			words = words[1:]
			continue
		}
		out[words[0]] = words[1]
		words = words[2:]
	}
	return out
}

// conform compares a value with a type of the table and lists what differs.
func conform(at, want string, v any) []string {
	plain, nullable := strings.CutSuffix(want, "?")
	if v == nil {
		if nullable {
			return nil
		}
		return []string{at + " is null"}
	}
	if elem, ok := strings.CutPrefix(plain, "[]"); ok {
		list, ok := v.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %T, want a list", at, v)}
		}
		var all []string
		for i, e := range list {
			all = append(all, conform(fmt.Sprintf("%s.%d", at, i), elem, e)...)
		}
		return all
	}
	if models[plain] != "" {
		return conformObject(at, plain, v)
	}
	got := map[string]bool{
		"string": is[string](v), "number": is[float64](v), "bool": is[bool](v), "map": is[map[string]any](v), "any": true,
	}
	if !got[plain] {
		return []string{fmt.Sprintf("%s is %T, want %s", at, v, plain)}
	}
	return nil
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func conformObject(at, model string, v any) []string {
	o, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s is %T, want %s", at, v, model)}
	}
	want := fields(model)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value, there := o[name]
		if !there {
			all = append(all, at+"."+name+" is not there")
			continue
		}
		all = append(all, conform(at+"."+name, want[name], value)...)
	}
	for name := range o {
		if want[name] == "" {
			all = append(all, at+"."+name+" is in no published model")
		}
	}
	return all
}

func TestFieldsAreThoseOfThePublicModels(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	folder := s.AddFolder("Contratos", s.AddFolder("Raiz", ""))
	full := s.AddDocument(lacunatest.Document{Name: "Contrato", FolderID: folder, Expires: now.AddDate(0, 1, 0), Actions: []lacunatest.Action{
		{Participant: maria}, {Type: lacunatest.TypeApprover, Step: 2, Participant: jose},
		{Type: lacunatest.TypeSignRule, Step: 3, Members: []profile.Participant{jose, maria}},
	}})
	refused := s.AddDocument(waitingFor(maria, ""))
	s.Refuse(refused, "not mine")
	id := holder(t, s, "RSA")
	key, started := begin(t, s, full, id)
	upload := uploaded(t, s, "text")
	tests := []struct {
		name, model string
		got         reply
	}{
		{"an error", "Error", ask(t, s, "GET", "/api/folders/"+upload, nil)},
		{"an upload", "File", postForm(t, s, "file", "a.txt", "text/plain", "text", nil)},
		{"an upload of bytes", "UploadBytes", ask(t, s, "POST", "/api/uploads/bytes", object{"bytes": []byte("x")})},
		{"a creation", "[]Created", ask(t, s, "POST", "/api/documents", dispatch(upload, "a.txt", "text/plain"))},
		{"a list", "Documents", ask(t, s, "GET", "/api/documents?Limit=100", nil)},
		{"a document", "Document", ask(t, s, "GET", "/api/documents/"+full, nil)},
		{"a document without a folder, refused", "Document", ask(t, s, "GET", "/api/documents/"+refused, nil)},
		{"folders", "Folders", ask(t, s, "GET", "/api/folders", nil)},
		{"a folder", "Folder", ask(t, s, "GET", "/api/folders/"+folder, nil)},
		{"an action URL", "ActionURL", ask(t, s, "POST", "/api/documents/"+full+"/action-url", object{"identifier": maria.Identifier})},
		{"a start", "Started", asReply(t, started)},
		{"a completion", "Completed", end(t, s, key, started["token"], []byte("wrong"))},
	}
	for _, tt := range tests {
		var v any
		if err := json.Unmarshal(tt.got.body, &v); err != nil {
			t.Errorf("%s: %d %q: %v", tt.name, tt.got.status, tt.got.body, err)
			continue
		}
		for _, difference := range conform(tt.name, tt.model, v) {
			t.Error(difference)
		}
	}
}

func asReply(t *testing.T, v any) reply {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return reply{status: 200, body: b}
}

func TestEventsAreThoseOfThePublicModels(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	hook := newReceiver(t)
	s.SetWebhook("a", hook.webhook())
	folder := s.AddFolder("Contratos", "")
	signed := s.AddDocument(lacunatest.Document{FolderID: folder, Actions: []lacunatest.Action{{Participant: maria}, {Type: lacunatest.TypeApprover, Step: 2, Participant: jose}}})
	others := map[string]string{}
	for _, name := range []string{"refused", "refused by the application", "canceled", "expired", "deleted"} {
		others[name] = s.AddDocument(waitingFor(maria, ""))
	}
	deliver(t, s)
	s.Sign(signed)
	s.Approve(signed)
	s.Refuse(others["refused"], "no")
	ask(t, s, "POST", "/api/documents/"+others["refused by the application"]+"/refusal", object{"reason": "no"})
	s.Cancel(others["canceled"], "late")
	s.Expire(others["expired"])
	deliver(t, s)
	s.Delete(others["deleted"])
	deliver(t, s)
	data := map[string]string{
		"DocumentsCreated": "EventsOf", "DocumentSigned": "SignedEvent", "DocumentApproved": "ApprovedEvent", "DocumentRefused": "RefusedEvent",
		"DocumentConcluded": "Information", "DocumentCanceled": "CanceledEvent", "DocumentExpired": "ExpiredEvent", "DocumentDeleted": "Deleted",
	}
	seen := map[string]int{}
	for _, e := range hook.events(t) {
		seen[e.Type]++
		for _, difference := range append(conform(e.Type, "Webhook", e.whole), conform(e.Type, data[e.Type], e.Data)...) {
			t.Error(difference)
		}
	}
	for kind := range data {
		if seen[kind] == 0 {
			t.Errorf("there was no %s", kind)
		}
	}
	if seen["DocumentRefused"] != 2 {
		t.Errorf("%d refusals, want 2", seen["DocumentRefused"])
	}
}
