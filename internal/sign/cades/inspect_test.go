package cades_test

import (
	"bytes"
	"encoding/pem"
	"errors"
	"io"
	"slices"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/cades"
)

func TestInspect(t *testing.T) {
	t.Parallel()
	content := noise(100_000)
	attached, beside := mustSign(t, content, world.RSA, nil), mustSign(t, content, world.RSA, detached)
	text := func(label string, b []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: label, Bytes: b}) }
	signed := func(algorithms, content []byte) []byte {
		return tlv(0x30, oidSigned, tlv(0xA0, tlv(0x30, []byte{2, 1, 1}, tlv(0x31, algorithms), content, tlv(0x31))))
	}
	sha := tlv(0x30, oidSHA256)
	damaged := bytes.Clone(attached)
	damaged[bytes.Index(damaged, oidSigned)+len(oidSigned)] = 0xA1
	tests := []struct {
		name string
		file []byte
		want cades.Kind
		code fault.Code
	}{
		{"nothing", nil, cades.Plain, ""},
		{"one byte", []byte("0"), cades.Plain, ""},
		{"text", []byte("0 is how a sequence begins"), cades.Plain, ""},
		{"with its content", attached, cades.Attached, ""},
		{"without its content", beside, cades.Detached, ""},
		{"both in PEM", text("PKCS7", attached), cades.Attached, ""},
		{"in PEM without its content", text("CMS", beside), cades.Detached, ""},
		{"in BER", inBER(open(0x24, chunked(content, func() int { return 1000 })...)), cades.Attached, ""},
		{"in BER without its content", open(0x30, oidSigned, open(0xA0, open(0x30, []byte{2, 1, 1}, open(0x31, sha), open(0x30, oidData), open(0x31)))), cades.Detached, ""},
		{"a certificate", world.RSA.Certificate.Raw, cades.Plain, ""},
		{"a certificate in PEM", text("CERTIFICATE", world.RSA.Certificate.Raw), cades.Plain, ""},
		{"PEM of something else", text("CMS", []byte("something else")), cades.Plain, ""},
		{"a bag of certificates", signed(nil, tlv(0x30, oidData)), cades.Plain, ""},
		{"a time-stamp token", signed(sha, tlv(0x30, oidToken, tlv(0xA0, tlv(0x04, []byte("token"))))), cades.Plain, ""},
		{"a structure", signed(sha, tlv(0x30, oidData, tlv(0xA0, tlv(0x30, []byte{5, 0})))), cades.Plain, ""},
		{"enveloped data", tlv(0x30, append(oidData[:10:10], 3), tlv(0xA0, []byte{5, 0})), cades.Plain, ""},
		{"cut off in the content", attached[:200], cades.Plain, fault.CMSMalformed},
		{"damaged", damaged, cades.Plain, fault.CMSMalformed},
		{"type alone", tlv(0x30, oidSigned), cades.Plain, fault.CMSMalformed},
		{"version missing", tlv(0x30, oidSigned, tlv(0xA0, tlv(0x30, tlv(0x31)))), cades.Plain, fault.CMSMalformed},
		{"type missing", signed(sha, tlv(0x30)), cades.Plain, fault.CMSMalformed},
		{"length of length 9", slices.Concat([]byte{0x30, 0x89, 0, 0, 0, 0, 0, 0, 0, 1, 0}, oidSigned), cades.Plain, fault.CMSMalformed},
		{"length beyond all", slices.Concat([]byte{0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, oidSigned), cades.Plain, fault.CMSMalformed},
		{"nested without end", slices.Concat([]byte{0x30, 0x80}, oidSigned, []byte{0xA0, 0x80, 0x30, 0x80, 2, 1, 1}, bytes.Repeat([]byte{0x31, 0x80}, 10_000)), cades.Plain, fault.CMSMalformed},
		{"open and primitive", open(0x30, oidSigned, []byte{0xA0, 0x80, 0x30, 0x80, 2, 0x80}), cades.Plain, fault.CMSMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := cades.Inspect(bytes.NewReader(tt.file), int64(len(tt.file)))
			if got != tt.want || fault.CodeOf(err) != tt.code {
				t.Errorf("Inspect = %v, %v, want %v, %q", got, err, tt.want, tt.code)
			}
		})
	}
}

// flaky is a file of which one read fails.
type flaky struct {
	io.ReaderAt
	left *int
}

var errDisk = errors.New("the disk is on fire")

func (f flaky) ReadAt(p []byte, off int64) (int, error) {
	if *f.left--; *f.left < 0 {
		return 0, errDisk
	}
	return f.ReaderAt.ReadAt(p, off)
}

// TestReaderFails lets every read fail in turn: the error comes through, and never looks like a damaged file.
func TestReaderFails(t *testing.T) {
	t.Parallel()
	content := noise(200_000)
	der := mustSign(t, content, world.ECDSA, nil)
	files := map[string][]byte{
		"DER": der, "BER": inBER(berShapes(content)["uneven"]), "PEM": all(t, textOf(der)),
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := 0; ; n++ {
				left := n
				err := readAll(t, flaky{bytes.NewReader(file), &left}, int64(len(file)))
				if err == nil {
					break
				}
				if !errors.Is(err, errDisk) || fault.CodeOf(err) != fault.Internal {
					t.Fatalf("read %d fails: %v, want the reader's error", n, err)
				}
			}
		})
	}
}

func readAll(t *testing.T, file io.ReaderAt, size int64) error {
	if _, err := cades.Inspect(file, size); err != nil {
		return err
	}
	d, err := cades.PrepareCoSign(file, size, options(t, world.RSA))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, d.Content())
	return err
}

// TestShortFile has a file that is shorter than it was said to be.
func TestShortFile(t *testing.T) {
	t.Parallel()
	der := mustSign(t, noise(70_000), world.ECDSA, nil)
	for _, file := range [][]byte{der, all(t, textOf(der))} {
		for n := 0; n < len(file); n += 4999 {
			err := readAll(t, bytes.NewReader(file[:n]), int64(len(file)))
			if err != nil && !errors.Is(err, fault.CMSMalformed) {
				t.Errorf("%d of %d bytes: %v, want %s", n, len(file), err, fault.CMSMalformed)
			}
			if _, err := cades.PrepareCoSign(bytes.NewReader(file[:n]), int64(len(file)), options(t, world.RSA)); err == nil {
				t.Errorf("%d of %d bytes are accepted", n, len(file))
			}
		}
	}
}
