package cades_test

import (
	"bytes"
	"crypto"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"

	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/signtest"
)

// repeated is a file with the same bytes many times in it, which takes no memory.
type repeated struct {
	head, unit, tail []byte
	times            int64
}

func (r repeated) size() int64 {
	return int64(len(r.head)) + int64(len(r.unit))*r.times + int64(len(r.tail))
}

// ReadAt implements io.ReaderAt.
func (r repeated) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		got := copy(p[n:], r.at(off+int64(n)))
		if n += got; got == 0 {
			return n, io.EOF
		}
	}
	return n, nil
}

// at is a piece of the file that begins at a place.
func (r repeated) at(off int64) []byte {
	if off < int64(len(r.head)) {
		return r.head[off:]
	}
	if off -= int64(len(r.head)); off < int64(len(r.unit))*r.times {
		return r.unit[off%int64(len(r.unit)):]
	}
	if off -= int64(len(r.unit)) * r.times; off < int64(len(r.tail)) {
		return r.tail[off:]
	}
	return nil
}

// around puts a message made for a short content around a long one.
func around(t testing.TB, unit []byte, times, size int64) repeated {
	t.Helper()
	d, err := cades.Prepare(size, options(t, world.RSA))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := d.Sign(crypto.SHA256.New(), world.RSA.Key)
	if err != nil {
		t.Fatal(err)
	}
	return repeated{parts.Header, unit, parts.Trailer, times}
}

// inPieces is a large message in BER.
func inPieces(unit []byte, times int64) repeated {
	whole := inBER(open(0x24, []byte("here")))
	head, tail, _ := bytes.Cut(whole, []byte("here"))
	return repeated{head, unit, tail, times}
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

// TestMemoryDoesNotFollowSize runs alone: it measures memory. What is read has its own measure, in the next test.
func TestMemoryDoesNotFollowSize(t *testing.T) {
	zeros := make([]byte, 1<<20)
	piece := tlv(0x04, zeros[:4096])
	text := append(bytes.Repeat([]byte{'A'}, 64), '\n')
	tests := []struct {
		name string
		file repeated
		most uint64
	}{
		{"1 GiB in one piece", around(t, zeros, 1<<10, 1<<30), 1 << 20},
		{"1 GiB in large pieces", inPieces(tlv(0x04, zeros[:1<<16]), 1<<14), 2 << 20},
		{"64 MiB in pieces", inPieces(piece, 1<<14), 1 << 20},
		{"5 MiB of nearly empty pieces", inPieces([]byte{4, 0, 4, 1, 7}, 1<<20), 1 << 20},
		{"8 MiB of text", repeated{[]byte("-----BEGIN CMS-----\n"), text, []byte("-----END CMS-----\n"), 1 << 17}, 1 << 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t, world.RSA)
			used := allocated(func() {
				_, err := cades.PrepareCoSign(tt.file, tt.file.size(), o)
				if (err != nil) != (tt.name == "8 MiB of text") { // which is no message, as is seen at its end
					t.Error(err)
				}
			})
			t.Logf("%d KiB", used>>10)
			if used > tt.most {
				t.Errorf("getting ready allocated %d KiB, want at most %d", used>>10, tt.most>>10)
			}
			if _, err := cades.Inspect(tt.file, tt.file.size()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMemoryOfReading reads content that is in pieces, and in pieces in text.
func TestMemoryOfReading(t *testing.T) {
	m := inPieces(tlv(0x04, make([]byte, 1000)), 2<<10)
	for _, file := range []*io.SectionReader{io.NewSectionReader(m, 0, m.size()), cades.PEM(io.NewSectionReader(m, 0, m.size()))} {
		d, err := cades.PrepareCoSign(file, file.Size(), options(t, world.RSA))
		if err != nil {
			t.Fatal(err)
		}
		var most uint64
		buffer := make([]byte, 64<<10)
		for off := int64(0); off < d.Content().Size(); off += int64(len(buffer)) {
			most = max(most, allocated(func() {
				if _, err := d.Content().ReadAt(buffer, off); err != nil && err != io.EOF {
					t.Fatal(err)
				}
			}))
		}
		if most > 2<<20 {
			t.Errorf("reading 64 KiB allocated %d KiB, want at most 2 MiB", most>>10)
		}
	}
}

// signFile signs a file into another one, hashing it in passing.
func signFile(from, to string, o cades.Options, key crypto.Signer) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	h := o.Hash.New()
	size, err := io.Copy(h, in)
	if err != nil {
		return err
	}
	d, err := cades.Prepare(size, o)
	if err != nil {
		return err
	}
	parts, err := d.Sign(h, key)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, parts.Around(in, size)); err != nil {
		return fmt.Errorf("%w (and close: %w)", err, out.Close())
	}
	return out.Close()
}

// BenchmarkSign100MB signs from file to file, hash and copy included, beside openssl doing the same.
func BenchmarkSign100MB(b *testing.B) {
	const size = 100 << 20
	from := write(b, "content", noise(size))
	to := filepath.Join(b.TempDir(), "message")
	o := options(b, world.RSA)
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(size)
		var most uint64
		for b.Loop() {
			most = max(most, allocated(func() {
				if err := signFile(from, to, o, world.RSA.Key); err != nil {
					b.Fatal(err)
				}
			}))
		}
		b.ReportMetric(float64(most)/(1<<20), "peak-MiB")
	})
	for _, more := range [][]string{nil, {"-stream"}} {
		b.Run(fmt.Sprint("openssl", more), func(b *testing.B) { benchmarkOpenSSL(b, from, to, more) })
	}
}

func benchmarkOpenSSL(b *testing.B, from, to string, more []string) {
	args := append([]string{"cms", "-sign", "-cades", "-binary", "-nodetach", "-outform", "DER", "-in", from, "-out", to,
		"-signer", certificateFile(b, world.RSA), "-inkey", keyFile(b, world.RSA)}, more...)
	tool := signtest.Tool(b, "openssl", "openssl")
	b.SetBytes(100 << 20)
	var most int64
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), tool, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("openssl: %s", out)
		}
		most = max(most, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	b.ReportMetric(float64(most)/(1<<10), "peak-MiB")
}

// BenchmarkCoSign100MB adds a signature to a large message, content in one piece and in many.
func BenchmarkCoSign100MB(b *testing.B) {
	zeros := make([]byte, 1<<20)
	der, ber := around(b, zeros, 100, 100<<20), inPieces(tlv(0x04, zeros[:1024]), 100<<10)
	section := io.NewSectionReader(ber, 0, ber.size())
	files := map[string]*io.SectionReader{"DER": io.NewSectionReader(der, 0, der.size()), "BER": section, "PEM": cades.PEM(section)}
	for name, file := range files {
		b.Run(name, func(b *testing.B) {
			o := options(b, world.RSA)
			b.SetBytes(100 << 20)
			b.ReportAllocs()
			for b.Loop() {
				d, err := cades.PrepareCoSign(file, file.Size(), o)
				if err != nil {
					b.Fatal(err)
				}
				h := o.Hash.New()
				if _, err := io.Copy(h, d.Content()); err != nil {
					b.Fatal(err)
				}
				if _, err := d.Sign(h, world.RSA.Key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
