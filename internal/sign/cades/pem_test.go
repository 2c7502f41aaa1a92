package cades_test

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/cades"
)

func textOf(message []byte) *io.SectionReader {
	return cades.PEM(io.NewSectionReader(bytes.NewReader(message), 0, int64(len(message))))
}

func TestPEM(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 3, 47, 48, 49, 95, 96, 97, 24 << 10, 100_001} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			message := noise(size)
			sameBytes(t, textOf(message), pem.EncodeToMemory(&pem.Block{Type: "PKCS7", Bytes: message}))
		})
	}
	content := noise(100_000)
	judge(t, all(t, textOf(mustSign(t, content, world.RSA, nil))), content, "PEM")
}

func TestReadingPEM(t *testing.T) {
	t.Parallel()
	content := noise(150_000)
	message := inBER(berShapes(content)["uneven"])
	usual := string(all(t, textOf(message)))
	body := strings.TrimSuffix(strings.TrimPrefix(usual, "-----BEGIN PKCS7-----\n"), "-----END PKCS7-----\n")
	cut := func(s string) string { // into lines of all lengths
		var out strings.Builder
		for n := 1; s != ""; n = n%97 + 1 {
			n := min(n, len(s))
			out.WriteString(s[:n] + " \t\r\n")
			s = s[n:]
		}
		return out.String()
	}
	bare := strings.ReplaceAll(body, "\n", "")
	texts := map[string]string{
		"usual":         usual,
		"CRLF":          strings.ReplaceAll(usual, "\n", "\r\n"),
		"CMS":           strings.ReplaceAll(usual, "PKCS7", "CMS"),
		"old label":     strings.ReplaceAll(usual, "PKCS7", "PKCS #7 SIGNED DATA"),
		"white space":   "\r\n \t" + usual + "\n\n",
		"no last break": strings.TrimSpace(usual),
		"one line":      "-----BEGIN CMS-----\n" + bare + "\n-----END CMS-----",
		"ragged":        "-----BEGIN CMS-----\n" + cut(bare) + "-----END CMS-----",
		"a large gap":   "-----BEGIN CMS-----\n" + bare[:70_001] + strings.Repeat("\n", 100_000) + bare[70_001:] + "\n-----END CMS-----",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := strings.NewReader(text)
			if kind, err := cades.Inspect(file, file.Size()); kind != cades.Attached || err != nil {
				t.Errorf("Inspect = %v, %v, want Attached", kind, err)
			}
			d, err := cades.PrepareCoSign(file, file.Size(), options(t, world.RSA))
			if err != nil {
				t.Fatal(err)
			}
			sameBytes(t, d.Content(), content)
			judge(t, mustCoSign(t, []byte(text), world.RSA, nil), content, "DER")
		})
	}
}

func TestDamagedPEM(t *testing.T) {
	t.Parallel()
	usual := string(all(t, textOf(inBER(tlv(0x04, noise(1000))))))
	end := strings.Index(usual, "-----END")
	texts := map[string]string{
		"no last line":          usual[:end],
		"half a last line":      usual[:len(usual)-5],
		"another last line":     strings.Replace(usual, "END PKCS7", "END CMS", 1),
		"something after it":    usual + "x",
		"much after it":         usual + strings.Repeat("\n", 2000) + "x",
		"two of them":           usual + usual,
		"a strange letter":      usual[:200] + "*" + usual[201:],
		"a letter is missing":   usual[:200] + usual[201:],
		"padding in the middle": usual[:200] + "=" + usual[201:],
		"too much padding":      usual[:end-1] + "====\n" + usual[end:],
		"nothing in it":         "-----BEGIN CMS-----\n-----END CMS-----\n",
		"headers":               strings.Replace(usual, "\n", "\nProc-Type: 4\n\n", 1),
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := coSign(t, []byte(text), world.RSA, nil); !errors.Is(err, fault.CMSMalformed) {
				t.Errorf("PrepareCoSign = %v, want %s", err, fault.CMSMalformed)
			}
		})
	}
}
