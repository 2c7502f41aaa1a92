package verify

import (
	"math"
	"time"

	"bulksigner/internal/icpbrasil"
)

// How a PDF names the encodings of its signatures.
const (
	subFilterETSI      = "ETSI.CAdES.detached"
	subFilterPBAD      = "PBAD.PAdES"
	subFilterPKCS7     = "adbe.pkcs7.detached"
	subFilterTimestamp = "ETSI.RFC3161"
)

// span is what a signature says it covers: [0, from) and [to, end) of the file.
type span struct{ from, to, end int64 }

// placed is a signature dictionary, read.
type placed struct {
	located
	subFilter string
	contents  pdfString
	span      span
	spanFault string // why the span is no good; empty if it is
	claimed   *time.Time
	forbidden []string // entries that PAdES AD-RB does not allow
}

// read takes out of a dictionary what a signature consists of. Any value may stand behind a reference.
func (p *pdf) read(at located) (placed, error) {
	s := placed{located: at}
	values := make(map[name]object)
	for _, key := range []name{"SubFilter", "Type", "Contents", "ByteRange", "M"} {
		v, err := p.resolve(at.dict.get(key), 0)
		if err != nil {
			return s, err
		}
		values[key] = v
	}
	subFilter, _ := values["SubFilter"].(name)
	s.subFilter = clip(string(subFilter))
	s.contents, _ = values["Contents"].(pdfString)
	if m, ok := values["M"].(pdfString); ok {
		if t, ok := m.date(); ok {
			s.claimed = claimed(t)
		}
	}
	for _, key := range []name{"Cert", "R", "Prop_AuthType"} {
		if at.dict.get(key) != nil {
			s.forbidden = append(s.forbidden, string(key))
		}
	}
	numbers, err := p.integers(values["ByteRange"])
	if err != nil {
		return s, err
	}
	s.span, s.spanFault = p.span(numbers)
	if s.spanFault == "" {
		s.spanFault = s.gap(at.dict)
	}
	return s, nil
}

// integers reads an array of at most four integers. What is not an integer is -1, and what is no such array is nil.
func (p *pdf) integers(o object) ([]int64, error) {
	a, _ := o.(array)
	if len(a) != 4 {
		return nil, nil
	}
	out := make([]int64, len(a))
	for i := range a {
		v, err := p.resolve(a[i], 0)
		if err != nil {
			return nil, err
		}
		n, ok := v.(int64)
		if !ok {
			n = -1
		}
		out[i] = n
	}
	return out, nil
}

// span checks the numbers of a byte range against the file.
func (p *pdf) span(n []int64) (span, string) {
	if n == nil {
		return span{}, "the byte range is not four numbers"
	}
	start, first, second, length := n[0], n[1], n[2], n[3]
	switch {
	case start != 0:
		return span{}, "the byte range does not begin at the beginning of the file"
	case first <= 0 || second <= first || length < 0:
		return span{}, "the two parts of the byte range are negative, empty or overlap"
	case second > math.MaxInt64-length || second+length > p.size:
		return span{}, "the byte range goes beyond the end of the file"
	}
	return span{first, second, second + length}, ""
}

// gap checks that what the byte range leaves out is the token of this dictionary's Contents, and nothing else: bytes
// that nobody signed could hide there.
func (s placed) gap(d dict) string {
	switch {
	case d.repeated:
		return "the signature dictionary has the same entry twice"
	case !s.contents.hex || s.contents.start < 0:
		return "the signature is not a hex string that stands in the file"
	case s.contents.start != s.span.from || s.contents.end != s.span.to:
		return "the gap in the byte range is not exactly the signature's hex string"
	}
	return ""
}

// timestamp goes by the encoding alone: a signature does not get out of being judged by calling itself a time-stamp.
func (s placed) timestamp() bool { return s.subFilter == subFilterTimestamp }

// strict reports whether the encoding demands the attributes of an advanced signature.
func (s placed) strict() bool { return s.subFilter == subFilterETSI || s.subFilter == subFilterPBAD }

func (s placed) readable() bool { return s.strict() || s.subFilter == subFilterPKCS7 }

// order sorts signatures by where what they cover ends, which is the order in which they were made. One without a good
// byte range comes where it stands in the file.
func (s placed) order() int64 {
	if s.spanFault == "" {
		return s.span.end
	}
	return s.contents.end
}

func (s placed) byteRange() finding {
	if s.spanFault != "" {
		return fail("%s", s.spanFault)
	}
	return pass("")
}

// origin is where the message was found.
func (s placed) origin() origin {
	return origin{form: icpbrasil.PAdES, strict: s.strict(), detached: true, padded: true, forbiddenEntries: s.forbidden, limits: inDocument}
}
