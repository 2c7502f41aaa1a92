package judge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/said"
)

var xades = []profile.Format{profile.Xades}

func (e *Env) xmlJudges() []*Judge {
	return []*Judge{
		{Name: "xmlsec1", Formats: xades, Package: "apt-get install xmlsec1", Outside: true, Maths: true,
			Find: installed("--version", "xmlsec1"), Each: e.xmlsec},
		{Name: "java", Formats: xades, Package: "apt-get install default-jdk-headless", Outside: true, Maths: true,
			Find: e.findJava, Batch: e.java},
	}
}

// properties is how xmlsec1 names the element of the signer's properties.
const properties = "http://uri.etsi.org/01903/v1.3.2#:SignedProperties"

// xmlsec judges the last signature of a document: its references, its maths and its chain.
func (e *Env) xmlsec(ctx context.Context, c *Case) error {
	args := []string{"--verify", "--trusted-pem", e.RootFile, "--node-xpath", "(//*[local-name()='Signature'])[last()]", "--id-attr:Id", properties}
	if c.Element != "" {
		args = append(args, "--id-attr:Id", c.Element)
	}
	text, ok, err := run(ctx, "xmlsec1", append(args, c.Signed)...)
	if err != nil {
		return err
	}
	if err := said.XMLSec(text); err != nil {
		return err
	}
	if !ok {
		return errors.New("xmlsec1 ends with a failure")
	}
	return nil
}

// judgeSource is the program on the Java platform, which the tests of xades use as well.
func (e *Env) judgeSource() string {
	return filepath.Join(e.Module, "internal", "sign", "xades", "testdata", "Judge.java")
}

func (e *Env) findJava(ctx context.Context) (string, error) {
	if _, err := os.Stat(e.judgeSource()); err != nil {
		return "", err
	}
	return installed("--version", "java")(ctx)
}

// java lets the Java platform judge all signatures of all documents. It starts slowly, so that it is started once,
// and again behind a document that it dies of.
func (e *Env) java(ctx context.Context, cases []*Case) []error {
	ctx, cancel := context.WithTimeout(ctx, patience4)
	defer cancel()
	errs := make([]error, len(cases))
	for i := 0; i < len(cases); {
		rest := cases[i:]
		args := []string{"-Xshare:auto", e.judgeSource()}
		for _, c := range rest {
			args = append(args, c.Signed)
		}
		text, _, err := finish(ctx, exec.CommandContext(ctx, "java", args...))
		if err != nil {
			return append(errs[:i], failAll(rest, err)...)
		}
		opinions := said.Java(text)
		done := slices.IndexFunc(rest, func(c *Case) bool { _, said := opinions[c.Signed]; return !said })
		if done < 0 {
			done = len(rest)
		} else {
			errs[i+done] = fmt.Errorf("java dies of it: %s", said.First(text))
		}
		for n, c := range rest[:done] {
			if !opinions[c.Signed] {
				errs[i+n] = errors.New("a signature is not valid")
			}
		}
		i += done + 1
	}
	return errs
}
