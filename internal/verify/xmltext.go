package verify

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"bulksigner/internal/fault"
)

// maxXML is how long a document may be: it is held in memory, in UTF-8 and as a tree. It is 5 MiB, which is what sign
// takes, and room for the signatures that were made of it.
const maxXML = 6 << 20

var errXMLSize = fault.New(fault.XMLTooLarge, "an XML document is read up to 6 MiB only")

func badXML(format string, args ...any) error { return fault.New(fault.XMLMalformed, format, args...) }

func badEncoding(format string, args ...any) error {
	return fault.New(fault.XMLEncodingUnsupported, format, args...)
}

// xmlText is a document in UTF-8, which remembers where its characters were.
type xmlText struct {
	text  []byte
	size  int64 // of the file
	mark  int64 // bytes before the text
	width func(r rune) int64

	stations []int64 // where every stationGap-th byte of the text was, if that is not simply where it is
}

const stationGap = 4096

// decodeXML turns a document into UTF-8: from UTF-8 itself, from UTF-16 with a byte-order mark, or from Latin-1 that is
// declared. Characters that XML does not allow are refused, and so is an encoding that readers disagree on.
func decodeXML(document []byte) (*xmlText, error) {
	if len(document) > maxXML {
		return nil, errXMLSize
	}
	t := &xmlText{text: document, size: int64(len(document))}
	wide, err := t.unwrap()
	if err != nil {
		return nil, err
	}
	declared, err := declaredEncoding(t.text)
	if err != nil {
		return nil, err
	}
	switch {
	case wide && declared != "" && declared != "UTF-16":
		return nil, badEncoding("the document is in UTF-16 and declares another encoding")
	case wide || declared == "" || declared == "UTF-8":
	case t.mark > 0:
		return nil, badEncoding("the document has the mark of UTF-8 and declares another encoding")
	case declared == "US-ASCII":
		if bytes.ContainsFunc(t.text, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return nil, badXML("the document is not in ASCII, which it declares")
		}
	case declared == "ISO-8859-1":
		if err := t.fromLatin1(); err != nil {
			return nil, err
		}
	default:
		return nil, badEncoding("XML is read in UTF-8, in UTF-16 with a byte-order mark, and in ISO-8859-1")
	}
	return t, checkCharacters(t.text)
}

// unwrap takes a byte-order mark off and reports whether the document is in UTF-16.
func (t *xmlText) unwrap() (wide bool, err error) {
	switch {
	case bytes.HasPrefix(t.text, []byte(byteOrderMark)):
		t.mark = int64(len(byteOrderMark))
		t.text = t.text[len(byteOrderMark):]
		return false, nil
	case bytes.HasPrefix(t.text, []byte{0xFF, 0xFE}):
		return true, t.fromUTF16(1, 0)
	case bytes.HasPrefix(t.text, []byte{0xFE, 0xFF}):
		return true, t.fromUTF16(0, 1)
	}
	return false, nil
}

// fromUTF16 takes the places of the higher and the lower byte of a unit.
func (t *xmlText) fromUTF16(high, low int) error {
	if len(t.text)%2 != 0 {
		return badXML("the document is in UTF-16 and ends within a character")
	}
	units := make([]uint16, 0, len(t.text)/2)
	for i := 2; i < len(t.text); i += 2 {
		units = append(units, uint16(t.text[i+high])<<8|uint16(t.text[i+low]))
	}
	out := make([]byte, 0, len(t.text))
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if utf16.IsSurrogate(r) {
			if i+1 == len(units) {
				return badXML("the document is in UTF-16 and has half a character")
			}
			i++
			if r = utf16.DecodeRune(r, rune(units[i])); r == utf8.RuneError {
				return badXML("the document is in UTF-16 and has half a character")
			}
		}
		out = utf8.AppendRune(out, r)
	}
	t.text, t.mark = out, 2
	t.width = func(r rune) int64 { return 2 * int64(utf16.RuneLen(r)) }
	return nil
}

// fromLatin1 refuses the bytes that browsers and others take for characters of Windows.
func (t *xmlText) fromLatin1() error {
	out := make([]byte, 0, len(t.text)+len(t.text)/8)
	for _, b := range t.text {
		if b >= 0x80 && b < 0xA0 {
			return badXML("the document has a byte that is no letter of ISO-8859-1, which it declares")
		}
		out = utf8.AppendRune(out, rune(b))
	}
	t.text = out
	t.width = func(rune) int64 { return 1 }
	return nil
}

// declaredEncoding reads the XML declaration, if there is one, and returns the encoding in upper case.
func declaredEncoding(text []byte) (string, error) {
	if !bytes.HasPrefix(text, []byte("<?xml")) || len(text) < 6 || !isXMLSpace(text[5]) {
		return "", nil
	}
	m := xmlDeclaration.FindSubmatch(text[:min(len(text), 256)])
	switch {
	case m == nil:
		return "", badXML("the XML declaration cannot be read")
	case string(m[1]) != `"1.0"` && string(m[1]) != `'1.0'`:
		return "", badXML("the document is not in XML 1.0")
	}
	return string(bytes.ToUpper(bytes.Trim(m[2], `"'`))), nil
}

// checkCharacters holds the text to the characters of XML (XML 1.0, section 2.2).
func checkCharacters(text []byte) error {
	for i := 0; i < len(text); {
		if b := text[i]; b < utf8.RuneSelf {
			if b < ' ' && !isXMLSpace(b) {
				return badXML("the document has a character that XML does not allow")
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return badXML("the document is not in the encoding that it is said to be in")
		}
		if !isXMLCharacter(r) {
			return badXML("the document has a character that XML does not allow")
		}
		i += n
	}
	return nil
}

// offset is where in the file a byte of the text was.
func (t *xmlText) offset(at int32) int64 {
	if t.width == nil {
		return t.mark + int64(at)
	}
	if t.stations == nil {
		t.layStations()
	}
	n := int(at) / stationGap
	return t.stations[n] + t.measure(t.text[n*stationGap:at])
}

// layStations makes looking up a place cost little, however many are looked up.
func (t *xmlText) layStations() {
	at := t.mark
	for i := 0; i <= len(t.text); i += stationGap {
		t.stations = append(t.stations, at)
		at += t.measure(t.text[i:min(i+stationGap, len(t.text))])
	}
}

// measure counts each character where it begins, so that a part can begin within one.
func (t *xmlText) measure(text []byte) (n int64) {
	for _, b := range text {
		switch {
		case b < utf8.RuneSelf:
			n += t.width(rune(b))
		case b >= 0xF0:
			n += t.width(0x10000)
		case utf8.RuneStart(b):
			n += t.width(0x100)
		}
	}
	return n
}
