package library_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bulksigner/scripts/bench/identity"
	"bulksigner/scripts/bench/library"
	"bulksigner/scripts/bench/paper"
)

func newIdentity(t *testing.T) identity.Identity {
	t.Helper()
	id, err := identity.Make(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// write makes a document of one of the forms.
func write(t *testing.T, d io.WriterTo) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "document")
	if err := paper.Write(path, d); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEverySignerSigns(t *testing.T) {
	t.Parallel()
	id := newIdentity(t)
	tests := []struct {
		signer   string
		document io.WriterTo
	}{
		{"pades", paper.PDF(100_000)},
		{"pdfsign", paper.PDF(100_000)},
		{"cades", paper.Noise(100_000)},
		{"pkcs7", paper.Noise(100_000)},
		{"xades", paper.Invoice{Size: 10_000}},
		{"xades-invoice", paper.Invoice{Size: 10_000}},
	}
	for _, tt := range tests {
		t.Run(tt.signer, func(t *testing.T) {
			t.Parallel()
			s, err := library.Named(tt.signer)
			if err != nil {
				t.Fatal(err)
			}
			in, out := write(t, tt.document), filepath.Join(t.TempDir(), "signed")
			took, err := library.Timed(s, library.Remembered(id), in, out)(t.Context(), 2)
			if err != nil || took <= 0 {
				t.Fatalf("got %s, %v", took, err)
			}
			if err := library.Check(id, out); err != nil {
				t.Error(err)
			}
			if err := library.Check(newIdentity(t), out); err == nil {
				t.Error("another root is taken for the signer's")
			}
			if err := s(id, filepath.Join(t.TempDir(), "none"), out); err == nil {
				t.Error("got no error for a document that is not there")
			}
		})
	}
}

func TestNamedKnowsWhatThereIs(t *testing.T) {
	t.Parallel()
	if _, err := library.Named("crayon"); err == nil {
		t.Error("got no error for a signer that there is not")
	}
}

func TestCheckRefusesWhatIsNotSigned(t *testing.T) {
	t.Parallel()
	id := newIdentity(t)
	for _, d := range []io.WriterTo{paper.PDF(10_000), paper.Noise(1000), paper.Invoice{Size: 1000}} {
		if err := library.Check(id, write(t, d)); err == nil {
			t.Errorf("%T: got no error", d)
		}
	}
	if err := library.Check(id, "none"); !os.IsNotExist(err) {
		t.Errorf("got %v, want that the file is not there", err)
	}
}

func TestTheKeyAloneIsTimed(t *testing.T) {
	t.Parallel()
	took, err := library.KeyAlone(newIdentity(t))(t.Context(), 1)
	if err != nil || took <= 0 {
		t.Errorf("got %s, %v", took, err)
	}
}
