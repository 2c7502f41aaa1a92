package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// nextJob is from when a saved profile holds.
const nextJob = "next-job"

type createProfileInput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"application/json"`
}

type replaceProfileInput struct {
	Name        string `path:"name" doc:"The profile's name."`
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"application/json"`
}

type createdProfileOutput struct {
	ETag     string `header:"ETag" hidden:"true"`
	Location string `header:"Location" hidden:"true"`
	Body     profileDetail
}

// keyCodes say why the key of a profile cannot be opened.
var keyCodes = []fault.Code{
	fault.CertificateMissing, fault.CertificateInvalid, fault.CertificateExpired, fault.CertificateNotYetValid,
	fault.CertificateMismatch, fault.CertificateUnsuitable, fault.CertificateUntrusted, fault.CertificateRevoked,
	fault.CertificateWithoutCPF, fault.KeyNotFound, fault.KeyUnavailable, fault.KeyUnsupported, fault.SealImageMissing,
	fault.PolicyNotInForce, fault.RevocationUnavailable,
}

const saveDoc = "Every rule that the profile breaks is named in `errors`, with what to do about it, in the language that Accept-Language " +
	"prefers: English or Brazilian Portuguese. A new certificate is opened before anything is saved: if that fails, the answer has " +
	"the reason's code.\n\nWhat is saved holds from the next job that is begun; a job under way goes on as it began. Secrets are named " +
	"by their ARNs in Secrets Manager, and never sent."

const replaceDoc = "The profile is replaced as a whole: what is left out gets its default. Only what no read gives is kept where it is " +
	"left out and the method needs it: `certificate` and `signer`, and `signerFolder` too. What the new method does not use is " +
	"forgotten.\n\n"

// addProfileEdits adds the routes that change profiles.
func (s *server) addProfileEdits(a huma.API) {
	op := protected(edits(takesProfile(huma.Operation{
		OperationID: "createProfile", Method: http.MethodPost, Path: "/api/profiles", Summary: "Make a profile", Description: saveDoc,
		DefaultStatus: http.StatusCreated, Responses: savedResponse("201", "The profile, as it is stored.", "ETag", "Location"),
	})), append(keyCodes, fault.ProfileInvalid, fault.ProfileExists, fault.ProfileFolderTaken, fault.SignerNotConfigured, fault.RequestTooLarge)...)
	huma.Register(a, op, s.createProfile)
	describeProfile(a, op)

	op = protected(edits(takesProfile(conditional(huma.Operation{
		OperationID: "replaceProfile", Method: http.MethodPut, Path: "/api/profiles/{name}", Summary: "Replace a profile",
		Description: replaceDoc + saveDoc, Responses: savedResponse("200", "The profile, as it is stored.", "ETag"),
	}))), append(keyCodes, fault.ProfileInvalid, fault.ProfileNotFound, fault.ProfileChanged, fault.ProfileFolderTaken, fault.SignerNotConfigured,
		fault.RequestTooLarge)...)
	huma.Register(a, op, s.replaceProfile)
	describeProfile(a, op)

	huma.Register(a, protected(edits(conditional(huma.Operation{
		OperationID: "deleteProfile", Method: http.MethodDelete, Path: "/api/profiles/{name}", Summary: "Delete a profile",
		Description:   "It is refused while jobs of the profile have not ended or a watched folder names it, and for the profile `default`.",
		DefaultStatus: http.StatusNoContent,
	})), fault.ProfileNotFound, fault.ProfileChanged, fault.ProfileInUse), s.deleteProfile)
}

// edits completes an operation that changes profiles.
func edits(op huma.Operation) huma.Operation {
	op.Tags = []string{"Profiles"}
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	op.Metadata[spokenKey], op.Metadata[askedKey] = true, true
	return acts(op)
}

func takesProfile(op huma.Operation) huma.Operation {
	op = takesBody(op)
	op.MaxBodyBytes = maxProfile
	return op
}

// savedResponse describes the headers of an answer to a save.
func savedResponse(status, description string, headers ...string) map[string]*huma.Response {
	docs := map[string]string{
		"ETag":     "The profile's version, for If-Match.",
		"Location": "The profile, seen from the path of this request.",
	}
	r := &huma.Response{Description: description, Headers: map[string]*huma.Param{}}
	for _, h := range headers {
		r.Headers[h] = &huma.Header{Description: docs[h], Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return map[string]*huma.Response{status: r}
}

// describeProfile says what the body is, with the words that a value may have. They stand only here: a word that is none
// of them is refused by a rule that says so in two languages.
func describeProfile(a huma.API, op huma.Operation) {
	r := a.OpenAPI().Components.Schemas
	form := r.Schema(reflect.TypeFor[profileForm](), true, "")
	fields := r.SchemaFromRef(form.Ref).Properties
	fields["format"].Enum = append(formats(), nil)
	fields["method"].Enum = []any{string(profile.Local), string(profile.LacunaSigner), string(profile.SignerFolder), nil}
	certificate := r.Schema(reflect.TypeFor[certificateForm](), true, "")
	r.SchemaFromRef(certificate.Ref).Properties["source"].Enum = []any{string(profile.Kms), string(profile.Pfx), string(profile.CloudHsm), nil}
	op.RequestBody.Content["application/json"] = &huma.MediaType{Schema: form}
}

func (s *server) createProfile(ctx context.Context, in *createProfileInput) (*createdProfileOutput, error) {
	f, err := s.parseProfile(actionInput{in.ContentType, in.RawBody})
	if err != nil {
		return nil, err
	}
	saved, err := s.save(ctx, f, value(f.Name), 0)
	if err != nil {
		return nil, err
	}
	return &createdProfileOutput{ETag: etagOf(saved), Location: "profiles/" + saved.Name, Body: s.savedOf(saved)}, nil
}

func (s *server) replaceProfile(ctx context.Context, in *replaceProfileInput) (*profileOutput, error) {
	from, err := s.precondition(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	f, err := s.parseProfile(actionInput{in.ContentType, in.RawBody})
	if err != nil {
		return nil, err
	}
	if f.Name != nil && *f.Name != in.Name {
		return nil, fault.New(fault.RequestInvalid, "the name in the body is not the one in the path, and a name never changes")
	}
	saved, err := s.save(ctx, f, in.Name, from)
	if err != nil {
		return nil, err
	}
	return &profileOutput{ETag: etagOf(saved), Body: s.savedOf(saved)}, nil
}

func (s *server) deleteProfile(ctx context.Context, in *profileInput) (*deletedOutput, error) {
	from, err := s.precondition(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	if err := s.Keeper.DeleteProfile(ctx, in.Name, from); err != nil {
		return nil, fmt.Errorf("delete profile %s: %w", in.Name, err)
	}
	return nil, nil
}

// save has the profile of a form saved.
func (s *server) save(ctx context.Context, f *profileForm, name string, from int64) (profile.Profile, error) {
	if err := s.checkFolder(f, name); err != nil {
		return profile.Profile{}, err
	}
	p := f.profile(name)
	saved, err := s.Keeper.SaveProfile(ctx, p, from)
	if err != nil {
		return profile.Profile{}, fmt.Errorf("save a profile: %w", s.explained(ctx, p, err))
	}
	return saved, nil
}

// explained adds the rule, with its sentences in every language, to a refusal that has none.
func (s *server) explained(ctx context.Context, p profile.Profile, err error) error {
	switch {
	case errors.Is(err, fault.ProfileExists):
		return &ruled{err, profile.NameTaken}
	case errors.Is(err, fault.CertificateWithoutCPF):
		return &ruled{err, profile.WithoutHolder}
	case errors.Is(err, fault.ProfileFolderTaken) && p.SignerFolder != nil:
		if other := s.boundTo(ctx, p.SignerFolder.ID, p.Name); other != "" {
			return &ruled{err, profile.FolderTaken(other)}
		}
	}
	return err
}

// boundTo names the other profile that has a folder at Lacuna Signer, or nobody if that cannot be found now: the refusal
// itself says as much.
func (s *server) boundTo(ctx context.Context, folderID, name string) string {
	all, err := s.Profiles.List(ctx)
	if err != nil {
		return ""
	}
	for _, p := range all {
		if b := p.SignerFolder; p.Name != name && b != nil && b.ID == folderID {
			return p.Name
		}
	}
	return ""
}

// ruled is a refusal by one of the rules of profiles.
type ruled struct {
	error
	refusal profile.Refusal
}

// Unwrap gives the refusal itself.
func (r *ruled) Unwrap() error { return r.error }

// savedOf tells a profile that was just saved.
func (s *server) savedOf(p profile.Profile) profileDetail {
	d := s.profileOf(p)
	d.TakesEffect = nextJob
	return d
}
