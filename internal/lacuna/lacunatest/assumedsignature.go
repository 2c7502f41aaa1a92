package lacunatest

import (
	"crypto"
	"strings"
	"time"

	"bulksigner/internal/icpbrasil"
)

// More that is said by no public source: about files and signatures.

// ticketLife: tickets of action URLs live as long as those in mails do.
const ticketLife = 24 * time.Hour

// Types of findings.
const (
	findingInvalid    = "InvalidSignature"     // the value is not the certificate's over the hash
	findingUnsuitable = "SignatureNotPossible" // file or certificate cannot be signed, or signed with
)

// formatOf: PDF is signed as PAdES, XML as XAdES, anything else as CAdES, which forceCadesSignature asks for always.
func formatOf(mime string, forceCades bool) format {
	kind := mediaType(mime)
	switch {
	case forceCades:
		return format(icpbrasil.CAdES)
	case kind == "application/pdf":
		return format(icpbrasil.PAdES)
	case strings.HasSuffix(kind, "/xml") || strings.HasSuffix(kind, "+xml"):
		return format(icpbrasil.XAdES)
	}
	return format(icpbrasil.CAdES)
}

// signedFile is how the signed file is named and what it is: a .p7s whether its content is inside or not.
func signedFile(d *document) (mime, name string) {
	if d.file.format == format(icpbrasil.CAdES) {
		return "application/pkcs7-signature", d.fileName + ".p7s"
	}
	return d.mime, d.fileName
}

// downloads are the files that can be asked for; none at all means the original.
var downloads = map[string]bool{
	"": true, "Original": true, "PrinterFriendlyVersion": true, "Signatures": true, "OriginalWithMarks": true,
	"SigningTags": true, "SignatureMarks": true, "SignaturesManifest": true,
}

// allowed: the signatures of a document are there when it is concluded; of a document that ended otherwise there is the
// original, which stands for its printer-friendly version as well. The others are not made here.
func allowed(status, kind string) answer {
	switch kind {
	case "", "Original", "PrinterFriendlyVersion":
		return done()
	case "Signatures":
		if status == Concluded {
			return done()
		}
		return refuse(codeNoSignature)
	}
	return refuse(codeBlocked)
}

// whyNoURL: one who asks for an action by its id, and is its participant, learns that it is not pending.
func (d *document) whyNoURL(in urlRequest) string {
	if a := d.action(in.FlowActionID); a != nil && in.fits(a) {
		return "FlowActionNotPending"
	}
	return "NoPendingActionFoundForEmailAndIdentifier"
}

// lastSegment: an approver's page is another one than a signer's.
func lastSegment(kind string) string {
	if kind == TypeApprover {
		return "approve"
	}
	return "sign"
}

// notPending: an action that waits for its turn is told apart from one whose turn is over.
func notPending(d *document, a *action) string {
	switch {
	case d.status != Pending || a.status == Completed || a.status == Refused:
		return "SignatureNotPending"
	case a.status != Pending:
		return "FlowActionNotPending"
	}
	return ""
}

// looseHash: under a digest that the policies lack, the hash is of the file and means nothing.
func looseHash(h crypto.Hash, file []byte) []byte { return digested(h, file).Sum(nil) }
