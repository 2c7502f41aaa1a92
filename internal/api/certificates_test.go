package api_test

import (
	"strings"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

func TestCertificates(t *testing.T) {
	t.Parallel()
	s := newService(t)
	wantJSON(t, s.send(t, "GET", "/api/certificates", ""), 200, `{"certificates":[]}`)
	s.holdings = []job.Holding{
		{Profile: "contracts", Enabled: true, Method: profile.Local, Source: profile.Kms, Subject: "ANA TESTE", Issuer: "AC Teste", Serial: "1f", Print: "ab12",
			From: now.AddDate(-1, 0, 0), To: now.Add(36 * time.Hour).In(time.FixedZone("", -3*3600))},
		{Profile: "gone", Method: profile.SignerFolder, Source: profile.Pfx, Degraded: true, Code: fault.CertificateMissing},
	}
	wantJSON(t, s.send(t, "GET", "/api/certificates", ""), 200, `{"certificates":[
		{"profile":"contracts","enabled":true,"method":"Local","source":"Kms","subject":"ANA TESTE","issuer":"AC Teste","serialNumber":"1f","thumbprint":"ab12",
		"notBefore":"2025-03-04T05:06:07.089Z","notAfter":"2026-03-05T17:06:07.089Z","daysLeft":1,"degraded":false,"code":null},
		{"profile":"gone","enabled":false,"method":"SignerFolder","source":"Pfx","subject":null,"issuer":null,"serialNumber":null,"thumbprint":null,
		"notBefore":null,"notAfter":null,"daysLeft":null,"degraded":true,"code":"certificate.missing"}]}`)
	s.fail["Holdings"] = fault.New(fault.Throttled, "the table is busy")
	wantProblem(t, s.send(t, "GET", "/api/certificates", ""), 503, fault.Throttled)
}

func TestDaysLeft(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]string{
		48 * time.Hour: `"daysLeft":2,`, 48*time.Hour - time.Second: `"daysLeft":1,`, time.Second: `"daysLeft":0,`,
		-time.Second: `"daysLeft":-1,`, -25 * time.Hour: `"daysLeft":-2,`,
	} {
		s := newService(t)
		s.holdings = []job.Holding{{Profile: "p", Method: profile.Local, Source: profile.Kms, To: now.Add(left)}}
		if got := bodyOf(t, s.send(t, "GET", "/api/certificates", "")); !strings.Contains(got, want) {
			t.Errorf("%v before the end: %s, want %s", left, got, want)
		}
	}
}
