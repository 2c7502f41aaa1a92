package cades_test

import (
	"bytes"
	"io"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/cades"
)

func seed(f *testing.F) {
	content := noise(3000)
	der := mustSign(f, content, world.ECDSA, nil)
	f.Add(der)
	f.Add(mustSign(f, content, world.ECDSA, detached))
	f.Add(mustCoSign(f, der, world.RSA, nil))
	f.Add(all(f, textOf(der)))
	f.Add([]byte("-----BEGIN CMS-----\nMAoGCSqGSIb3DQEHAg==\n-----END CMS-----\n"))
	for _, shape := range [][]byte{
		open(0x24, chunked(content, func() int { return 100 })...),
		tlv(0x24, chunked(content, func() int { return 700 })...),
		open(0x24, open(0x24, tlv(0x04, content), []byte{4, 0})),
	} {
		f.Add(inBER(shape))
		f.Add(all(f, textOf(inBER(shape))))
	}
	f.Add(parts{certificates: [][]byte{{0xA3, 2, 5, 0}}, revocations: [][]byte{{0xA1, 0}}, signers: [][]byte{{0x30, 3, 2, 1, 3}}}.message(content))
}

// coded holds that whatever is wrong with a file has a code.
func coded(t *testing.T, err error) {
	t.Helper()
	if err != nil && fault.CodeOf(err) == fault.Internal {
		t.Errorf("an error without a code: %v", err)
	}
}

// FuzzInspect looks for files that make Inspect panic or fail without a code.
func FuzzInspect(f *testing.F) {
	seed(f)
	o := options(f, world.ECDSA)
	f.Fuzz(func(t *testing.T, file []byte) {
		kind, err := cades.Inspect(bytes.NewReader(file), int64(len(file)))
		coded(t, err)
		if err != nil && kind != cades.Plain {
			t.Errorf("Inspect = %v with %v", kind, err)
		}
		_, err = cades.PrepareCoSign(bytes.NewReader(file), int64(len(file)), o)
		if err == nil && kind != cades.Attached {
			t.Errorf("PrepareCoSign accepts what is %v to Inspect", kind)
		}
	})
}

// FuzzCoSign looks for messages that make PrepareCoSign panic, hold too much or fail without a code, and for accepted ones
// whose signed version is not accepted again with all that was in it.
func FuzzCoSign(f *testing.F) {
	seed(f)
	o := options(f, world.ECDSA)
	f.Fuzz(func(t *testing.T, file []byte) {
		var d *cades.CoDocument
		var err error
		used := allocated(func() { d, err = cades.PrepareCoSign(bytes.NewReader(file), int64(len(file)), o) })
		if most := 1<<20 + 64*uint64(len(file)); used > most {
			t.Errorf("%d bytes took %d", len(file), used)
		}
		if coded(t, err); err != nil {
			return
		}
		content, err := io.ReadAll(d.Content())
		if err != nil {
			t.Fatalf("the content of an accepted message cannot be read: %v", err)
		}
		if at, ok := d.Place(); ok && !bytes.HasPrefix(file[at:], content) {
			t.Error("the content is not where Place says")
		}
		signed := mustCoSign(t, file, world.ECDSA, nil)
		again, err := cades.PrepareCoSign(bytes.NewReader(signed), int64(len(signed)), o)
		if err != nil {
			t.Fatalf("the signed message is refused: %v", err)
		}
		if got := all(t, again.Content()); !bytes.Equal(got, content) {
			t.Errorf("the signed message has a content of %d bytes, not the one of %d", len(got), len(content))
		}
		twice := mustCoSign(t, signed, world.RSA, nil)
		if len(twice) < len(signed) {
			t.Errorf("a message of %d bytes has %d when it is signed again", len(signed), len(twice))
		}
	})
}
