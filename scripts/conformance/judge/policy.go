package judge

import (
	"context"
	"crypto"
	"encoding/base64"
	"fmt"

	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/said"
)

// policy checks what AD-RB demands a signature to say about itself, in the words of openssl and xmllint.
func (e *Env) policy(ctx context.Context, c *Case) error {
	if c.Format == profile.Xades {
		return xmlPolicy(ctx, c)
	}
	signature, _, err := e.parts(ctx, c)
	if err != nil {
		return err
	}
	text, ok, err := run(ctx, "openssl", "asn1parse", "-inform", "DER", "-in", signature)
	if err != nil {
		return err
	}
	if !ok && c.Format != profile.Pades { // a signature in a PDF is followed by zeros, on which asn1parse stumbles
		return fmt.Errorf("asn1parse: %s", said.First(text))
	}
	want, strict := said.CAdES, false
	if c.Format == profile.Pades {
		want, strict = said.PAdES, true
	}
	return want.CMS(text, strict)
}

func xmlPolicy(ctx context.Context, c *Case) error {
	text, ok, err := run(ctx, "xmllint", "--nonet", "--huge", "--xpath", said.Properties, c.Signed)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("xmllint: %s", said.First(text))
	}
	return said.XAdES.XML(text, func(algorithm string) string {
		h, known := map[string]crypto.Hash{
			"http://www.w3.org/2001/04/xmlenc#sha256": crypto.SHA256,
			"http://www.w3.org/2001/04/xmlenc#sha512": crypto.SHA512,
		}[algorithm]
		if !known {
			return ""
		}
		sum := h.New()
		sum.Write(c.Certificate.Raw)
		return base64.StdEncoding.EncodeToString(sum.Sum(nil))
	})
}
