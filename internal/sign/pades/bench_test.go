package pades_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"runtime"
	"runtime/debug"
	"testing"

	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/signtest"
)

// remembered answers at once what the key once answered, so that a benchmark measures our own work. That the same digest
// comes again is no chance: a document that does not change has the same signed attributes.
type remembered struct {
	crypto.Signer
	digest, signature []byte
}

func (r *remembered) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if r.digest == nil {
		sig, err := r.Signer.Sign(rand.Reader, digest, opts)
		r.digest, r.signature = bytes.Clone(digest), sig
		return sig, err
	}
	if !bytes.Equal(r.digest, digest) {
		return nil, errors.New("this is not the digest that was signed")
	}
	return r.signature, nil
}

func BenchmarkSign100kB(b *testing.B) {
	d := signtest.OnePage("", "")
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(i * i >> 7)
	}
	d.Stream(4, "", noise)
	doc := d.Table(root).Bytes()
	seal := &pades.Seal{Page: 1, Width: 100, Height: 40, Image: logo(b)}
	for _, key := range []struct {
		name string
		key  crypto.Signer
		seal *pades.Seal
	}{
		{"stub", &remembered{Signer: world.RSA.Key}, nil},
		{"RSA-2048", world.RSA.Key, nil},
		{"stub and seal", &remembered{Signer: world.RSA.Key}, seal},
	} {
		b.Run(key.name, func(b *testing.B) {
			o := options(b, world.RSA)
			o.Seal = key.seal
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				h := sha256.New()
				h.Write(doc)
				p, err := pades.Prepare(bytes.NewReader(doc), int64(len(doc)), o)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Sign(h, key.key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// sparse is a file with a gap of zeros in it, which takes no memory.
type sparse struct {
	head, tail []byte
	gap        int64
}

func (s sparse) size() int64 { return int64(len(s.head)) + s.gap + int64(len(s.tail)) }

// ReadAt implements io.ReaderAt.
func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		switch at := off + int64(i); {
		case at < int64(len(s.head)):
			p[i] = s.head[at]
		case at < int64(len(s.head))+s.gap:
			p[i] = 0
		case at < s.size():
			p[i] = s.tail[at-int64(len(s.head))-s.gap]
		default:
			return i, io.EOF
		}
	}
	return len(p), nil
}

// large is a document with a stream of that many zeros. Its table comes in objects' worth of entries.
func large(gap int64, objects int) sparse {
	d := signtest.OnePage("", "")
	at := d.Len()
	d.Raw(fmt.Sprintf("4 0 obj\n<</Length %d>>\nstream\n", gap))
	s := sparse{head: d.Bytes(), gap: gap}
	offset := func(num int) int64 {
		if num == 4 {
			return int64(at)
		}
		return int64(bytes.Index(s.head, fmt.Appendf(nil, "%d 0 obj", num)))
	}
	var tail bytes.Buffer
	tail.WriteString("\nendstream\nendobj\n")
	start := int64(len(s.head)) + gap + int64(tail.Len())
	fmt.Fprintf(&tail, "xref\n0 %d\n0000000000 65535 f \n", objects)
	for num := 1; num < objects; num++ {
		fmt.Fprintf(&tail, "%010d 00000 n \n", offset(min(num, 4)))
	}
	fmt.Fprintf(&tail, "trailer\n<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n", objects, root, start)
	s.tail = tail.Bytes()
	return s
}

// signSparse prepares and signs a large document, the original of which was hashed before.
func signSparse(tb testing.TB, s sparse, h hash.Hash, o pades.Options) {
	tb.Helper()
	p, err := pades.Prepare(s, s.size(), o)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := p.Sign(h, world.RSA.Key); err != nil {
		tb.Fatal(err)
	}
}

// allocated runs work without garbage collection. What it allocates in all is more than it can hold at any time.
func allocated(work func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// BenchmarkSign100MB leaves hashing out: it is the caller's, who does it while the document passes by.
func BenchmarkSign100MB(b *testing.B) {
	s := large(100<<20, 10)
	o := options(b, world.RSA)
	var most uint64
	for b.Loop() {
		most = max(most, allocated(func() { signSparse(b, s, sha256.New(), o) }))
	}
	b.ReportMetric(float64(most)/(1<<20), "peak-MiB")
}

// TestMemoryDoesNotFollowSize runs alone: it measures memory.
func TestMemoryDoesNotFollowSize(t *testing.T) {
	o := options(t, world.RSA)
	tests := []struct {
		name string
		doc  sparse
	}{
		{"100 MB", large(100<<20, 10)},
		{"8 GB", large(8<<30, 10)},
		{"half a million objects", large(1<<20, 500_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			used := allocated(func() { signSparse(t, tt.doc, sha256.New(), o) })
			if used > 2<<20 {
				t.Errorf("signing allocated %d KiB, want at most 2 MiB", used>>10)
			}
			t.Logf("%d KiB", used>>10)
		})
	}
}
