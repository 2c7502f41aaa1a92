package api

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

type certificatesOutput struct {
	Body certificateList
}

// certificateList has the certificates that profiles sign with.
type certificateList struct {
	Certificates []heldCertificate `json:"certificates" nullable:"false" doc:"By the profiles' names."`
	_            struct{}          `json:"-" additionalProperties:"true"`
}

// heldCertificate is the certificate of a profile, without the number of its holder.
type heldCertificate struct {
	Profile      string         `json:"profile"`
	Enabled      bool           `json:"enabled" doc:"Whether the profile takes new work."`
	Method       profile.Method `json:"method" enum:"Local,SignerFolder"`
	Source       profile.Source `json:"source" enum:"Kms,Pfx,CloudHsm" doc:"Where the key is. Of a certificate on a token (CloudHsm) only thumbprint and notAfter are known, the latter once a job has noted it."`
	Subject      *string        `json:"subject" doc:"The holder's name, without CPF or CNPJ; null, like all that follows, where the certificate could not be read."`
	Issuer       *string        `json:"issuer" doc:"The name of the authority that issued it."`
	SerialNumber *string        `json:"serialNumber" doc:"Hexadecimal."`
	Thumbprint   *string        `json:"thumbprint" doc:"SHA-1 of the certificate, 40 hexadecimal digits; of one on a token as the profile names it."`
	NotBefore    *time.Time     `json:"notBefore"`
	NotAfter     *time.Time     `json:"notAfter"`
	DaysLeft     *int           `json:"daysLeft" doc:"Whole days until notAfter; below 0 once it is over."`
	Degraded     bool           `json:"degraded" doc:"Whether the profile cannot sign: jobs found it, or the certificate shows it now."`
	Code         *fault.Code    `json:"code" doc:"Why."`
	_            struct{}       `json:"-" additionalProperties:"true"`
}

const certificatesDoc = "Profiles without a key of ours have none and are left out. Each certificate is read where it lies, within five " +
	"seconds; no key is asked to sign."

// addCertificates adds the route that shows the profiles' certificates.
func (s *server) addCertificates(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "listCertificates", Method: http.MethodGet, Path: "/api/certificates", Tags: []string{"Profiles"},
		Summary: "The certificates that profiles sign with, and how long they are valid", Description: certificatesDoc,
	}), s.certificates)
}

func (s *server) certificates(ctx context.Context, _ *struct{}) (*certificatesOutput, error) {
	all, err := s.Operator.Holdings(ctx)
	if err != nil {
		return nil, fmt.Errorf("look at the certificates: %w", err)
	}
	out := certificateList{Certificates: make([]heldCertificate, 0, len(all))}
	for _, h := range all {
		out.Certificates = append(out.Certificates, heldOf(h, s.Now()))
	}
	return &certificatesOutput{out}, nil
}

func heldOf(h job.Holding, now time.Time) heldCertificate {
	c := heldCertificate{
		Profile: h.Profile, Enabled: h.Enabled, Method: h.Method, Source: h.Source, Subject: optional(h.Subject), Issuer: optional(h.Issuer),
		SerialNumber: optional(h.Serial), Thumbprint: optional(h.Print), NotBefore: moment(h.From), NotAfter: moment(h.To),
		Degraded: h.Degraded, Code: optional(h.Code),
	}
	if !h.To.IsZero() {
		c.DaysLeft = new(int(math.Floor(h.To.Sub(now).Hours() / 24)))
	}
	return c
}
