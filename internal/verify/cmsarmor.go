package verify

import (
	"bytes"
	"encoding/pem"
	"io"
	"slices"
)

// maxArmored is how long a message in PEM may be: it is held in memory, and so is what it decodes to.
const maxArmored = 32 << 20

// Why a message in PEM cannot be read.
const (
	errArmor        = flaw("the message is not well-formed PEM, or not a message alone")
	errArmoredLarge = flaw("a message in PEM is read up to 32 MiB only")
)

const armorBegin = "-----BEGIN "

// armorLabels are the names that PEM has for messages.
var armorLabels = []string{"CMS", "PKCS7", "PKCS #7 SIGNED DATA"}

// byteOrderMark may stand before text in UTF-8.
const byteOrderMark = "\xEF\xBB\xBF"

// afterSpace passes over what may stand before text.
func afterSpace(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n")
}

// beginning reads the first bytes of a file, by which its kind is known.
func beginning(file io.ReaderAt, size int64) ([]byte, error) {
	head := make([]byte, max(0, min(headerWindow, size)))
	return head, readAt(file, head, 0)
}

// unarmor decodes a message in PEM and counts the bytes that follow it. It returns nothing if the file is not in PEM.
func unarmor(file io.ReaderAt, size int64) (der []byte, rest int, err error) {
	head, err := beginning(file, size)
	if err != nil || !bytes.HasPrefix(afterSpace(head), []byte(armorBegin)) {
		return nil, 0, err
	}
	if size > maxArmored {
		return nil, 0, errArmoredLarge
	}
	text := make([]byte, size)
	if err := readAt(file, text, 0); err != nil {
		return nil, 0, err
	}
	// The decoder looks for the next block that it can read, so a second one would take the place of a broken first.
	if bytes.Count(text, []byte(armorBegin)) > 1 {
		return nil, 0, errArmor
	}
	block, after := pem.Decode(afterSpace(text))
	if block == nil || len(block.Headers) > 0 || len(block.Bytes) == 0 || !slices.Contains(armorLabels, block.Type) {
		return nil, 0, errArmor
	}
	return block.Bytes, len(bytes.TrimSpace(after)), nil
}
