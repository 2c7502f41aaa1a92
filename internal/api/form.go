package api

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"slices"
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

// parseForm reads a multipart body of files, each in a part of one of the given names. The first of the names must be
// there, and none twice. Another part is refused: a profile that is meant by one and ignored would sign with the wrong
// key.
func parseForm(b []byte, boundary string, names ...string) (map[string]incoming, error) {
	r, found := multipart.NewReader(bytes.NewReader(b), boundary), map[string]incoming{}
	for {
		part, err := r.NextRawPart()
		// Only the last boundary says that everything is there. It gives EOF itself; a missing one an error around EOF.
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fault.Wrap(fault.RequestInvalid, err, "the form cannot be read, or ends early")
		}
		name, f, err := parsePart(part)
		if err != nil {
			return nil, err
		}
		if _, twice := found[name]; twice || !slices.Contains(names, name) {
			return nil, fault.New(fault.RequestInvalid, "the form may have these parts only, once each: %s", strings.Join(names, ", "))
		}
		found[name] = f
	}
	if _, ok := found[names[0]]; !ok {
		return nil, fault.New(fault.RequestInvalid, "the form has no part called %s", names[0])
	}
	return found, nil
}

// parsePart reads a part itself, and its name. Part.FileName would cut a folder off the file's name: it is refused
// instead.
func parsePart(part *multipart.Part) (string, incoming, error) {
	kind, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil || kind != "form-data" {
		return "", incoming{}, fault.New(fault.RequestInvalid, "a part of the form does not say what it is called")
	}
	switch strings.ToLower(part.Header.Get("Content-Transfer-Encoding")) {
	case "", "binary", "7bit", "8bit":
	default:
		return "", incoming{}, fault.New(fault.RequestInvalid, "a file's part must not be encoded")
	}
	content, err := io.ReadAll(part) // the body is in memory and has its limit
	if err != nil {
		return "", incoming{}, fault.Wrap(fault.RequestInvalid, err, "the form ends early")
	}
	f := incoming{name: params["filename"], contentType: mediaType(part.Header.Get("Content-Type")), content: content}
	return params["name"], f, nil
}

// boundaryOf returns the boundary of a multipart form, if the content type is that of one.
func boundaryOf(contentType string) (string, bool) {
	kind, params, err := mime.ParseMediaType(contentType)
	return params["boundary"], err == nil && kind == "multipart/form-data" && params["boundary"] != ""
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

// turnsAround reports a mark that has a name shown otherwise than it is: "gpj.exe" after one reads "exe.jpg".
func turnsAround(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
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
	case strings.ContainsFunc(name, turnsAround):
		return fault.New(fault.UploadInvalidName, "the file's name has marks that turn the direction of writing around")
	case name == "." || name == ".." || strings.ContainsAny(name, `/\`):
		return fault.New(fault.UploadInvalidName, "the file's name must not have a folder in it")
	}
	return nil
}
