package lacuna

import (
	"mime"
	"path"
	"strings"
	"unicode"
)

// Names longer than this, in characters, are cut: Signer says nothing about how long they may be.
const (
	maxName      = 200
	maxExtension = 12
)

// shown is a name that Signer can show: never empty, without control characters, and cut in front of its extension.
func shown(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	name = strings.TrimSpace(name)
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	switch {
	case strings.Trim(stem, "/. ") == "" && len(ext) < 2:
		return "document"
	case strings.Trim(stem, "/. ") == "":
		stem = "document"
	}
	if len([]rune(ext)) > maxExtension {
		stem, ext = stem+ext, ""
	}
	return cut(stem, maxName-len([]rune(ext))) + ext
}

// cut keeps the first characters of s.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// contentType is a content type that a header can carry.
func contentType(s string) string {
	kind, parameters, err := mime.ParseMediaType(s)
	if err != nil {
		return "application/octet-stream"
	}
	if whole := mime.FormatMediaType(kind, parameters); whole != "" {
		return whole
	}
	return "application/octet-stream"
}
