package cades_test

import (
	"bytes"
	"encoding/asn1"
	"errors"
	"slices"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/cms"
)

// rawSigners are the signatures of a message as they are encoded.
func rawSigners(t testing.TB, message []byte) [][]byte {
	t.Helper()
	var outer cms.ContentInfo
	var sd struct {
		Version      int
		Algorithms   asn1.RawValue
		Content      asn1.RawValue
		Certificates asn1.RawValue   `asn1:"optional,tag:0"`
		CRLs         asn1.RawValue   `asn1:"optional,tag:1"`
		Signers      []asn1.RawValue `asn1:"set"`
	}
	if _, err := asn1.Unmarshal(message, &outer); err != nil {
		t.Fatal(err)
	}
	if _, err := asn1.Unmarshal(outer.Content.Bytes, &sd); err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, s := range sd.Signers {
		out = append(out, s.FullBytes)
	}
	return out
}

func TestCoSignTwice(t *testing.T) {
	t.Parallel()
	content := noise(100_000)
	ids := identities(t)
	first := mustSign(t, content, ids[0], nil)
	second := mustCoSign(t, first, ids[1], sha512)
	third := mustCoSign(t, second, ids[2], nil)
	judge(t, second, content, "DER")
	judge(t, third, content, "DER")

	for _, before := range slices.Concat(rawSigners(t, first), rawSigners(t, second)) {
		if !slices.ContainsFunc(rawSigners(t, third), func(b []byte) bool { return bytes.Equal(b, before) }) {
			t.Error("an earlier signature is not there as it was")
		}
	}
	sd := read(t, third)
	if len(sd.SignerInfos) != 3 || len(sd.DigestAlgorithms) != 2 || sd.Version != 1 {
		t.Errorf("there are %d signatures and %d digests in version %d, want 3, 2, 1", len(sd.SignerInfos), len(sd.DigestAlgorithms), sd.Version)
	}
	if got, want := len(sd.Certificates), len(ids)+len(world.PKI.Chain); got != want {
		t.Errorf("there are %d certificates, want %d", got, want)
	}
}

// TestSameSignerAgain does not count a signature twice that is the same to the byte, as those of RSA are.
func TestSameSignerAgain(t *testing.T) {
	t.Parallel()
	content := []byte("content")
	message := mustSign(t, content, world.RSA, nil)
	if again := mustCoSign(t, message, world.RSA, nil); !bytes.Equal(again, message) {
		t.Errorf("there are %d signatures, want the message as it was", len(read(t, again).SignerInfos))
	}
	other := mustCoSign(t, message, world.RSA, sha512)
	if n := len(read(t, other).SignerInfos); n != 2 {
		t.Errorf("there are %d signatures with another digest, want 2", n)
	}
	judge(t, other, content, "DER")
}

// TestChangedContent shows that all signatures are judged.
func TestChangedContent(t *testing.T) {
	t.Parallel()
	content := noise(1000)
	message := mustCoSign(t, mustSign(t, content, world.RSA, nil), world.ECDSA, nil)
	message[bytes.Index(message, content)]++
	_, said, ok := openSSL(t, map[string][]byte{"message": message}, "cms", "-verify", "-cades", "-inform", "DER", "-in", "message",
		"-CAfile", world.RootFile(), "-purpose", "any", "-out", "content")
	if ok {
		t.Errorf("openssl accepts a changed content: %s", said)
	}
}

// TestForeign adds signatures to messages that openssl made.
func TestForeign(t *testing.T) {
	t.Parallel()
	der := []string{"-outform", "DER", "-nodetach", "-cades"}
	tests := []struct {
		name    string
		args    []string
		version int
		place   bool // the content lies in the file as it is
	}{
		{"DER", der, 1, true},
		{"indefinite lengths", append(der, "-stream"), 1, false},
		{"PEM", []string{"-outform", "PEM", "-nodetach", "-cades"}, 1, false},
		{"PEM with indefinite lengths", []string{"-outform", "PEM", "-nodetach", "-cades", "-stream"}, 1, false},
		{"without certificates", append(der, "-nocerts"), 1, true},
		{"of another type", append(der, "-econtent_type", "1.3.6.1.4.1.99999.1"), 3, true},
	}
	content := noise(70_000)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			message := byOpenSSL(t, content, world.ECDSA, tt.args...)
			d, err := cades.PrepareCoSign(bytes.NewReader(message), int64(len(message)), options(t, world.RSA))
			if err != nil {
				t.Fatal(err)
			}
			if at, ok := d.Place(); ok != tt.place || ok && !bytes.Equal(message[at:at+int64(len(content))], content) {
				t.Errorf("Place = %d, %v, want %v", at, ok, tt.place)
			}
			if got := all(t, d.Content()); !bytes.Equal(got, content) {
				t.Errorf("the content is another one, of %d bytes", len(got))
			}
			more := []string{}
			if tt.name == "without certificates" {
				more = []string{"-certfile", certificateFile(t, world.ECDSA)}
			}
			signed := mustCoSign(t, message, world.RSA, nil)
			judge(t, signed, content, "DER", more...)
			if v := read(t, signed).Version; v != tt.version {
				t.Errorf("the version is %d, want %d", v, tt.version)
			}
			judge(t, mustCoSign(t, signed, world.ECDSA, sha512), content, "DER", more...)
		})
	}
}

// parts are what a message can be put together from, to get shapes that nobody at hand makes.
type parts struct{ certificates, revocations, signers [][]byte }

func (p parts) message(content []byte) []byte { return message(p.fields(content)) }

// fields is what a SignedData of them consists of.
func (p parts) fields(content []byte) []byte {
	sd := slices.Concat([]byte{2, 1, 1}, tlv(0x31, tlv(0x30, oidSHA256)), tlv(0x30, oidData, tlv(0xA0, tlv(0x04, content))))
	if p.certificates != nil {
		sd = append(sd, tlv(0xA0, p.certificates...)...)
	}
	if p.revocations != nil {
		sd = append(sd, tlv(0xA1, p.revocations...)...)
	}
	return append(sd, tlv(0x31, p.signers...)...)
}

// message wraps up what a SignedData consists of.
func message(contents ...[]byte) []byte {
	return tlv(0x30, oidSigned, tlv(0xA0, tlv(0x30, contents...)))
}

// TestVersion has all that decides the version of a SignedData (RFC 5652, section 5.1).
func TestVersion(t *testing.T) {
	t.Parallel()
	own := rawSigners(t, mustSign(t, []byte("x"), world.ECDSA, nil))
	tagged := func(tag byte) [][]byte { return [][]byte{tlv(tag, []byte{5, 0})} }
	byKey := [][]byte{tlv(0x30, []byte{2, 1, 3}, tlv(0x80, []byte("key")))}
	tests := []struct {
		name string
		p    parts
		want byte
	}{
		{"nobody yet", parts{}, 1},
		{"plain", parts{signers: own}, 1},
		{"revocation list", parts{signers: own, revocations: tagged(0x30)}, 1},
		{"named by key identifier", parts{signers: byKey}, 3},
		{"attribute certificate of the first version", parts{certificates: tagged(0xA1)}, 3},
		{"attribute certificate", parts{certificates: append(tagged(0xA1), tagged(0xA2)...), signers: byKey}, 4},
		{"other certificate", parts{certificates: tagged(0xA3)}, 5},
		{"other revocation", parts{revocations: tagged(0xA1)}, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			signed := mustCoSign(t, tt.p.message([]byte("x")), world.RSA, nil)
			i := bytes.Index(signed, oidSigned) + len(oidSigned)
			version := bytes.Index(signed[i:], []byte{2, 1}) + 2
			if got := signed[i+version]; got != tt.want {
				t.Errorf("the version is %d, want %d", got, tt.want)
			}
			for _, kept := range slices.Concat(tt.p.certificates, tt.p.revocations, tt.p.signers) {
				if !bytes.Contains(signed, kept) {
					t.Errorf("%x is not there any more", kept)
				}
			}
		})
	}
}

func TestCoSignRefused(t *testing.T) {
	t.Parallel()
	content := []byte("content")
	sound := mustSign(t, content, world.ECDSA, nil)
	many := make([][]byte, 1025)
	for i := range many {
		many[i] = []byte{0x30, 0}
	}
	tests := []struct {
		name    string
		message []byte
		want    fault.Code
	}{
		{"without its content", mustSign(t, content, world.ECDSA, detached), fault.CMSDetached},
		{"with empty content", parts{}.message(nil), fault.CMSEmpty},
		{"no message", []byte("content"), fault.CMSMalformed},
		{"nothing", nil, fault.CMSMalformed},
		{"cut off", sound[:len(sound)-1], fault.CMSMalformed},
		{"with something after it", append(bytes.Clone(sound), 0), fault.CMSMalformed},
		{"crowded", parts{certificates: many}.message(content), fault.JobInputTooLarge},
		{"with a lot besides", parts{revocations: [][]byte{tlv(0x30, make([]byte, cades.MaxExtras))}}.message(content), fault.JobInputTooLarge},
		{"with a signature that is none", parts{signers: [][]byte{{0x30, 2, 5, 0}}}.message(content), fault.CMSMalformed},
		{"with something more", tlv(0x30, oidSigned, tlv(0xA0, tlv(0x30, parts{}.fields(content))), []byte{5, 0}), fault.CMSMalformed},
		{"with something more inside", message(parts{}.fields(content), []byte{5, 0}), fault.CMSMalformed},
		{"with something in the content", inBER(open(0x24, tlv(0x04, content), tlv(0x0C, content))), fault.CMSMalformed},
		{"with pieces in pieces in pieces", inBER(bytes.Repeat([]byte{0x24, 0x80}, 100)), fault.CMSMalformed},
		{"with a nameless algorithm", bytes.Replace(sound, tlv(0x31, tlv(0x30, oidSHA256)), slices.Concat([]byte{0x31, 13, 0x30, 0, 4, 9}, oidSHA256[2:]), 1), fault.CMSMalformed},
		{"with an algorithm that is none", bytes.Replace(sound, tlv(0x31, tlv(0x30, oidSHA256)), tlv(0x31, tlv(0x04, oidSHA256)), 1), fault.CMSMalformed},
		{"of no type", message([]byte{2, 1, 1}, tlv(0x31), tlv(0x30, []byte{6, 0}, tlv(0xA0, tlv(0x04, content))), tlv(0x31)), fault.CMSMalformed},
		{"with a long tag", message([]byte{2, 1, 1}, tlv(0x31), tlv(0x30, oidData, tlv(0xA0, tlv(0x04, content))), []byte{0xBF, 0x81, 0x01, 0}), fault.CMSMalformed},
		{"with an empty signature", parts{signers: [][]byte{{0x30, 0}}}.message(content), fault.CMSMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := coSign(t, tt.message, world.RSA, nil); !errors.Is(err, tt.want) {
				t.Errorf("PrepareCoSign = %v, want %s", err, tt.want)
			}
		})
	}
}
