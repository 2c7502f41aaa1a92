package verify_test

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"math/big"
	"testing"
	"time"

	"bulksigner/internal/verify"

	"github.com/google/go-cmp/cmp"
)

// TestTamperedMessages finds each fault in a message by the check that is there for it.
func TestTamperedMessages(t *testing.T) {
	t.Parallel()
	p := cast(t)
	tests := []struct {
		name   string
		change func(*maker)
		want   []string
	}{
		{"the attributes after signing", func(m *maker) { m.after = swap(hash13Bytes(), make([]byte, 32)) },
			[]string{verify.SignatureValue, verify.Policy}},
		{"the digest after signing", func(m *maker) {
			m.after = func(der []byte) []byte { return flip(der, bytes.Index(der, oid(idDigest))+20) }
		}, []string{verify.MessageDigest, verify.SignatureValue}},
		{"the signature", func(m *maker) { m.after = func(der []byte) []byte { return flip(der, len(der)-5) } },
			[]string{verify.SignatureValue}},
		{"foreign key", func(m *maker) { m.key = newKey(t) }, []string{verify.SignatureValue}},
		{"hash of another certificate", func(m *maker) { m.certHash = make([]byte, 32) }, []string{verify.SigningCertificate}},
		{"number of another certificate", func(m *maker) { m.serial = big.NewInt(17) }, []string{verify.SigningCertificate}},
		{"certificate not named", func(m *maker) { m.noID = true }, []string{verify.SigningCertificate}},
		{"certificate named in version 1", func(m *maker) { m.idV1 = true }, []string{verify.SigningCertificate, verify.ForbiddenAttributes}},
		{"hash of another policy", func(m *maker) { m.policyHash = make([]byte, 32) }, []string{verify.Policy}},
		{"unknown policy", func(m *maker) { m.policy = "2.16.76.1.7.1.99" }, []string{verify.Policy}},
		{"policy of CAdES", func(m *maker) { m.policy = cades24 }, []string{verify.Policy}},
		{"no policy", func(m *maker) { m.noPolicy = true }, []string{verify.Policy}},
		{"implied policy", func(m *maker) { m.noPolicy, m.extra = true, [][]byte{attribute(idPolicy, []byte{5, 0})} }, []string{verify.Policy}},
		{"SHA-384, which the policy does not allow", func(m *maker) { m.hash = crypto.SHA384 }, []string{verify.Policy}},
		{"RSA-PSS, which the policy does not allow", func(m *maker) { m.pss = true }, []string{verify.Policy}},
		{"SHA-1", func(m *maker) { m.hash = crypto.SHA1 }, []string{verify.SignatureValue, verify.Policy}},
		{"SHA-512", func(m *maker) { m.hash = crypto.SHA512 }, nil},
		{"key identifier", func(m *maker) { m.keyID = true }, []string{verify.Message}}, // legacy leaves here have none
		{"unsorted attributes", func(m *maker) { m.reversed = true }, []string{verify.DEROrder}},
		{"an attribute twice", func(m *maker) { m.extra = [][]byte{attribute(idContentType, oid(idData))} },
			[]string{verify.DEROrder, verify.ContentType}},
		{"content type of something else", func(m *maker) { m.after = swap(oid(idContentType), oid("1.2.840.113549.1.9.6")) },
			[]string{verify.ContentType, verify.SignatureValue}},
		{"signing time", func(m *maker) { m.extra = [][]byte{signingTime()} }, []string{verify.ForbiddenAttributes}},
		{"archived revocation", func(m *maker) { m.extra = [][]byte{attribute(idArchival, seq())} }, []string{verify.ForbiddenAttributes}},
		{"an unsigned attribute", func(m *maker) { m.unsigned = [][]byte{attribute(idArchival, seq())} }, []string{verify.ForbiddenAttributes}},
		{"an unsigned time-stamp", func(m *maker) { m.unsigned = [][]byte{attribute(idTimestamp, seq())} }, nil},
		{"no attributes", func(m *maker) { m.plain = true }, []string{verify.DEROrder, verify.ContentType, verify.MessageDigest,
			verify.SignatureValue, verify.SigningCertificate, verify.Policy}},
		{"content inside", func(m *maker) { m.attached = true }, []string{verify.Message}},
		{"certificate left out", func(m *maker) { m.orphan = true }, []string{verify.Message}},
		{"authorities left out", func(m *maker) { m.others = nil }, []string{verify.Chain}},
		{"too many certificates", func(m *maker) { m.others = append(manyOf(p.pki.Chain[1], 31), p.pki.Chain...) }, []string{verify.Message}},
		{"indefinite length", func(m *maker) { m.after = func(der []byte) []byte { return append([]byte{0x30, 0x80}, der...) } }, []string{verify.Message}},
		{"no DER", func(m *maker) { m.after = func([]byte) []byte { return []byte("nothing") } }, []string{verify.Message}},
		{"other bytes than zeros after it", func(m *maker) { m.after = func(der []byte) []byte { return append(der, 0, 1) } }, []string{verify.Message}},
		{"expired", func(m *maker) { m.cert = p.expired }, []string{verify.Validity, verify.Chain, verify.Signer}},
		{"not for signatures", func(m *maker) { m.cert = p.encipherment }, []string{verify.KeyUsage, verify.Signer}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := p.good()
			tt.change(&m)
			r := judge(t, signed(t, m, dictionary{room: 64 << 10}), p.strict())
			got := demanded(r.Signatures[0])
			if len(got) > 1 && got[0] == verify.Message { // an unreadable message cannot be the signer's either
				got = got[:1]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("missed (-want +got):\n%s\n%+v", diff, r)
			}
			if (r.Err() == nil) != (tt.want == nil) {
				t.Errorf("Err = %v", r.Err())
			}
		})
	}
}

// TestOptions judges one good signature by other demands.
func TestOptions(t *testing.T) {
	t.Parallel()
	p := cast(t)
	file := signed(t, p.good(), dictionary{})
	tests := []struct {
		name   string
		change func(*verify.Options)
		want   []string
		check  string
		answer verify.Outcome
	}{
		{"wrong root", func(o *verify.Options) { o.Anchors = []*x509.Certificate{p.stranger.Root} }, []string{verify.Chain}, verify.Chain, verify.Failed},
		{"no root", func(o *verify.Options) { o.Anchors = nil }, nil, verify.Chain, verify.NotChecked},
		{"another signer", func(o *verify.Options) { o.Signer = p.joao }, []string{verify.Signer}, verify.Signer, verify.Failed},
		{"any signer", func(o *verify.Options) { o.Signer = nil }, nil, verify.Signer, ""},
		{"no policy demanded", func(o *verify.Options) { o.Policy = false }, nil, verify.Policy, verify.Passed},
		{"no time", func(o *verify.Options) { o.At = time.Time{} }, []string{verify.Policy, verify.Validity, verify.Chain}, verify.Chain, verify.NotChecked},
		{"before the policy", func(o *verify.Options) { o.At = time.Date(2025, 7, 22, 0, 0, 0, 0, time.UTC) },
			[]string{verify.Policy, verify.Validity, verify.Chain}, verify.Policy, verify.Failed},
		{"after the certificate", func(o *verify.Options) { o.At = now.AddDate(2, 0, 0) },
			[]string{verify.Validity, verify.Chain}, verify.Validity, verify.Failed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := p.strict()
			tt.change(&o)
			s := judge(t, file, o).Signatures[0]
			if diff := cmp.Diff(tt.want, demanded(s)); diff != "" {
				t.Errorf("missed (-want +got):\n%s", diff)
			}
			if got := s.Check(tt.check).Outcome; got != tt.answer {
				t.Errorf("%s is %q, want %q", tt.check, got, tt.answer)
			}
		})
	}
}

// TestOthersSignatures reads what our signer never makes. Nothing of AD-RB is demanded.
func TestOthersSignatures(t *testing.T) {
	t.Parallel()
	p := cast(t)
	o := verify.Options{Anchors: p.strict().Anchors, At: now}
	plain := func(change func(*maker)) maker {
		m := p.good()
		m.noPolicy = true
		change(&m)
		return m
	}
	const pkcs7 = "adbe.pkcs7.detached"
	tests := []struct {
		name      string
		maker     maker
		subFilter string
		check     string
		answer    verify.Outcome
		want      []string
	}{
		{"signing time", plain(func(m *maker) { m.extra = [][]byte{signingTime()} }), "", verify.ForbiddenAttributes, verify.NotChecked, nil},
		{"version 1", plain(func(m *maker) { m.idV1 = true }), "", verify.SigningCertificate, verify.Passed, nil},
		{"version 1 with a wrong hash", plain(func(m *maker) { m.idV1, m.certHash = true, make([]byte, 20) }), "",
			verify.SigningCertificate, verify.Failed, []string{verify.SigningCertificate}},
		{"RSA-PSS", plain(func(m *maker) { m.pss = true }), "", verify.SignatureValue, verify.Passed, nil},
		{"SHA-384", plain(func(m *maker) { m.hash = crypto.SHA384 }), "", verify.SignatureValue, verify.Passed, nil},
		{"named algorithm", plain(func(m *maker) { m.algorithm = "1.2.840.113549.1.1.11" }), "", verify.SignatureValue, verify.Passed, nil},
		{"two digests", plain(func(m *maker) { m.algorithm = "1.2.840.113549.1.1.13" }), "", verify.SignatureValue, verify.Failed, []string{verify.SignatureValue}},
		{"algorithm for another key", plain(func(m *maker) { m.algorithm = "1.2.840.10045.4.3.2" }), "",
			verify.SignatureValue, verify.Failed, []string{verify.SignatureValue}},
		{"unknown algorithm", plain(func(m *maker) { m.algorithm = "1.2.3" }), "", verify.SignatureValue, verify.Failed, []string{verify.SignatureValue}},
		{"certificate not named in plain CMS", plain(func(m *maker) { m.noID = true }), pkcs7, verify.SigningCertificate, verify.NotChecked, nil},
		{"no attributes in plain CMS", plain(func(m *maker) { m.plain = true }), pkcs7, verify.MessageDigest, verify.NotChecked, nil},
		{"superseded policy", plain(func(m *maker) { m.noPolicy, m.policy = false, policy11 }), "", verify.Policy, verify.Passed, nil},
		{"policy with a wrong hash", plain(func(m *maker) { m.noPolicy, m.policyHash = false, make([]byte, 32) }), "", verify.Policy, verify.Failed, nil},
		{"unknown policy", plain(func(m *maker) { m.noPolicy, m.policy = false, "2.16.76.1.7.1.12.1.3" }), "", verify.Policy, verify.NotChecked, nil},
		{"unknown encoding", p.good(), "adbe.x509.rsa_sha1", verify.Message, verify.Failed, []string{verify.Message}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := judge(t, signed(t, tt.maker, dictionary{subFilter: tt.subFilter}), o).Signatures[0]
			if got := s.Check(tt.check); got.Outcome != tt.answer {
				t.Errorf("%+v, want %q", got, tt.answer)
			}
			if diff := cmp.Diff(tt.want, demanded(s)); diff != "" {
				t.Errorf("missed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSupersededPolicyIsNamed(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.good()
	m.policy = policy11
	r := judge(t, signed(t, m, dictionary{}), p.strict())
	if err := r.Err(); err != nil {
		t.Fatalf("Err = %v", err)
	}
	const want = "AD-RB PAdES 1.1 is superseded by AD-RB PAdES 1.3"
	if got := r.Signatures[0].Check(verify.Policy).Detail; got != want {
		t.Errorf("detail = %q, want %q", got, want)
	}
}

// TestPolicyOfThePastKnowsNoCurves: the versions before 2025 allow RSA alone.
func TestPolicyOfThePastKnowsNoCurves(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := maker{key: p.curve, cert: p.joao, others: p.pki.Chain, algorithm: "1.2.840.10045.4.3.2", policy: policy11}
	o := p.strict()
	o.Signer = p.joao
	if got := demanded(judge(t, signed(t, m, dictionary{}), o).Signatures[0]); !cmp.Equal(got, []string{verify.Policy}) {
		t.Errorf("missed %v, want the policy", got)
	}
}

func TestForbiddenEntries(t *testing.T) {
	t.Parallel()
	p := cast(t)
	r := judge(t, signed(t, p.good(), dictionary{entries: "/Cert<00>"}), p.strict())
	if got := demanded(r.Signatures[0]); !cmp.Equal(got, []string{verify.ForbiddenAttributes}) {
		t.Errorf("missed %v, want forbidden attributes", got)
	}
}

func TestClaimedTime(t *testing.T) {
	t.Parallel()
	p := cast(t)
	inside := p.good()
	inside.extra = [][]byte{signingTime()}
	tests := []struct {
		name    string
		maker   maker
		entries string
		want    time.Time
	}{
		{"none", p.good(), "", time.Time{}},
		{"of the dictionary", p.good(), "/M(D:20261129090000-03'00')", now},
		{"in UTC", p.good(), "/M(D:20261129120000Z)", now},
		{"in UTC at length", p.good(), "/M(D:20261129120000Z00'00')", now},
		{"in UTF-16", p.good(), "/M<FEFF0044003A00320030003200360031003100320039>", now.Truncate(24 * time.Hour)},
		{"unreadable", p.good(), "/M(yesterday)", time.Time{}},
		{"beyond the years of JSON", p.good(), "/M(D:99991231235959-01'00')", time.Time{}},
		{"of the attributes, which are signed", inside, "/M(D:20200101)", now},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := judge(t, signed(t, tt.maker, dictionary{entries: tt.entries}), p.strict()).Signatures[0].Time
			if tt.want.IsZero() != (got == nil) || got != nil && !got.Equal(tt.want) {
				t.Errorf("time = %v, want %v", got, tt.want)
			}
		})
	}
}

func signingTime() []byte { return attribute(idSigningTime, tlv(0x17, []byte("261129120000Z"))) }

func hash13Bytes() []byte {
	m := maker{}
	id := m.policyID()
	return id[len(id)-32:]
}

// swap replaces one run of bytes by another of the same length.
func swap(from, to []byte) func([]byte) []byte {
	return func(der []byte) []byte { return bytes.Replace(der, from, to, 1) }
}

func manyOf(cert *x509.Certificate, n int) []*x509.Certificate {
	out := make([]*x509.Certificate, n)
	for i := range out {
		out[i] = cert
	}
	return out
}
