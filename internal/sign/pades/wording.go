package pades

import (
	"crypto/x509"
	"regexp"
	"strings"
	"time"
	"unicode"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades/typeface"
)

// What a seal says if it is not told.
const (
	sealSays     = "Assinado digitalmente por\n{name}"
	sealSaysWhen = "\nData: {time}"
)

// sealText fills in what the text of a seal leaves open.
func (o *Options) sealText(text string) (string, error) {
	if text == "" {
		if text = sealSays; !o.Time.IsZero() {
			text += sealSaysWhen
		}
	}
	name, when := signerName(o.Certificate), formatTime(o.Time)
	if name == "" {
		name = o.Name
	}
	for _, open := range []struct{ key, value string }{{"{name}", name}, {"{time}", when}} {
		if open.value == "" && strings.Contains(text, open.key) {
			return "", fault.New(fault.SettingsInvalid, "the text of the seal wants %s, and there is none", open.key)
		}
	}
	return strings.NewReplacer("{name}", name, "{time}", when).Replace(text), nil
}

// holderNumber is the CPF or CNPJ at the end of the common names of many certificates.
var holderNumber = regexp.MustCompile(`:\s*([0-9]{11}|[0-9A-Z]{12}[0-9]{2})\s*$`)

func signerName(c *x509.Certificate) string {
	return strings.TrimSpace(holderNumber.ReplaceAllString(c.Subject.CommonName, ""))
}

// formatTime writes a time as Brazilians do, in its own zone.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("02/01/2006 15:04:05 -07:00")
}

// char is a character and its shape.
type char struct {
	r     rune
	glyph typeface.Glyph
}

// replacement stands for what the font does not have.
const replacement = '\uFFFD'

// shape turns a text into the characters of its lines. The font has accented letters as one character, so that marks are
// joined to the letters before them.
func shape(font *typeface.Font, text string) [][]char {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ").Replace(text)
	lines := [][]char{nil}
	for _, r := range text {
		last := len(lines) - 1
		line := lines[last]
		switch {
		case r == '\n':
			lines = append(lines, nil)
			continue
		case unicode.Is(unicode.Cf, r):
			continue // it shows nothing by itself; what it asks for, such as another direction, is not given
		}
		if n := len(line); n > 0 {
			if joined, ok := join(line[n-1].r, r); ok {
				r, line = joined, line[:n-1]
			}
		}
		lines[last] = append(line, shapeOf(font, r))
	}
	return lines
}

func shapeOf(font *typeface.Font, r rune) char {
	g, ok := font.Glyph(r)
	if !ok {
		r = replacement
		g, _ = font.Glyph(r)
	}
	return char{r, g}
}

// joins are letters, each followed by itself with a mark: those of Latin-1, and so all of Portuguese.
var joins = map[rune]string{
	'\u0300': "AÀEÈIÌOÒUÙaàeèiìoòuù",
	'\u0301': "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyý",
	'\u0302': "AÂEÊIÎOÔUÛaâeêiîoôuû",
	'\u0303': "AÃNÑOÕaãnñoõ",
	'\u0308': "AÄEËIÏOÖUÜaäeëiïoöuüyÿ",
	'\u030A': "AÅaå",
	'\u0327': "CÇcç",
}

func join(letter, mark rune) (rune, bool) {
	for pairs := []rune(joins[mark]); len(pairs) > 0; pairs = pairs[2:] {
		if pairs[0] == letter {
			return pairs[1], true
		}
	}
	return 0, false
}
