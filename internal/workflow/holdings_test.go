package workflow_test

import (
	"context"
	"crypto/sha1"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// listed are profiles that can be listed, in their order.
type listed struct {
	workflow.Profiles
	all []profile.Profile
	err error
}

func (l listed) List(context.Context) ([]profile.Profile, error) { return l.all, l.err }

// cabinet has certificates by the profiles' names, or what keeps them from being read. "" waits for the context's end.
type cabinet struct {
	certificates map[string]*x509.Certificate
	errs         map[string]error
}

func (c cabinet) Open(context.Context, profile.Profile) (profile.Key, error) {
	return profile.Key{}, errors.New("no key is opened for a certificate")
}

func (c cabinet) Certificate(ctx context.Context, p profile.Profile) (*x509.Certificate, error) {
	if c.certificates[p.Name] == nil && c.errs[p.Name] == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return c.certificates[p.Name], c.errs[p.Name]
}

func held(name string, s profile.Source, m profile.Method) profile.Profile {
	return profile.Profile{Name: name, Enabled: true, Method: m, Certificate: &profile.Certificate{Source: s, CloudHsm: &profile.HsmKey{Thumbprint: "AB12"}}}
}

func issuedAt(t *testing.T, at time.Time) *x509.Certificate {
	t.Helper()
	pki, err := icpbrasiltest.New(at)
	if err != nil {
		t.Fatal(err)
	}
	c, err := pki.IssueECPF(key.Public(), icpbrasiltest.Person{Name: "ANA DE TESTE", CPF: "52998224725"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestHoldings(t *testing.T) {
	t.Parallel()
	good, old := issuedAt(t, day), issuedAt(t, day.AddDate(-10, 0, 0))
	noted := held("noted", profile.Kms, profile.Local)
	noted.Enabled, noted.Degraded = false, profile.Degradation{Code: string(fault.KeyNotFound)}
	l := listed{all: []profile.Profile{
		held("good", profile.Kms, profile.Local), noted, held("old", profile.Pfx, profile.SignerFolder), held("gone", profile.Pfx, profile.Local),
		held("slow", profile.Kms, profile.Local), held("down", profile.Kms, profile.Local), held("token", profile.CloudHsm, profile.Local),
		held("noted token", profile.CloudHsm, profile.Local), held("old token", profile.CloudHsm, profile.Local),
		{Name: "bare", Method: profile.Local}, held("people", profile.Kms, profile.LacunaSigner),
	}}
	c := cabinet{map[string]*x509.Certificate{"good": good, "noted": good, "old": old}, map[string]error{
		"gone": fmt.Errorf("read: %w", fault.New(fault.CertificateMissing, "it is not there")), "down": errors.New("connection reset"),
	}}
	told := func(h job.Holding, c *x509.Certificate) job.Holding {
		h.Subject, h.Issuer, h.Serial = "ANA DE TESTE", c.Issuer.CommonName, fmt.Sprintf("%x", c.SerialNumber)
		h.Print, h.From, h.To = fmt.Sprintf("%x", sha1.Sum(c.Raw)), c.NotBefore, c.NotAfter
		return h
	}
	want := []job.Holding{
		told(job.Holding{Profile: "good", Enabled: true, Method: profile.Local, Source: profile.Kms}, good),
		told(job.Holding{Profile: "noted", Method: profile.Local, Source: profile.Kms, Degraded: true, Code: fault.KeyNotFound}, good),
		told(job.Holding{Profile: "old", Enabled: true, Method: profile.SignerFolder, Source: profile.Pfx, Degraded: true, Code: fault.CertificateExpired}, old),
		{Profile: "gone", Enabled: true, Method: profile.Local, Source: profile.Pfx, Degraded: true, Code: fault.CertificateMissing},
		{Profile: "slow", Enabled: true, Method: profile.Local, Source: profile.Kms, Degraded: true, Code: fault.KeyUnavailable},
		{Profile: "down", Enabled: true, Method: profile.Local, Source: profile.Kms, Degraded: true, Code: fault.KeyUnavailable},
		{Profile: "token", Enabled: true, Method: profile.Local, Source: profile.CloudHsm, Print: "ab12"},
		{Profile: "noted token", Enabled: true, Method: profile.Local, Source: profile.CloudHsm, Print: "ab12", To: good.NotAfter},
		{Profile: "old token", Enabled: true, Method: profile.Local, Source: profile.CloudHsm, Print: "ab12", To: old.NotAfter, Degraded: true, Code: fault.CertificateExpired},
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(day))
		world := workflowtest.New(&workflowtest.Keys{})
		for name, cert := range map[string]*x509.Certificate{"noted token": good, "old token": old} {
			if err := workflow.NoteEnd(t.Context(), world, held(name, profile.CloudHsm, profile.Local), cert, day); err != nil {
				t.Fatal(err)
			}
		}
		w := workflow.New(workflow.Parts{Profiles: l, Keys: c, Passes: world})
		got, err := w.Holdings(t.Context())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Holdings: %v (-want +got):\n%s", err, diff)
		}
		if took := time.Since(day); took > 6*time.Second {
			t.Errorf("one that does not answer costs %v", took)
		}
	})
	if _, err := workflow.New(workflow.Parts{Profiles: listed{err: errQueue}}).Holdings(t.Context()); !errors.Is(err, errQueue) {
		t.Errorf("Holdings = %v, want %v", err, errQueue)
	}
}

// However many certificates cannot be reached, the request ends in time.
func TestHoldingsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l listed
		for n := range 100 {
			l.all = append(l.all, held(fmt.Sprint("p", n), profile.Kms, profile.Local))
		}
		began := time.Now()
		got, err := workflow.New(workflow.Parts{Profiles: l, Keys: cabinet{}}).Holdings(t.Context())
		if took := time.Since(began); err != nil || len(got) != 100 || took > 20*time.Second {
			t.Errorf("%d certificates, %v, after %v, want 100 within 20 s", len(got), err, took)
		}
	})
}

// Nobody's number is shown, however an authority writes it.
func TestHoldingsWithoutNumbers(t *testing.T) {
	t.Parallel()
	tests := []struct{ commonName, want string }{
		{"ANA DE TESTE:52998224725", "ANA DE TESTE"},
		{"ANA DE TESTE:529.982.247-25", "ANA DE TESTE"},
		{"ANA DE TESTE 52998224725", "ANA DE TESTE"},
		{"52998224725", ""},
		{"EMPRESA DE TESTE LTDA:11222333000181", "EMPRESA DE TESTE LTDA"},
		{"EMPRESA DE TESTE LTDA:11.222.333/0001-81", "EMPRESA DE TESTE LTDA"},
		{"EMPRESA DE TESTE LTDA:12ABC34501DE35", "EMPRESA DE TESTE LTDA"},
		{"EMPRESA 2026 S/A", "EMPRESA 2026 S/A"},
		{"JOSÉ D'ÁVILA", "JOSÉ D'ÁVILA"},
		{"", ""},
	}
	for _, tt := range tests {
		named := *opened.Certificate
		named.Subject.CommonName = tt.commonName
		w := workflow.New(workflow.Parts{
			Profiles: listed{all: []profile.Profile{held("p", profile.Kms, profile.Local)}},
			Keys:     cabinet{certificates: map[string]*x509.Certificate{"p": &named}},
			Now:      func() time.Time { return day },
		})
		got, err := w.Holdings(t.Context())
		if err != nil || got[0].Subject != tt.want || strings.Contains(fmt.Sprint(got[0]), "52998224725") {
			t.Errorf("%q is shown as %+v, %v, want the subject %q", tt.commonName, got, err, tt.want)
		}
	}
}
