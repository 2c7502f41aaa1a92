package api

import (
	"regexp"
	"time"

	"bulksigner/internal/verify"
)

// maxParts is how many signed parts a verdict lists. A small file can have references to parts by the ten thousand, and
// their list would not fit into an answer.
const maxParts = 1000

// verdict is what was found in a file: a verify.Report, and whether it is good.
type verdict struct {
	Valid      bool             `json:"valid" doc:"Whether there is a signature, and all that is demanded of each was found."`
	Format     string           `json:"format" enum:"PAdES,CAdES,XAdES" doc:"The kind of signature that such a file has, by what it begins with."`
	Signatures []foundSignature `json:"signatures" nullable:"false" doc:"Of a PDF oldest first, of other files as they stand there."`
	_          struct{}         `json:"-" additionalProperties:"true"`
}

// foundSignature is a signature with everything that was found about it.
type foundSignature struct {
	Field           string       `json:"field,omitempty" doc:"The full name of its form field in a PDF."`
	SubFilter       string       `json:"subFilter,omitempty" doc:"How the PDF says that it is encoded."`
	SignerName      string       `json:"signerName,omitempty" doc:"As the signer's certificate has it, without the number behind it."`
	Policy          string       `json:"policy,omitempty" doc:"The policy that it names: by name if it is known, by identifier if not."`
	Time            *time.Time   `json:"time,omitempty" doc:"When it was made, as the signer claims; nothing proves it."`
	CoversWholeFile bool         `json:"coversWholeFile" doc:"Whether it signs all of the file, or of the content beside it."`
	Signed          []signedPart `json:"signed,omitempty" nullable:"false" doc:"What was found to be as it was signed, in XML and in CMS that contains its content."`
	SignedLeftOut   int          `json:"signedLeftOut,omitempty" doc:"How many more parts are signed: an answer lists 1000 at the most."`
	Checks          []check      `json:"checks" nullable:"false" doc:"Every question that was asked, with its answer."`
	_               struct{}     `json:"-" additionalProperties:"true"`
}

// signedPart is a part of a file that a signature signs.
type signedPart struct {
	Element string   `json:"element,omitempty" doc:"The local name of an XML element."`
	From    int64    `json:"from" doc:"Where it begins in the file, in bytes."`
	To      int64    `json:"to" doc:"Where it ends."`
	_       struct{} `json:"-" additionalProperties:"true"`
}

// check is a question and its answer.
type check struct {
	Name     string         `json:"name" doc:"The question. Names are added, never renamed."`
	Outcome  verify.Outcome `json:"outcome" enum:"passed,failed,not-checked"`
	Demanded bool           `json:"demanded" doc:"Whether the file is valid only if this passed."`
	Detail   string         `json:"detail,omitempty" doc:"The answer in words, for people."`
	_        struct{}       `json:"-" additionalProperties:"true"`
}

func verdictOf(r verify.Report) verdict {
	v := verdict{Valid: r.Err() == nil, Format: r.Format, Signatures: make([]foundSignature, 0, len(r.Signatures))}
	room := maxParts
	for _, s := range r.Signatures {
		f := foundOf(s, room)
		room -= len(f.Signed)
		v.Signatures = append(v.Signatures, f)
	}
	return v
}

// foundOf tells all about a signature, and of its signed parts as many as there is room for.
func foundOf(s verify.Signature, room int) foundSignature {
	f := foundSignature{
		Field: withoutNumbers(s.Field), SubFilter: s.SubFilter, SignerName: withoutNumbers(s.SignerName), Policy: s.Policy,
		Time: writable(s.Time), CoversWholeFile: s.CoversWholeFile, SignedLeftOut: max(0, len(s.Signed)-room),
		Checks: make([]check, 0, len(s.Checks)),
	}
	for _, p := range s.Signed[:min(len(s.Signed), room)] {
		f.Signed = append(f.Signed, signedPart{Element: withoutNumbers(p.Element), From: p.From, To: p.To})
	}
	for _, c := range s.Checks {
		f.Checks = append(f.Checks, check{Name: c.Name, Outcome: c.Outcome, Demanded: c.Demanded, Detail: c.Detail})
	}
	return f
}

// longNumber is a CPF, a CNPJ or anything else that is long enough to be a person's number, as people write them.
var longNumber = regexp.MustCompile(`[0-9](?:[ ./-]?[0-9]){10,}`)

// withoutNumbers leaves long numbers out of a name that somebody chose. The report has none where it knows what to look
// for; a form field can be called anything.
func withoutNumbers(name string) string { return longNumber.ReplaceAllString(name, "…") }

// writable is a time in UTC, if JSON can have it: the last hours of the year 9999 west of Greenwich are beyond RFC 3339.
func writable(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	if y := u.Year(); y < 0 || y > 9999 {
		return nil
	}
	return &u
}
