package console

import (
	"net/http"
	"time"

	"bulksigner/internal/fault"
)

// certificatesPage says of each profile's certificate how long it lasts.
type certificatesPage struct {
	Certificates []certificate `json:"certificates"`
}

// certificate is what a profile signs with now, as the API tells it. Of one that cannot be read, Code says why.
type certificate struct {
	Profile    string     `json:"profile"`
	Enabled    bool       `json:"enabled"`
	Source     string     `json:"source"`
	Subject    string     `json:"subject"`
	Issuer     string     `json:"issuer"`
	Thumbprint string     `json:"thumbprint"`
	NotAfter   *time.Time `json:"notAfter"`
	DaysLeft   *int64     `json:"daysLeft"`
	Degraded   bool       `json:"degraded"`
	Code       fault.Code `json:"code"`
}

// The days from which on a certificate's end is near, and close; the alarms have the same.
const nearDays, closeDays = 30, 7

// Chip is how the certificate's end is marked.
func (c certificate) Chip() string {
	switch {
	case c.DaysLeft == nil:
		return ""
	case *c.DaysLeft < closeDays:
		return "bad"
	case *c.DaysLeft < nearDays:
		return "wait"
	default:
		return "good"
	}
}

// Over reports whether the certificate has ended.
func (c certificate) Over() bool { return c.DaysLeft != nil && *c.DaysLeft < 0 }

func (v *visit) certificates() error {
	var page certificatesPage
	if err := v.api.get("/api/certificates", &page); err != nil {
		return err
	}
	return v.render(http.StatusOK, "system-certificates", page)
}

// presentCertificatePage tells of one profile's certificate.
type presentCertificatePage struct {
	Profile     string
	Certificate *certificate // nil: nothing is known of it
	Problem     *problem     // why not
}

// Page is the profile's page.
func (p presentCertificatePage) Page() string { return profileRead{Name: p.Profile}.Page() }

// presentCertificate is a part of a profile's page. It has an address of its own since the API opens the certificates of
// all profiles for it: one that does not answer holds up nobody who wants to edit a profile.
func (v *visit) presentCertificate() error {
	page := presentCertificatePage{Profile: v.r.PathValue("name")}
	var all certificatesPage
	err := v.api.get("/api/certificates", &all)
	refused, ok := refusalOf(err)
	if err != nil && !ok {
		return err
	}
	page.Problem = refused
	for i, c := range all.Certificates {
		if c.Profile == page.Profile {
			page.Certificate = &all.Certificates[i]
		}
	}
	return v.render(http.StatusOK, "profile-certificate", page)
}
