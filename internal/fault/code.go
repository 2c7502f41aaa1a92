package fault

// The product's codes, as its manual and its Lacuna Signer page state them.
const (
	JobNotFound          Code = "job.not-found"
	JobRaceLost          Code = "job.race-lost"
	JobInputMissing      Code = "job.input-missing"
	JobInputDiverged     Code = "job.input-diverged"
	JobInputHeld         Code = "job.input-held"
	JobOutputUnavailable Code = "job.output-unavailable"
	JobOutputGone        Code = "job.output-gone"
	JobPathTooLong       Code = "job.path-too-long"
	JobNotQueued         Code = "job.not-queued"
	JobNotFailed         Code = "job.not-failed"
	JobAlreadyProcessing Code = "job.already-processing"

	PipelineRaceLost Code = "pipeline.race-lost"

	FolderNotFound       Code = "folder.not-found"
	FileAlreadyProcessed Code = "file.already-processed"

	SignerUnreachable      Code = "signer.unreachable"
	SignerTimeout          Code = "signer.timeout"
	SignerDocumentRejected Code = "signer.document-rejected"

	SignerFolderNoHolderAction     Code = "signer-folder.no-holder-action"
	SignerFolderSignatureRefused   Code = "signer-folder.signature-refused"
	SignerFolderKeyUnavailable     Code = "signer-folder.key-unavailable"
	SignerFolderURLMalformed       Code = "signer-folder.action-url-malformed"
	SignerFolderProfileChanged     Code = "signer-folder.profile-changed"
	SignerFolderInterrupted        Code = "signer-folder.interrupted"
	SignerFolderSignatureFailed    Code = "signer-folder.signature-failed"
	SignerNotificationUnauthorized Code = "signer-notification.unauthorized"
	SignerNotificationUnavailable  Code = "signer-notification.unavailable"

	ProfileNotFound     Code = "profile.not-found"
	ProfileDisabled     Code = "profile.disabled"
	ProfileDegraded     Code = "profile.degraded"
	ProfileTakesNoFiles Code = "profile.takes-no-files"

	UploadEmpty             Code = "upload.empty"
	UploadInvalidName       Code = "upload.invalid-name"
	UploadFormatUnsupported Code = "upload.format-unsupported"
	UploadTooLarge          Code = "upload.too-large"
	UploadDisabled          Code = "upload.disabled"

	ValidationFilterInvalid Code = "validation.filter-invalid"
	ValidationReasonTooLong Code = "validation.reason-too-long"
	AuthInvalidCredentials  Code = "auth.invalid-credentials"
	AuthMisconfigured       Code = "auth.misconfigured"
	RateLimited             Code = "rate-limited"
	Internal                Code = "internal"
)

// Codes that the product does not have, because its host never met what they name.
const (
	// JobInterrupted ends a job whose run died, or fell silent, too often or too late to begin again.
	JobInterrupted Code = "job.interrupted"
	// JobOutputExists: the output's name is taken, and an output is never overwritten.
	JobOutputExists Code = "job.output-exists"
	// JobOutputRefused: the output bucket refuses the output for good, for its name or for want of permission.
	JobOutputRefused Code = "job.output-refused"
	// JobVerifyFailed: the signature that was made does not verify. Nothing was published.
	JobVerifyFailed Code = "job.verify-failed"
	// JobFormatUnsupported: no signature can be made in the profile's format of this kind of file.
	JobFormatUnsupported Code = "job.format-unsupported"
	// JobInputTooLarge: the document exceeds what its format allows.
	JobInputTooLarge Code = "job.input-too-large"
	// JobKeyRefused: the key said no. Nothing was signed.
	JobKeyRefused Code = "job.key-refused"
	// JobKeySilent: the key was asked and did not answer, so that a signature may have been made and lost.
	JobKeySilent Code = "job.key-silent"
	// JobGivenUp ends a job that could not be begun for a day, since something did not answer as expected.
	JobGivenUp Code = "job.given-up"
	// SignerDispatchInterrupted ends a job whose run died while it had Lacuna Signer create the document, which may exist.
	SignerDispatchInterrupted Code = "signer.dispatch-interrupted"
	// Throttled: a service asked us to slow down. It never ends a job.
	Throttled Code = "throttled"

	// Why a profile cannot sign. Its jobs fail with ProfileDegraded; the history has one of these.
	CertificateMissing     Code = "certificate.missing"
	CertificateInvalid     Code = "certificate.invalid"
	CertificateExpired     Code = "certificate.expired"
	CertificateNotYetValid Code = "certificate.not-yet-valid"
	CertificateMismatch    Code = "certificate.key-mismatch"
	CertificateUnsuitable  Code = "certificate.unsuitable"
	CertificateUntrusted   Code = "certificate.untrusted"
	SealImageMissing       Code = "seal.image-missing"
	KeyNotFound            Code = "key.not-found"
	KeyUnavailable         Code = "key.unavailable"
	KeyUnsupported         Code = "key.unsupported"
	PolicyNotInForce       Code = "policy.not-in-force"
	CertificateRevoked     Code = "certificate.revoked"
	// What a save of a profile is refused for.
	ProfileInvalid Code = "profile.invalid"
	ProfileExists  Code = "profile.exists"
	// ProfileChanged: somebody else saved since the caller read the profile.
	ProfileChanged Code = "profile.changed"
	// ProfileInUse: jobs of the profile have not ended, or a watched folder names it.
	ProfileInUse Code = "profile.in-use"
	// CertificateWithoutCPF: nothing at Lacuna Signer could ever be matched to the certificate's holder.
	CertificateWithoutCPF Code = "certificate.without-cpf"
	// EncryptionUnavailable: the profile encrypts, and the settings do not say how.
	EncryptionUnavailable Code = "encryption.unavailable"
	// SignerNotConfigured: the profile's method needs Signer:Endpoint and Signer:ApiKey, and they are not set.
	SignerNotConfigured Code = "signer.not-configured"
	// ProfileFolderTaken: another profile signs in the folder at Lacuna Signer that a profile is to be bound to.
	ProfileFolderTaken Code = "profile.folder-taken"
	// SignerFolderGone: the folder that the profile is bound to does not exist at Lacuna Signer.
	SignerFolderGone Code = "signer-folder.not-found"
	// RevocationUnavailable: no responder and no list said whether a certificate is revoked. It may be good.
	RevocationUnavailable Code = "revocation.unavailable"

	// Why a file is refused before the key is asked.
	PDFNotAPDF   Code = "pdf.not-a-pdf"
	PDFMalformed Code = "pdf.malformed"
	PDFEncrypted Code = "pdf.encrypted"
	PDFCertified Code = "pdf.certified"
	PDFNoPage    Code = "pdf.no-page"
	PDFField     Code = "pdf.field-unusable"
	// PDFSealMisplaced: the document has no room for the seal where it is to stand.
	PDFSealMisplaced Code = "pdf.seal-misplaced"

	XMLMalformed           Code = "xml.malformed"
	XMLDoctype             Code = "xml.doctype"
	XMLDuplicateID         Code = "xml.duplicate-id"
	XMLTooLarge            Code = "xml.too-large"
	XMLTooDeep             Code = "xml.too-deep"
	XMLElementNotFound     Code = "xml.element-not-found"
	XMLSigned              Code = "xml.signed"
	XMLEncodingUnsupported Code = "xml.encoding-unsupported"

	CMSEmpty     Code = "cms.empty"
	CMSMalformed Code = "cms.malformed"
	// CMSDetached: the signature stands without its content, which another signer would need.
	CMSDetached Code = "cms.detached"

	// VerifyUnknownFormat: the file is none of the kinds whose signatures can be judged.
	VerifyUnknownFormat Code = "verify.unknown-format"

	// A message or a request that cannot be read.
	MessageMalformed Code = "message.malformed"
	RequestInvalid   Code = "request.invalid"
	RequestTooLarge  Code = "request.too-large"
	RouteNotFound    Code = "route.not-found"
	MethodNotAllowed Code = "request.method-not-allowed"
	SettingsInvalid  Code = "settings.invalid"
	StorageUnfit     Code = "storage.unfit"
)
