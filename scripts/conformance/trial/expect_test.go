package trial_test

import (
	"errors"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/corpus"
	"bulksigner/scripts/conformance/judge"
	"bulksigner/scripts/conformance/signing"
	"bulksigner/scripts/conformance/trial"
)

// tools are two judges of maths, one of structure, our own, and one for another format.
func tools(missing ...string) []trial.Tool {
	pdf := []profile.Format{profile.Pades}
	all := []trial.Tool{
		{Judge: &judge.Judge{Name: "a", Formats: pdf, Outside: true, Maths: true}},
		{Judge: &judge.Judge{Name: "b", Formats: pdf, Outside: true, Maths: true}},
		{Judge: &judge.Judge{Name: "structure", Formats: pdf, Outside: true}},
		{Judge: &judge.Judge{Name: "ours", Formats: pdf, Maths: true}},
		{Judge: &judge.Judge{Name: "other", Formats: []profile.Format{profile.Xades}, Outside: true, Maths: true}, Missing: errors.New("not there")},
	}
	for i := range all {
		for _, m := range missing {
			if all[i].Name == m {
				all[i].Missing = errors.New("not there")
			}
		}
	}
	return all
}

func TestFaults(t *testing.T) {
	t.Parallel()
	no, unable := errors.New("no"), judge.Unable{Reason: "it cannot"}
	signed := signing.Outcome{Signed: []byte("x"), Asked: 1}
	refused := signing.Outcome{Refused: fault.PDFEncrypted, Detail: "encrypted"}
	tests := []struct {
		name     string
		entry    corpus.Entry
		outcome  signing.Outcome
		opinions map[string]error
		altered  bool
		missing  []string
		want     string // what the faults say, with semicolons between them
	}{
		{name: "all approve", outcome: signed},
		{name: "either, signed", entry: corpus.Entry{Verdict: corpus.Either}, outcome: signed},
		{name: "one complains", outcome: signed, opinions: map[string]error{"a": no}, want: "a: no; 1 outside judges approve, want 2"},
		{name: "structure complains", outcome: signed, opinions: map[string]error{"structure": no}, want: "structure: no"},
		{name: "ours complains", outcome: signed, opinions: map[string]error{"ours": no}, want: "ours: no"},
		{name: "one abstains", outcome: signed, opinions: map[string]error{"b": unable}, want: "1 outside judges approve, want 2"},
		{name: "structure abstains", outcome: signed, opinions: map[string]error{"structure": unable}},
		{name: "one is not there", outcome: signed, missing: []string{"a"}},
		{name: "the key is asked twice", outcome: signing.Outcome{Signed: []byte("x"), Asked: 2}, want: "the key is asked 2 times"},
		{name: "signed against the verdict", entry: corpus.Entry{Verdict: corpus.Refuse}, outcome: signed, want: "it is signed"},
		{name: "refused", entry: corpus.Entry{Verdict: corpus.Refuse}, outcome: refused},
		{name: "refused with the code", entry: corpus.Entry{Verdict: corpus.Refuse, Note: "pdf.encrypted: x"}, outcome: refused},
		{name: "either, refused", entry: corpus.Entry{Verdict: corpus.Either}, outcome: refused},
		{name: "refused with another code", entry: corpus.Entry{Verdict: corpus.Refuse, Note: "pdf.malformed: x"}, outcome: refused,
			want: "it is refused with pdf.encrypted, not pdf.malformed"},
		{name: "refused against the verdict", outcome: refused, want: "it is refused: encrypted"},
		{name: "failed", entry: corpus.Entry{Verdict: corpus.Refuse}, outcome: signing.Outcome{Refused: fault.Internal, Detail: "broken"}, want: "it is refused: broken"},
		{name: "refused too late", entry: corpus.Entry{Verdict: corpus.Refuse}, outcome: signing.Outcome{Refused: fault.PDFEncrypted, Asked: 1},
			want: "the key is asked 1 times before the refusal"},
		{name: "altered, noticed", outcome: signed, altered: true, opinions: map[string]error{"a": no, "b": no, "ours": no}},
		{name: "altered, not noticed", outcome: signed, altered: true, opinions: map[string]error{"a": no, "ours": no}, want: "b does not notice that the document was altered"},
		{name: "altered, one not there", outcome: signed, altered: true, opinions: map[string]error{"a": no, "ours": no}, missing: []string{"b"}},
		{name: "a control that is refused", outcome: refused, altered: true, want: "it is refused: encrypted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.entry.Verdict == "" {
				tt.entry.Verdict = corpus.Sign
			}
			r := &trial.Row{Entry: tt.entry, Form: signing.Form{Format: profile.Pades}, Outcome: tt.outcome, Opinions: tt.opinions, Altered: tt.altered}
			if got := strings.Join(trial.Faults(r, tools(tt.missing...)), "; "); got != tt.want {
				t.Errorf("Faults = %q, want %q", got, tt.want)
			}
		})
	}
}
