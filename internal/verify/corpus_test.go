package verify_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"

	"github.com/google/go-cmp/cmp"
)

// corpus reads a file of the corpus that lies beside the repository, or skips the test.
func corpus(t testing.TB, name string) []byte {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "corpus", "pdf")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("there is no corpus beside the repository")
	}
	file, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestCorpusSignatures reads signatures of other makers.
func TestCorpusSignatures(t *testing.T) {
	t.Parallel()
	type found struct {
		Field, SubFilter, Signer string
		Whole                    bool
	}
	tests := []struct {
		file string
		at   string
		want []found
	}{
		{"signed-once.pdf", "2021-08-18", []found{{"Sig1", "ETSI.CAdES.detached", "Alice", true}}},
		{"signed-twice.pdf", "2021-01-05", []found{
			{"Sig2", "adbe.pkcs7.detached", "Lord Testerino", false},
			{"Sig1", "adbe.pkcs7.detached", "Lord Testerino", true},
		}},
		{"certified-p1.pdf", "2020-11-01", []found{{"Sig1", "adbe.pkcs7.detached", "Lord Testerino", true}}},
		{"certified-p2.pdf", "2018-03-10", []found{{"Sig1", "ETSI.CAdES.detached", "Firstname Lastname", true}}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse(time.DateOnly, tt.at)
			if err != nil {
				t.Fatal(err)
			}
			file := corpus(t, tt.file)
			r := judge(t, file, verify.Options{At: at})
			if err := r.Err(); err != nil {
				t.Errorf("Err = %v", err)
			}
			var got []found
			for _, s := range r.Signatures {
				got = append(got, found{s.Field, s.SubFilter, s.SignerName, s.CoversWholeFile})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("signatures (-want +got):\n%s", diff)
			}
			broken := judge(t, flip(file, 11), verify.Options{At: at})
			for i, s := range broken.Signatures {
				if got := s.Check(verify.MessageDigest).Outcome; got != verify.Failed {
					t.Errorf("signature %d of a changed file: the digest is %s", i, got)
				}
			}
		})
	}
}

// TestCorpusWithoutSignatures reads every kind of file; what cannot be read is refused by its code.
func TestCorpusWithoutSignatures(t *testing.T) {
	t.Parallel()
	refused := map[string]error{
		"circular-prev.pdf":                fault.PDFMalformed,
		"startxref-broken.pdf":             fault.PDFMalformed,
		"encrypted-rc4-no-password.pdf":    fault.PDFEncrypted,
		"encrypted-aes128-no-password.pdf": fault.PDFEncrypted,
		"encrypted-aes256-no-password.pdf": fault.PDFEncrypted,
	}
	corpus(t, "signed-once.pdf")
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", "pdf", "*.pdf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the corpus has no files (%v)", err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		file := corpus(t, name)
		_, err := verify.PDF(bytes.NewReader(file), int64(len(file)), verify.Options{})
		if want := refused[name]; !errors.Is(err, want) {
			t.Errorf("%s: PDF = %v, want %v", name, err, want)
		}
	}
}
