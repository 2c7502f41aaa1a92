package lacunatest

import (
	"strings"
	"time"
)

// The models that are answered. A pointer is what may be null. Fields without a meaning here are there all the same,
// since clients see them.

type failure struct {
	Code    *string           `json:"code"`
	Message *string           `json:"message"`
	Details map[string]string `json:"details"`
}

type fileModel struct {
	Location    *string `json:"location"`
	ID          string  `json:"id"`
	Name        *string `json:"name"`
	ContentType string  `json:"contentType"`
}

type bytesModel struct {
	ID     *string `json:"id"`
	Size   int     `json:"size"`
	Digest *string `json:"digest"`
}

type createdModel struct {
	UploadID    *string `json:"uploadId"`
	DocumentID  string  `json:"documentId"`
	Attachments []any   `json:"attachments"`
}

type page[T any] struct {
	Items      []T     `json:"items"`
	TotalCount *int    `json:"totalCount"`
	NextCursor *string `json:"nextCursor"`
}

type folderInfo struct {
	ID       string  `json:"id"`
	Name     *string `json:"name"`
	ParentID *string `json:"parentId"`
}

type folderModel struct {
	folderInfo
	Organization organizationInfo `json:"organization"`
}

type organizationInfo struct {
	ID         string   `json:"id"`
	Name       *string  `json:"name"`
	Identifier *string  `json:"identifier"`
	Owner      *creator `json:"owner"`
}

type creator struct {
	ID   string  `json:"id"`
	Name *string `json:"name"`
}

type agent struct {
	ID   string  `json:"id"`
	Type string  `json:"type"`
	Name *string `json:"name"`
}

type tag struct {
	ID    string  `json:"id"`
	Label *string `json:"label"`
	Value string  `json:"value"`
}

func (t tag) label() string {
	if t.Label == nil {
		return ""
	}
	return *t.Label
}

type permissions struct {
	Move     bool `json:"move"`
	EditFlow bool `json:"editFlow"`
}

type listModel struct {
	ID           string      `json:"id"`
	Name         *string     `json:"name"`
	CreationDate string      `json:"creationDate"`
	UpdateDate   string      `json:"updateDate"`
	Folder       *folderInfo `json:"folder"`
	Type         *string     `json:"type"`
	Tags         []tag       `json:"tags"`
}

type documentModel struct {
	ID                        string           `json:"id"`
	Name                      *string          `json:"name"`
	FileName                  *string          `json:"filename"`
	FileSize                  int              `json:"fileSize"`
	MimeType                  *string          `json:"mimeType"`
	ChecksumMD5               *string          `json:"checksumMd5"`
	Key                       *string          `json:"key"`
	Status                    string           `json:"status"`
	IsConcluded               bool             `json:"isConcluded"`
	IsDeleted                 bool             `json:"isDeleted"`
	HasSignature              bool             `json:"hasSignature"`
	ForceCades                bool             `json:"forceCadesSignature"`
	IsScanned                 bool             `json:"isScanned"`
	IsEnvelope                bool             `json:"isEnvelope"`
	HideDownload              bool             `json:"hideDownloadOptionForPendingDocuments"`
	Folder                    *folderInfo      `json:"folder"`
	Organization              organizationInfo `json:"organization"`
	CreationDate              string           `json:"creationDate"`
	UpdateDate                string           `json:"updateDate"`
	ExpirationDate            *string          `json:"expirationDate"`
	ExpirationDateWithoutTime *string          `json:"expirationDateWithoutTime"`
	CreatedBy                 creator          `json:"createdBy"`
	Description               *string          `json:"description"`
	StatusUpdatedBy           *agent           `json:"statusUpdatedBy"`
	StatusUpdateReason        *string          `json:"statusUpdateReason"`
	FlowActions               []actionModel    `json:"flowActions"`
	Observers                 []any            `json:"observers"`
	Attachments               []any            `json:"attachments"`
	Permissions               permissions      `json:"permissions"`
	NotifiedEmails            []string         `json:"notifiedEmails"`
	Tags                      []tag            `json:"tags"`
	SignatureType             string           `json:"signatureType"`
	SecurityContext           *string          `json:"securityContext"`
}

type actionModel struct {
	ID                       string       `json:"id"`
	Type                     string       `json:"type"`
	Status                   string       `json:"status"`
	Step                     int          `json:"step"`
	User                     *participant `json:"user"`
	CreationDate             string       `json:"creationDate"`
	PendingDate              *string      `json:"pendingDate"`
	UpdateDate               string       `json:"updateDate"`
	Title                    *string      `json:"title"`
	RuleName                 *string      `json:"ruleName"`
	NumberRequiredSignatures int          `json:"numberRequiredSignatures"`
	NumberRequiredActions    int          `json:"numberRequiredActions"`
	SignRuleUsers            []ruleUser   `json:"signRuleUsers"`
	RuleUsers                []ruleUser   `json:"ruleUsers"`
	Marks                    []any        `json:"marks"`
	AllowElectronicSignature bool         `json:"allowElectronicSignature"`
	electronicChecks
	CertificateType      *string `json:"requiredCertificateTypeToSign"`
	HolderType           *string `json:"requiredCertificateHolderTypeToSign"`
	CompanyIdentifier    *string `json:"requiredCompanyIdentifier"`
	CompanyCertificate   *bool   `json:"requireCompanyCertificate"`
	RefusalReason        *string `json:"refusalReason"`
	IsElectronic         *bool   `json:"isElectronic"`
	SignatureInitials    string  `json:"signatureInitialsMode"`
	ContinueIfRefused    bool    `json:"allowRuleFlowToContinueIfRefused"`
	NotificationLanguage string  `json:"notificationLanguage"`
}

// electronicChecks concern electronic signatures, which nobody here asks for.
type electronicChecks struct {
	Email         *bool `json:"requireEmailAuthenticationToSignElectronically"`
	SMS           *bool `json:"requireSmsAuthenticationToSignElectronically"`
	Whatsapp      *bool `json:"requireWhatsappAuthenticationToSignElectronically"`
	Authenticator *bool `json:"requireAuthenticatorAppToSignElectronically"`
	Selfie        *bool `json:"requireSelfieAuthenticationToSignElectronically"`
	Datavalid     *bool `json:"requireDatavalidAuthenticationToSignElectronically"`
	Pix           *bool `json:"requirePixAuthenticationToSignElectronically"`
	Liveness      *bool `json:"requireLivenessAuthenticationToSignElectronically"`
	IDScan        *bool `json:"requireIdScanAuthenticationToSignElectronically"`
}

type participant struct {
	ID         *string `json:"id"`
	Name       *string `json:"name"`
	Identifier *string `json:"identifier"`
	Email      *string `json:"email"`
	Phone      *string `json:"phone"`
}

type ruleUser struct {
	participant
	SignatureDate      *string `json:"signatureDate"`
	CompleteActionDate *string `json:"completeActionDate"`
	IsElectronic       *bool   `json:"isElectronic"`
	RefusalDate        *string `json:"refusalDate"`
	HasRefused         bool    `json:"hasRefused"`
	RefusalReason      *string `json:"refusalReason"`
}

type urlModel struct {
	URL      *string `json:"url"`
	EmbedURL *string `json:"embedUrl"`
}

type startedModel struct {
	Success           bool        `json:"success"`
	Token             *string     `json:"token"`
	ToSignHash        *string     `json:"toSignHash"`
	DigestAlgorithm   *string     `json:"digestAlgorithm"`
	ValidationResults *validation `json:"validationResults"`
}

type completed struct {
	Success           bool        `json:"success"`
	ValidationResults *validation `json:"validationResults"`
}

type validation struct {
	PassedChecks  []check `json:"passedChecks"`
	Errors        []check `json:"errors"`
	Warnings      []check `json:"warnings"`
	Indeterminate []check `json:"indeterminateItens"` // so spelt
	IsValid       bool    `json:"isValid"`
}

type check struct {
	Type    *string     `json:"type"`
	Message *string     `json:"message"`
	Detail  *string     `json:"detail"`
	Inner   *validation `json:"innerValidationResults"`
}

// information is what every event tells of a document.
type information struct {
	ID           string           `json:"id"`
	Name         *string          `json:"name"`
	CreationDate string           `json:"creationDate"`
	UpdateDate   string           `json:"updateDate"`
	Folder       *eventFolder     `json:"folder"`
	Organization organizationInfo `json:"organization"`
	CreatedBy    creator          `json:"createdBy"`
}

type eventFolder struct {
	folderInfo
	OrganizationName *string `json:"organizationName"`
}

// into puts the fields of i beside others.
func (i information) into(data map[string]any) {
	data["id"], data["name"], data["creationDate"], data["updateDate"] = i.ID, i.Name, i.CreationDate, i.UpdateDate
	data["folder"], data["organization"], data["createdBy"] = i.Folder, i.Organization, i.CreatedBy
}

// text is null where there is none.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// date writes a time as the service does: milliseconds, without trailing zeros.
func date(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }

func dateOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return text(date(t))
}

// findings are failed checks of the given types.
func findings(types ...string) *validation {
	v := &validation{PassedChecks: []check{}, Errors: []check{}, Warnings: []check{}, Indeterminate: []check{}, IsValid: len(types) == 0}
	for _, t := range types {
		v.Errors = append(v.Errors, check{Type: text(t), Message: text("Failed in the test service: " + strings.ToLower(t))})
	}
	return v
}
