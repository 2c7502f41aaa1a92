// Command pdfcpu judges PDF files and their signatures with github.com/pdfcpu/pdfcpu.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"bulksigner/scripts/conformance/peers/wire"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

func main() { wire.Serve("github.com/pdfcpu/pdfcpu", open) }

// open makes a folder of trust anchors, since pdfcpu takes them from one.
func open(root string) (func(wire.Case) error, error) {
	api.DisableConfigDir()
	text, err := os.ReadFile(root)
	if err != nil {
		return nil, err
	}
	model.TrustedCertDir = filepath.Join(filepath.Dir(root), "pdfcpu")
	if err := os.MkdirAll(model.TrustedCertDir, 0o700); err != nil {
		return nil, err
	}
	return judge, os.WriteFile(filepath.Join(model.TrustedCertDir, "root.pem"), text, 0o600)
}

// limits are complaints of pdfcpu that are about itself, by what they contain.
var limits = map[string]string{
	"signature field dict entry V: missing": "it does not get past an empty signature field",
	"entry=F: unsupported in version 1.0":   "it knows no flags of annotations in PDF 1.0",
}

func judge(c wire.Case) error {
	if err := api.ValidateFile(c.Original, configuration()); err != nil {
		return fmt.Errorf("%w: it does not read the original either", wire.ErrUnable)
	}
	if err := api.ValidateFile(c.Signed, configuration()); err != nil {
		return limited(err)
	}
	results, err := api.ValidateSignatures(c.Signed, true, configuration())
	if err != nil {
		return limited(err)
	}
	return approve(results)
}

func limited(err error) error {
	for text, limit := range limits {
		if strings.Contains(err.Error(), text) {
			return fmt.Errorf("%w: %s", wire.ErrUnable, limit)
		}
	}
	return err
}

// approve wants one signature about which nothing is unknown but revocation, which is asked of nobody here, and none
// whose document was modified. Of other signers it does not know the anchors.
func approve(results []*model.SignatureValidationResult) error {
	good := 0
	for _, r := range results {
		switch {
		case r.DocModified == model.True:
			return fmt.Errorf("%s: %s", r.Status, r.Reason)
		case r.Reason == model.SignatureReasonCertRevocationUnknown, r.Status == model.SignatureStatusValid:
			good++
		}
	}
	if good != 1 {
		return fmt.Errorf("%d signatures are good, want 1", good)
	}
	return nil
}

func configuration() *model.Configuration {
	c := model.NewDefaultConfiguration()
	c.Offline = true
	return c
}
