package verify

import (
	"fmt"
	"strings"
	"time"

	"bulksigner/internal/fault"
)

// Report is what was found in one file.
type Report struct {
	Format     string      `json:"format"`     // PAdES, CAdES, XAdES
	Signatures []Signature `json:"signatures"` // of a PDF oldest first, of other files as they stand there
}

// Signature is one signature with all that was found about it.
type Signature struct {
	Field           string     `json:"field,omitempty"`     // the full name of its form field
	SubFilter       string     `json:"subFilter,omitempty"` // how the PDF says that it is encoded
	SignerName      string     `json:"signerName,omitempty"`
	Policy          string     `json:"policy,omitempty"` // by name if it is known, by identifier if not
	Time            *time.Time `json:"time,omitempty"`   // as the signer claims; nothing proves it
	CoversWholeFile bool       `json:"coversWholeFile"`
	Signed          []Part     `json:"signed,omitempty"` // what was found to be as it was signed; not filled in for a PDF
	Checks          []Check    `json:"checks"`
}

// Part is a part of a file that a signature signs.
type Part struct {
	// Element is the local name of an XML element, or empty where there are none. Its Id is left out on purpose: in
	// Brazilian documents it often contains the number of a person or a company.
	Element string `json:"element,omitempty"`

	// From and To are where it begins and ends in the file, in bytes.
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Check is one question and its answer.
type Check struct {
	Name     string  `json:"name"`
	Outcome  Outcome `json:"outcome"`
	Demanded bool    `json:"demanded"` // whether the report is good only if this passed
	Detail   string  `json:"detail,omitempty"`
}

// Outcome is the answer of a check. The zero value is no answer, and never good.
type Outcome string

// The answers.
const (
	Passed     Outcome = "passed"
	Failed     Outcome = "failed"
	NotChecked Outcome = "not-checked"
)

// maxNamed is how many checks an error names: it goes into a job's history.
const maxNamed = 5

// Err returns nil if there is a signature whose maths are right, and everything that was demanded of every signature was
// found. Otherwise it returns fault.JobVerifyFailed with a detail that names what was not.
func (r Report) Err() error {
	if len(r.Signatures) == 0 {
		return fault.New(fault.JobVerifyFailed, "the file has no signature")
	}
	return r.demand(func(c Check) bool { return c.Demanded })
}

// intact are the checks of a signature's maths: the bytes are those that were signed, and the key signed them.
var intact = map[string]bool{
	ByteRange: true, Coverage: true, Message: true, XMLSignature: true, References: true, ContentType: true, MessageDigest: true, SignatureValue: true,
}

// Sound is Err for documents that others have signed by rules of their own: it demands of every signature that its maths
// are right, that the last one covers the document and, where there are anchors, that its chain leads to one.
func (r Report) Sound(anchors bool) error {
	if len(r.Signatures) == 0 {
		return fault.New(fault.JobVerifyFailed, "the file has no signature")
	}
	return r.demand(func(c Check) bool { return intact[c.Name] || anchors && c.Name == Chain })
}

// demand names what of the demanded was not found.
func (r Report) demand(demanded func(Check) bool) error {
	var bad []string
	signed := false
	for i, s := range r.Signatures {
		signed = signed || s.Check(SignatureValue).Outcome == Passed
		for _, c := range s.Checks {
			if demanded(c) && c.Outcome != Passed {
				bad = append(bad, fmt.Sprintf("%s of signature %d %s (%s)", c.Name, i+1, c.Outcome, c.Detail))
			}
		}
	}
	if !signed {
		bad = append(bad, "no signature was found good")
	}
	if len(bad) == 0 {
		return nil
	}
	if more := len(bad) - maxNamed; more > 0 {
		bad = append(bad[:maxNamed], fmt.Sprintf("and %d more", more))
	}
	return fault.New(fault.JobVerifyFailed, "%s", strings.Join(bad, ", "))
}

// Check returns the check of the given name, or one without an outcome if it was not made.
func (s Signature) Check(name string) Check {
	for _, c := range s.Checks {
		if c.Name == name {
			return c
		}
	}
	return Check{Name: name}
}

// finding is the answer to a check, before it is written under its name.
type finding struct {
	outcome  Outcome
	demanded bool
	detail   string
}

func pass(detail string) finding { return finding{Passed, true, detail} }

func fail(format string, args ...any) finding {
	return finding{Failed, true, fmt.Sprintf(format, args...)}
}

// unknown is for what had to be checked and could not be.
func unknown(detail string) finding { return finding{NotChecked, true, detail} }

// skipped is for what nobody demanded.
func skipped(detail string) finding { return finding{NotChecked, false, detail} }

// add writes a finding into the signature's list.
func (s *Signature) add(name string, f finding) {
	s.Checks = append(s.Checks, Check{Name: name, Outcome: f.outcome, Demanded: f.demanded, Detail: f.detail})
}

// broken are the checks that show that a signature was broken after it was made.
var broken = map[string]bool{ByteRange: true, Coverage: true, MessageDigest: true}

// altered are the checks that show the same in files in which signatures stand beside each other. Coverage is not among
// them: what another signer chose to sign is his business.
var altered = map[string]bool{MessageDigest: true}

// leaveToOthers takes back the demands on a signature that is not the one that was asked for. Its algorithms, its
// certificate and its policy were its maker's choice; but it must not have been broken, as the given checks show it.
func (s *Signature) leaveToOthers(broken map[string]bool) {
	for i, c := range s.Checks {
		s.Checks[i].Demanded = broken[c.Name] && c.Outcome == Failed
	}
}
