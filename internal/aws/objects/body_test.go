package objects_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"bulksigner/internal/aws/objects"
)

func TestBodyIsTheDocumentAndItsTail(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, head, tail string }{
		{"both", "the document", ", signed"},
		{"no tail", "the document", ""},
		{"no document", "", "signed"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			head := strings.NewReader(tt.head)
			if _, err := head.Seek(1, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			r, err := objects.Join(head, []byte(tt.tail))
			if err != nil {
				t.Fatal(err)
			}
			if err := iotest.TestReader(r, []byte(tt.head+tt.tail)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBodyWithoutADocument(t *testing.T) {
	t.Parallel()
	r, err := objects.Join(nil, []byte("all of it"))
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(r, []byte("all of it")); err != nil {
		t.Error(err)
	}
}

// shrinking is a document that was longer when it was measured.
type shrinking struct{ *bytes.Reader }

func (s shrinking) Seek(offset int64, whence int) (int64, error) {
	n, err := s.Reader.Seek(offset, whence)
	if whence == io.SeekEnd {
		n++
	}
	return n, err
}

func TestBodyNoticesAShorterDocument(t *testing.T) {
	t.Parallel()
	r, err := objects.Join(shrinking{bytes.NewReader([]byte("short"))}, []byte("tail"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("read %q, %v, want %v", got, err, io.ErrUnexpectedEOF)
	}
}

// stuck is a document that cannot be rewound any more.
type stuck struct {
	*bytes.Reader
	left int
}

var errStuck = errors.New("file already closed")

func (s *stuck) Seek(offset int64, whence int) (int64, error) {
	if s.left--; s.left < 0 {
		return 0, errStuck
	}
	return s.Reader.Seek(offset, whence)
}

func TestBodyOfADocumentThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if _, err := objects.Join(&stuck{}, nil); !errors.Is(err, errStuck) {
		t.Errorf("Join = %v, want %v", err, errStuck)
	}
	r, err := objects.Join(&stuck{bytes.NewReader([]byte("document")), 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 4)); !errors.Is(err, errStuck) {
		t.Errorf("Read = %v, want %v", err, errStuck)
	}
	for _, whence := range []int{io.SeekStart, 9} {
		if _, err := r.Seek(-1, whence); err == nil {
			t.Errorf("Seek(-1, %d) = nil, want an error", whence)
		}
	}
}

// FuzzBody reads and seeks as the fuzzer says, beside a plain reader of the same bytes.
func FuzzBody(f *testing.F) {
	f.Add([]byte("head"), []byte("tail"), []byte{3, 200, 1, 17, 90})
	f.Fuzz(func(t *testing.T, head, tail, steps []byte) {
		r, err := objects.Join(bytes.NewReader(head), tail)
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.NewReader(append(bytes.Clone(head), tail...))
		for _, s := range steps[:min(len(steps), 64)] {
			if s%2 == 0 {
				a, aerr := r.Seek(int64(s/6), int(s/2)%3)
				b, berr := want.Seek(int64(s/6), int(s/2)%3)
				if a != b || (aerr == nil) != (berr == nil) {
					t.Fatalf("Seek = %d, %v, want %d, %v", a, aerr, b, berr)
				}
				continue
			}
			got, expected := make([]byte, s), make([]byte, s)
			n, _ := io.ReadFull(r, got)
			m, _ := io.ReadFull(want, expected)
			if !bytes.Equal(got[:n], expected[:m]) {
				t.Fatalf("read %q, want %q", got[:n], expected[:m])
			}
		}
	})
}
