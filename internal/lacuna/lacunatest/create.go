package lacunatest

import (
	"strings"
	"time"

	"bulksigner/internal/profile"
)

// createRequest is POST /api/documents, as far as it means something here. What else the vendor's clients may send is
// accepted.
type createRequest struct {
	Files          []fileRequest   `json:"files"`
	FlowActions    []actionRequest `json:"flowActions"`
	FolderID       string          `json:"folderId"`
	NewFolderName  string          `json:"newFolderName"`
	Description    string          `json:"description"`
	ExpirationDate *time.Time      `json:"expirationDate"`
	NotifiedEmails []string        `json:"notifiedEmails"`
	ForceCades     bool            `json:"forceCadesSignature"`
	IsEnvelope     bool            `json:"isEnvelope"`
	Tags           []struct {
		Label string `json:"label"`
		Value string `json:"value"`
	} `json:"tags"`
}

type fileRequest struct {
	DisplayName string `json:"displayName"`
	ID          string `json:"id"`
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
}

type actionRequest struct {
	Type      string          `json:"type"`
	Step      *int            `json:"step"`
	User      *personRequest  `json:"user"`
	Title     string          `json:"title"`
	RuleUsers []personRequest `json:"ruleUsers"`
	SignRule  []personRequest `json:"signRuleUsers"`
}

type personRequest struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
	Email      string `json:"email"`
}

// missing names a required field that is not there.
func (r createRequest) missing() string {
	if len(r.Files) == 0 {
		return "The Files field is required."
	}
	if len(r.FlowActions) == 0 {
		return "The FlowActions field is required."
	}
	for _, f := range r.Files {
		for name, v := range map[string]string{"Id": f.ID, "DisplayName": f.DisplayName, "Name": f.Name, "ContentType": f.ContentType} {
			if v == "" {
				return "The " + name + " field is required."
			}
		}
	}
	for _, t := range r.Tags {
		if t.Value == "" {
			return "The Value field is required."
		}
	}
	return ""
}

// create is POST /api/documents.
func (s *Signer) create(c *call) answer {
	var in createRequest
	if err := c.decode(&in); err != nil {
		return malformed("The request cannot be read.")
	}
	if what := in.missing(); what != "" {
		return malformed(what)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if code := s.refusesToCreate(in); code != "" {
		return refuse(code)
	}
	f := s.folders[strings.ToLower(in.FolderID)]
	if in.NewFolderName != "" {
		f = s.addFolder(in.NewFolderName, f)
	}
	out := []createdModel{}
	for _, file := range in.Files {
		d := s.createOne(in, file, f, now)
		c.doc = d.id
		out = append(out, createdModel{UploadID: text(file.ID), DocumentID: d.id, Attachments: []any{}})
	}
	return success(out)
}

// refusesToCreate is the code under which a request is refused as a whole, or "".
func (s *Signer) refusesToCreate(in createRequest) string {
	if in.IsEnvelope {
		return codeNoEnvelopes
	}
	if in.FolderID != "" && s.folders[strings.ToLower(in.FolderID)] == nil {
		return "FolderNotFound"
	}
	for _, f := range in.Files {
		if s.uploads[strings.ToLower(f.ID)] == nil {
			return codeNoUpload
		}
	}
	for _, a := range in.FlowActions {
		if !a.sound() {
			return "InvalidFlowAction"
		}
	}
	return ""
}

func (s *Signer) createOne(in createRequest, file fileRequest, f *folder, now time.Time) *document {
	d := &document{
		name: file.DisplayName, fileName: file.Name, mime: file.ContentType, description: in.Description, folder: f,
		creator: s.application(), forceCades: in.ForceCades, notified: in.NotifiedEmails, original: s.uploads[strings.ToLower(file.ID)].file,
	}
	if in.ExpirationDate != nil {
		d.ends = lastInstant(*in.ExpirationDate)
	}
	for _, t := range in.Tags {
		d.tags = append(d.tags, tag{newID(), text(t.Label), t.Value})
	}
	for _, a := range in.FlowActions {
		d.actions = append(d.actions, s.newAction(a.action()))
		d.actions[len(d.actions)-1].title = a.Title
	}
	s.insert(d, now)
	return d
}

func (r actionRequest) action() Action {
	a := Action{Type: r.Type}
	if r.Step != nil {
		a.Step = *r.Step
	}
	if r.User != nil {
		a.Participant = r.User.person()
	}
	for _, m := range append(r.RuleUsers, r.SignRule...) {
		a.Members = append(a.Members, m.person())
	}
	return a
}

func (p personRequest) person() profile.Participant {
	return profile.Participant{Name: p.Name, Email: p.Email, Identifier: p.Identifier}
}
