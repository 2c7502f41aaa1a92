package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"

	"github.com/google/go-cmp/cmp"
)

func TestGoodSignatures(t *testing.T) {
	t.Parallel()
	p := cast(t)
	ec := maker{key: p.curve, cert: p.joao, others: p.pki.Chain, algorithm: "1.2.840.10045.4.3.2"}
	oSigner := p.strict()
	oSigner.Signer = p.joao
	tests := []struct {
		name    string
		file    []byte
		options verify.Options
		signer  string
	}{
		{"classic table", signed(t, p.good(), dictionary{}), p.strict(), "MARIA DE TESTE"},
		{"cross-reference streams", newPDF(0, true).sign(t, p.good(), dictionary{}), p.strict(), "MARIA DE TESTE"},
		{"PBAD", signed(t, p.good(), dictionary{subFilter: "PBAD.PAdES"}), p.strict(), "MARIA DE TESTE"},
		{"elliptic curve", signed(t, ec, dictionary{}), oSigner, "JOAO DE TESTE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := judge(t, tt.file, tt.options)
			if err := r.Err(); err != nil {
				t.Fatalf("Err = %v", err)
			}
			s := r.Signatures[0]
			if r.Format != "PAdES" || !s.CoversWholeFile || s.Field != "Sig1" || s.SignerName != tt.signer || s.Policy != "AD-RB PAdES 1.3" {
				t.Errorf("report = %+v", r)
			}
			if got := s.Check(verify.Revocation).Outcome; got != verify.NotChecked {
				t.Errorf("revocation is %s, want not checked", got)
			}
		})
	}
}

// TestOrderOfChecks holds the names, which are part of the report's format.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	p := cast(t)
	var names []string
	for _, c := range judge(t, signed(t, p.good(), dictionary{}), p.strict()).Signatures[0].Checks {
		names = append(names, c.Name)
	}
	want := []string{"byte-range", "coverage", "cms", "der-order", "content-type", "message-digest", "signature",
		"signing-certificate", "policy", "forbidden-attributes", "key-usage", "validity", "chain", "revocation", "signer"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

// TestTamperedFiles finds each change to a file by the check that is there for it.
func TestTamperedFiles(t *testing.T) {
	t.Parallel()
	p := cast(t)
	file := signed(t, p.good(), dictionary{})
	ranges := func(format string) dictionary {
		return dictionary{byteRange: func(from, to, end int) string {
			return strings.NewReplacer("FROM-1", fmt.Sprint(from-1), "FROM+1", fmt.Sprint(from+1), "FROM", fmt.Sprint(from),
				"TO+1", fmt.Sprint(to+1), "TO", fmt.Sprint(to), "REST+1", fmt.Sprint(end-to+1), "REST-1", fmt.Sprint(end-to-1),
				"REST", fmt.Sprint(end-to)).Replace(format)
		}}
	}
	appendRevision := func() []byte {
		b := newPDF(0, false)
		b.sign(t, p.good(), dictionary{})
		b.object(4, "<</Title(Changed)>>")
		b.close()
		return b.Bytes()
	}
	lost := []string{verify.Coverage, verify.MessageDigest}
	tests := []struct {
		name string
		file []byte
		want []string
	}{
		{"a byte of the content", flip(file, bytes.Index(file, []byte("595 842"))), []string{verify.MessageDigest}},
		{"a byte of the content after the gap", flip(file, bytes.LastIndex(file, []byte("/Catalog"))+2), []string{verify.MessageDigest}},
		{"appended bytes", append(bytes.Clone(file), "more"...), []string{verify.Coverage}},
		{"an appended line", append(bytes.Clone(file), '\n'), []string{verify.Coverage}},
		{"an appended revision", appendRevision(), []string{verify.Coverage}},
		{"tabs, lines and comments in the range", signed(t, p.good(), ranges("[\t0\n%none\n FROM %%]\rTO\tREST]")), nil},
		{"zeros and signs in the range", signed(t, p.good(), ranges("[+0 000FROM 000TO +REST]")), nil},
		{"the range begins later", signed(t, p.good(), ranges("[1 FROM TO REST]")), append([]string{verify.ByteRange}, lost...)},
		{"the gap begins before the string", signed(t, p.good(), ranges("[0 FROM-1 TO REST]")), append([]string{verify.ByteRange}, lost...)},
		{"the gap leaves the bracket out", signed(t, p.good(), ranges("[0 FROM+1 TO REST]")), append([]string{verify.ByteRange}, lost...)},
		{"the gap is longer than the string", signed(t, p.good(), ranges("[0 FROM TO+1 REST-1]")), append([]string{verify.ByteRange}, lost...)},
		{"the range goes beyond the end", signed(t, p.good(), ranges("[0 FROM TO REST+1]")), append([]string{verify.ByteRange}, lost...)},
		{"the range ends before the end", signed(t, p.good(), ranges("[0 FROM TO REST-1]")), lost},
		{"three numbers", signed(t, p.good(), ranges("[0 FROM TO]")), append([]string{verify.ByteRange}, lost...)},
		{"five numbers", signed(t, p.good(), ranges("[0 FROM TO REST 1]")), append([]string{verify.ByteRange}, lost...)},
		{"a fraction", signed(t, p.good(), ranges("[0 FROM.0 TO REST]")), append([]string{verify.ByteRange}, lost...)},
		{"negative", signed(t, p.good(), ranges("[0 FROM TO -1]")), append([]string{verify.ByteRange}, lost...)},
		{"overlapping", signed(t, p.good(), ranges("[0 TO FROM REST]")), append([]string{verify.ByteRange}, lost...)},
		{"overflowing", signed(t, p.good(), ranges("[0 FROM TO 9223372036854775807]")), append([]string{verify.ByteRange}, lost...)},
		{"more than a number can hold", signed(t, p.good(), ranges("[0 FROM TO 99999999999999999999]")), append([]string{verify.ByteRange}, lost...)},
		{"no array", signed(t, p.good(), ranges("null")), append([]string{verify.ByteRange}, lost...)},
		{"two ranges", signed(t, p.good(), dictionary{entries: "/ByteRange[0 1 2 3]"}), append([]string{verify.ByteRange}, lost...)},
		{"a string in parentheses", signed(t, p.good(), dictionary{literal: true}), []string{verify.ByteRange, verify.Coverage, verify.Message}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := p.strict()
			o.Signer = nil
			r := judge(t, tt.file, o)
			got := demanded(r.Signatures[0])
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("missed (-want +got):\n%s\n%+v", diff, r)
			}
			if (r.Err() != nil) != (tt.want != nil) || tt.want != nil && !errors.Is(r.Err(), fault.JobVerifyFailed) {
				t.Errorf("Err = %v", r.Err())
			}
		})
	}
}

func flip(file []byte, at int) []byte {
	out := bytes.Clone(file)
	out[at] ^= 1
	return out
}
