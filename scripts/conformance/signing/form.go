package signing

import (
	"bytes"
	"regexp"

	"bulksigner/internal/profile"
	"bulksigner/internal/sign/cades"
)

// Form is a way to sign a document.
type Form struct {
	Format profile.Format

	// Detached leaves the content of a CAdES signature outside, CoSigned adds a signature to those that are there.
	Detached, CoSigned bool

	// Element is what a XAdES signature signs instead of the whole document.
	Element string
}

// String names the form.
func (f Form) String() string {
	switch {
	case f.Format == profile.Pades:
		return "PAdES"
	case f.Format == profile.Xades && f.Element != "":
		return "XAdES of " + f.Element
	case f.Format == profile.Xades:
		return "XAdES"
	case f.CoSigned:
		return "CAdES, co-signed"
	case f.Detached:
		return "CAdES, detached"
	}
	return "CAdES, attached"
}

// electronic matches the part of Brazilian documents that their signature refers to.
var electronic = regexp.MustCompile(`<(inf(?:NFe|Cte|MDFe|DPS|Evento))\s[^>]*\bId="`)

// Forms are the ways in which the service signs a document of a name: by its format, and by what a profile may choose.
func Forms(name string, document []byte) []Form {
	switch format := profile.FormatOf(name); format {
	case profile.Pades:
		return []Form{{Format: format}}
	case profile.Xades:
		forms := []Form{{Format: format}}
		if m := electronic.FindSubmatch(document); m != nil {
			forms = append(forms, Form{Format: format, Element: string(m[1])})
		}
		return forms
	default:
		kind, err := cades.Inspect(bytes.NewReader(document), int64(len(document)))
		if err != nil || kind != cades.Plain {
			return []Form{{Format: format, CoSigned: true}}
		}
		return []Form{{Format: format}, {Format: format, Detached: true}}
	}
}
