package workflow

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/verify"
)

// headBytes is how far into a file readers look for what it is; a PDF may have that much before it.
const headBytes = 1024

// kindOf tells the format that Lacuna Signer makes of a file, by what it begins with: PAdES of a PDF, XAdES of XML, CAdES
// of the rest, which a signed message is, whatever is inside.
func kindOf(file io.ReaderAt, size int64) (profile.Format, error) {
	if k, err := cades.Inspect(file, size); k != cades.Plain || errors.Is(err, fault.CMSMalformed) {
		return profile.Cades, nil
	} else if err != nil {
		return profile.Auto, fmt.Errorf("read the beginning: %w", err)
	}
	head := make([]byte, min(size, headBytes))
	if n, err := file.ReadAt(head, 0); n < len(head) && !errors.Is(err, io.EOF) {
		return profile.Auto, fmt.Errorf("read the beginning: %w", err)
	}
	switch {
	case verify.BeginsLikeXML(head):
		return profile.Xades, nil
	case bytes.Contains(head, []byte("%PDF-")):
		return profile.Pades, nil
	}
	return profile.Cades, nil
}
