package profile

import (
	"regexp"
	"strconv"
	"strings"
)

// Language is a language in which people are told what is wrong. Keys, values, codes and whatever is stored are English in
// each.
type Language string

// The languages.
const (
	English    Language = "en-US"
	Portuguese Language = "pt-BR"
)

// languages has the first part of a tag, so that whoever asks for the Portuguese of Portugal gets that of Brazil. What is
// asked for as "any" is English.
var languages = map[string]Language{"en": English, "pt": Portuguese, "*": English}

const maxAcceptLanguage = 4096 // bytes; browsers send fewer than 100

// LanguageFor chooses a language by the value of a header Accept-Language (RFC 9110, section 12.5.4): the one with the
// greatest quality, the first of equals, and English where none is asked for that there is.
func LanguageFor(accept string) Language {
	chosen, best := English, 0.0
	if len(accept) > maxAcceptLanguage {
		return chosen
	}
	for asked := range strings.SplitSeq(accept, ",") {
		tag, parameters, weighted := strings.Cut(asked, ";")
		primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		l, known := languages[primary]
		if q := quality(parameters, weighted); known && q > best {
			chosen, best = l, q
		}
	}
	return chosen
}

var qualityForm = regexp.MustCompile(`^[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*$`)

// quality is 0, which is "not at all", for what cannot be read.
func quality(parameters string, weighted bool) float64 {
	if !weighted {
		return 1
	}
	m := qualityForm.FindStringSubmatch(parameters)
	if m == nil {
		return 0
	}
	q, _ := strconv.ParseFloat(m[1], 64) // the form holds nothing that is out of range
	return q
}
