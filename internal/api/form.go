package api

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"unicode"
	"unicode/utf8"

	"bulksigner/internal/fault"
)

// Limits of what a file says of itself.
const (
	maxFileName  = 255 // bytes: what file systems take, and what leaves room in a key
	maxMediaType = 255
)

// parseForm reads a multipart body with one part, called file. Another part is refused: a profile that is meant by one
// and ignored would sign with the wrong key.
func parseForm(b []byte, boundary string) (incoming, error) {
	r := multipart.NewReader(bytes.NewReader(b), boundary)
	part, err := r.NextRawPart()
	if err == io.EOF {
		return incoming{}, fault.New(fault.RequestInvalid, "the form has no part called file")
	}
	if err != nil {
		return incoming{}, fault.Wrap(fault.RequestInvalid, err, "the form cannot be read")
	}
	f, err := parsePart(part)
	if err != nil {
		return incoming{}, err
	}
	// Only the last boundary says that the file is whole. It gives EOF itself; a missing one gives an error around EOF.
	switch _, err := r.NextRawPart(); err {
	case io.EOF:
		return f, nil
	case nil:
		return incoming{}, fault.New(fault.RequestInvalid, "the form may have one part only, called file")
	default:
		return incoming{}, fault.Wrap(fault.RequestInvalid, err, "the form ends early")
	}
}

// parsePart reads the part itself. Part.FileName would cut a folder off the name: it is refused instead.
func parsePart(part *multipart.Part) (incoming, error) {
	kind, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil || kind != "form-data" || params["name"] != "file" {
		return incoming{}, fault.New(fault.RequestInvalid, "the form may have one part only, called file")
	}
	switch strings.ToLower(part.Header.Get("Content-Transfer-Encoding")) {
	case "", "binary", "7bit", "8bit":
	default:
		return incoming{}, fault.New(fault.RequestInvalid, "the file's part must not be encoded")
	}
	content, err := io.ReadAll(part) // the body is in memory and has its limit
	if err != nil {
		return incoming{}, fault.Wrap(fault.RequestInvalid, err, "the form ends early")
	}
	return incoming{name: params["filename"], contentType: mediaType(part.Header.Get("Content-Type")), content: content}, nil
}

// mediaType returns s if it is a media type that can stand in a header, or the type of unknown bytes.
func mediaType(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxMediaType || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return binary
	}
	if kind, _, err := mime.ParseMediaType(s); err != nil || !strings.Contains(kind, "/") {
		return binary
	}
	return s
}

// checkName refuses a name that cannot be used as it is; nothing is cut off or replaced. Dots alone would be a folder to
// whoever normalises a URL, and the replacement character says that something was lost on the way.
func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return fault.New(fault.UploadInvalidName, "the file has no name")
	case len(name) > maxFileName:
		return fault.New(fault.UploadInvalidName, "the file's name has more than %d bytes", maxFileName)
	case !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError) || strings.ContainsFunc(name, unicode.IsControl):
		return fault.New(fault.UploadInvalidName, "the file's name has characters that are not text")
	case name == "." || name == ".." || strings.ContainsAny(name, `/\`):
		return fault.New(fault.UploadInvalidName, "the file's name must not have a folder in it")
	}
	return nil
}
