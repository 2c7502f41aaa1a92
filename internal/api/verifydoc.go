package api

import (
	"fmt"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/verify"
)

// verifyAbout explains the route; a line for each check follows.
const verifyAbout = "A signed PDF, CMS message or XML document is sent as `multipart/form-data` in a part called `file`. Of a detached " +
	"CMS signature (.p7s), `file` is the signature, and a second part called `content` is what it is over. Both parts need a file " +
	"name; the whole body may have 4.4 MB.\n\nThe answer is 200 whenever the signatures could be judged, however badly: `valid` says " +
	"whether all that is demanded was found, and the checks say what was not. A service without trust anchors cannot check " +
	"`chain`, and does not demand it: `valid` then says nothing of who signed. A file of a known kind without a signature is not " +
	"valid, and its list is empty. A file that cannot be read as far as its signatures is answered 422, with the reason's code." +
	"\n\nNothing of the file is kept, and no number of a person is in the answer.\n\nWhich checks there are depends on the kind of " +
	"file:\n"

// checkMeanings say what the checks ask, in the order in which a report has them.
var checkMeanings = []struct{ name, meaning string }{
	{verify.ByteRange, "the range that a PDF's signature names is the file without just the signature itself"},
	{verify.Coverage, "nothing follows or stands beside what is signed that could be taken for signed"},
	{verify.Message, "the CMS message can be read, and contains its signer's certificate"},
	{verify.XMLSignature, "the signature element can be read, and contains its signer's certificate"},
	{verify.References, "what an XML signature signs can be found, each part without doubt"},
	{verify.DEROrder, "the signed attributes are in the order that DER wants"},
	{verify.ContentType, "the signed content type is that of the content"},
	{verify.MessageDigest, "the content is what was signed"},
	{verify.SignatureValue, "the certificate's key made the signature, with algorithms that are strong enough"},
	{verify.SignedProperties, "the properties of a XAdES signature are signed, and belong to it"},
	{verify.SigningCertificate, "the signature itself names the certificate"},
	{verify.Policy, "the signature names an AD-RB policy that was in force, with the right hash, and keeps to it"},
	{verify.ForbiddenAttributes, "what the policy forbids is not there"},
	{verify.KeyUsage, "the certificate is for signatures"},
	{verify.Validity, "the certificate is valid"},
	{verify.Chain, "the certificate leads to a trust anchor"},
	{verify.Revocation, "the certificate was not revoked"},
	{verify.Signer, "the signature was made with the certificate that is expected"},
	{verify.Timestamp, "a document time-stamp of a PDF, which is reported and not judged"},
}

func verifyDoc() string {
	var b strings.Builder
	b.WriteString(verifyAbout)
	for _, c := range checkMeanings {
		fmt.Fprintf(&b, "\n- `%s`: %s", c.name, c.meaning)
	}
	return b.String()
}

// verifyBody describes the form.
func verifyBody() *huma.RequestBody {
	file := func(doc string) *huma.Schema { return &huma.Schema{Type: "string", Format: "binary", Description: doc} }
	form := &huma.Schema{Type: "object", Required: []string{filePart}, Properties: map[string]*huma.Schema{
		filePart:    file("The signed file or, if its content is beside it, the signature. With its name."),
		contentPart: file("What a detached signature is over, with its name."),
	}}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: form}}}
}

// verifyResponses shows three verdicts; huma adds the schema.
func verifyResponses() map[string]*huma.Response {
	examples := map[string]*huma.Example{
		"good":     {Summary: "a CMS message with its content, as it was signed", Value: exampleVerdict(verify.Passed)},
		"altered":  {Summary: "the same, but for a bit of the content", Value: exampleVerdict(verify.Failed)},
		"unsigned": {Summary: "a PDF without a signature", Value: verdict{Format: "PAdES", Signatures: []foundSignature{}}},
	}
	return map[string]*huma.Response{"200": {
		Description: "What was found. Whether the signatures are good is said by `valid`, not by the status.",
		Content:     map[string]*huma.MediaType{"application/json": {Examples: examples}},
	}}
}

// exampleVerdict is about a file whose content is as it was signed, or not.
func exampleVerdict(content verify.Outcome) verdict {
	s := foundSignature{
		SignerName: "MARIA DE TESTE", Policy: "AD-RB CAdES 2.4", CoversWholeFile: true,
		Time: new(time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC)),
	}
	for _, name := range []string{
		verify.Coverage, verify.Message, verify.DEROrder, verify.ContentType, verify.MessageDigest, verify.SignatureValue,
		verify.SigningCertificate, verify.Policy, verify.ForbiddenAttributes, verify.KeyUsage, verify.Validity, verify.Chain,
		verify.Revocation,
	} {
		c := check{Name: name, Outcome: verify.Passed, Demanded: true}
		switch {
		case name == verify.MessageDigest && content == verify.Failed:
			c.Outcome, c.Detail = content, "the content is not what was signed"
		case name == verify.ForbiddenAttributes:
			c = check{Name: name, Outcome: verify.NotChecked, Detail: "no policy applies that forbids any"}
		case name == verify.Revocation:
			c = check{Name: name, Outcome: verify.NotChecked, Detail: "nobody was asked"}
		}
		s.Checks = append(s.Checks, c)
	}
	if content == verify.Passed {
		s.Signed = []signedPart{{From: 60, To: 5217}}
	}
	return verdict{Valid: content == verify.Passed, Format: "CAdES", Signatures: []foundSignature{s}}
}
