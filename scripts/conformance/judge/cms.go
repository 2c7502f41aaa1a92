package judge

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/said"
)

func (e *Env) cmsJudges() []*Judge {
	formats := []profile.Format{profile.Pades, profile.Cades}
	o := &openssl{env: e}
	return []*Judge{
		{Name: "openssl", Formats: formats, Package: "apt-get install openssl poppler-utils", Outside: true, Maths: true,
			Find: installed("version", "openssl", "pdfsig"), Each: o.judge},
		{Name: "policy", Formats: []profile.Format{profile.Pades, profile.Cades, profile.Xades},
			Package: "apt-get install openssl poppler-utils libxml2-utils", Outside: true,
			Find: installed("version", "openssl", "pdfsig", "xmllint"), Each: e.policy},
	}
}

// openssl judges a CMS signature with its chain and the certificate that the signature itself names.
type openssl struct {
	env   *Env
	cades before[bool]
}

func (o *openssl) judge(ctx context.Context, c *Case) error {
	signature, content, err := o.env.parts(ctx, c)
	if err != nil {
		return err
	}
	args := []string{"-CAfile", o.env.RootFile}
	cades := true
	if c.CoSigned {
		if args, cades, err = o.earlier(ctx, c); err != nil {
			return err
		}
	}
	return verifyCMS(ctx, signature, content, cades, o.env.file(c, "out"), args...)
}

// earlier lets the certificates of earlier signers pass, and tells whether their signatures are CAdES, which openssl
// demands of all signatures or of none.
func (o *openssl) earlier(ctx context.Context, c *Case) (args []string, cades bool, err error) {
	form, certificates := encoding(c.Original), o.env.file(c, "certificates.pem")
	if err := do(ctx, "openssl", "cms", "-cmsout", "-noout", "-in", c.Original, "-inform", form, "-certsout", certificates); err != nil {
		return nil, false, err
	}
	text, err := os.ReadFile(certificates)
	if err != nil {
		return nil, false, err
	}
	root, err := os.ReadFile(o.env.RootFile)
	if err != nil {
		return nil, false, err
	}
	anchors := o.env.file(c, "anchors.pem")
	if err := os.WriteFile(anchors, append(root, text...), 0o600); err != nil {
		return nil, false, err
	}
	args = []string{"-CAfile", anchors, "-partial_chain", "-no_check_time"}
	cades, err = o.cades.of(c.Original, func() (bool, error) {
		if verifyCMS(ctx, c.Original, "", true, o.env.file(c, "out"), append(args, "-inform", form)...) == nil {
			return true, nil
		}
		err := verifyCMS(ctx, c.Original, "", false, o.env.file(c, "out"), append(args, "-inform", form)...)
		if err != nil {
			err = Unable{"an earlier signature was not valid before either"}
		}
		return false, err
	})
	return args, cades, err
}

// verifyCMS has a message verified, and what is in it compared with what should be. The message is in DER unless args
// say otherwise.
func verifyCMS(ctx context.Context, message, content string, cades bool, out string, args ...string) error {
	args = append([]string{"cms", "-verify", "-binary", "-inform", "DER", "-in", message, "-purpose", "any", "-out", out}, args...)
	want := "CMS Verification successful"
	if cades {
		args, want = append(args, "-cades"), "CAdES Verification successful"
	}
	if content != "" {
		args = append(args, "-content", content)
	}
	text, ok, err := run(ctx, "openssl", args...)
	if err != nil {
		return err
	}
	if !ok || !strings.Contains(text, want) {
		return fmt.Errorf("%s", said.First(text))
	}
	return nil
}

// encoding tells how a message is written.
func encoding(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return "DER"
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := f.Read(head) // an empty file is no PEM
	if bytes.Contains(head[:n], []byte("-----BEGIN")) {
		return "PEM"
	}
	return "DER"
}

// parts are the files of a signature in CMS: the message, and the content if it is not inside.
func (e *Env) parts(ctx context.Context, c *Case) (signature, content string, err error) {
	if c.Format == profile.Pades {
		return e.message(ctx, c)
	}
	return c.Signed, c.Content, nil
}
