package verify_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

func TestErr(t *testing.T) {
	t.Parallel()
	good := verify.Check{Name: verify.SignatureValue, Outcome: verify.Passed, Demanded: true}
	report := func(checks ...verify.Check) verify.Report {
		return verify.Report{Signatures: []verify.Signature{{Checks: checks}}}
	}
	tests := []struct {
		name   string
		report verify.Report
		want   string // of the detail; empty: no error
	}{
		{"all passed", report(good), ""},
		{"nothing signed", verify.Report{}, "no signature"},
		{"nothing checked", report(), "no signature was found good"},
		{"a failure", report(good, verify.Check{Name: verify.Chain, Outcome: verify.Failed, Demanded: true, Detail: "why"}),
			"chain of signature 1 failed (why)"},
		{"a failure that nobody minds", report(good, verify.Check{Name: verify.Policy, Outcome: verify.Failed}), ""},
		{"not checked", report(good, verify.Check{Name: verify.Chain, Outcome: verify.NotChecked, Demanded: true}), "chain"},
		{"not checked, and nobody minds", report(good, verify.Check{Name: verify.Chain, Outcome: verify.NotChecked}), ""},
		{"no outcome", report(good, verify.Check{Name: verify.Chain, Demanded: true}), "chain"},
		{"many failures", report(manyChecks(9)...), "and 5 more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.report.Err()
			if tt.want == "" {
				if err != nil {
					t.Errorf("Err = %v, want nil", err)
				}
				return
			}
			if !errors.Is(err, fault.JobVerifyFailed) || !strings.Contains(fault.DetailOf(err), tt.want) {
				t.Errorf("Err = %v, want %s with %q", err, fault.JobVerifyFailed, tt.want)
			}
		})
	}
}

func manyChecks(n int) []verify.Check {
	out := make([]verify.Check, n)
	for i := range out {
		out[i] = verify.Check{Name: verify.Chain, Outcome: verify.Failed, Demanded: true}
	}
	return out
}

// TestReportKeepsNumbersOut: no CPF and no CNPJ gets into a report, whatever fails.
func TestReportKeepsNumbersOut(t *testing.T) {
	t.Parallel()
	p := cast(t)
	for name, cert := range map[string]maker{"good": p.good(), "expired": {key: p.key, cert: p.expired}} {
		o := p.strict()
		o.Signer = p.joao
		r := judge(t, signed(t, cert, dictionary{}), o)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text)+r.Err().Error(), "52998224725") {
			t.Errorf("%s: the report contains a CPF: %s", name, text)
		}
	}
}

func TestReportIsJSON(t *testing.T) {
	t.Parallel()
	p := cast(t)
	text, err := json.Marshal(judge(t, signed(t, p.good(), dictionary{entries: "/M(D:20261129120000Z)"}), p.strict()))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"format":"PAdES","signatures":[{"field":"Sig1","subFilter":"ETSI.CAdES.detached","signerName":"MARIA DE TESTE",` +
		`"policy":"AD-RB PAdES 1.3","time":"2026-11-29T12:00:00Z","coversWholeFile":true,"checks":[` +
		`{"name":"byte-range","outcome":"passed","demanded":true},`
	if !strings.HasPrefix(string(text), want) {
		t.Errorf("got  %s\nwant %s…", text, want)
	}
}

func TestSignerName(t *testing.T) {
	t.Parallel()
	m := lightMaker(t)
	tests := []struct{ cn, want string }{
		{"MARIA DE TESTE:52998224725", "MARIA DE TESTE"},
		{"MARIA DE TESTE: 529.982.247-25 ", "MARIA DE TESTE"},
		{"MARIA DE TESTE 52998224725", "MARIA DE TESTE"},
		{"EMPRESA DE TESTE:11222333000181", "EMPRESA DE TESTE"},
		{"EMPRESA DE TESTE:12ABC34501DE35", "EMPRESA DE TESTE"},
		{"MARIA DE TESTE", "MARIA DE TESTE"},
		{"TESTE: 3 DE MARCO", "TESTE: 3 DE MARCO"},
		{"ACAO\x00\nDE TESTE", "ACAODE TESTE"},
	}
	for _, tt := range tests {
		t.Run(tt.cn, func(t *testing.T) {
			t.Parallel()
			m := m
			m.cert = selfSigned(t, m.key, tt.cn)
			if got := judge(t, signed(t, m, dictionary{}), verify.Options{At: now}).Signatures[0].SignerName; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
