package profile

import (
	"regexp"
	"strings"
	"unicode"
)

// Seal is what a reader sees of a PDF signature: a text, an image or both, in a rectangle on one page. Lengths are in
// points, 72 to an inch, on the page as it is displayed: turned upright and cut to its visible box, whose lower left
// corner is the origin. Where Signature.Field names a field with a place of its own, that place counts.
type Seal struct {
	Page          int     // 1 is the first, -1 the last
	Left, Bottom  float64 // of the rectangle's lower left corner
	Width, Height float64

	// Text may be any; {name} in it stands for who signed and {time} for when. Empty is a text that says both.
	Text string

	// Image is a PNG or JPEG file at s3://bucket/key, or empty.
	Image string
}

const (
	lastPage    = -1
	maxPage     = 1 << 20 // far more than any document of the size that is taken in has
	maxLength   = 14400   // the longest side that a page of a PDF may have
	maxSealText = 1000    // characters
)

var placeholderForm = regexp.MustCompile(`\{[^{}]*\}`)

// placeholders are what a seal's text may ask for.
var placeholders = strings.NewReplacer("{name}", "", "{time}", "")

var sealRules = []rule{
	{229, "Signature:Seal", func(p Profile) bool { return p.Signature.Seal != nil && p.Format != Pades },
		"is only for the format Pades", "remove it, or set Format to Pades"},
	{230, "Signature:Seal:Page", seal(func(s Seal) bool { return s.Page != lastPage && (s.Page < 1 || s.Page > maxPage) }),
		"is not a page", "set 1 for the first page, 2 for the next and so on, or -1 for the last"},
	{231, "Signature:Seal:Left", seal(func(s Seal) bool { return !within(s.Left) }), badPlace, givePlace},
	{231, "Signature:Seal:Bottom", seal(func(s Seal) bool { return !within(s.Bottom) }), badPlace, givePlace},
	{232, "Signature:Seal:Width", badSide(func(s Seal) float64 { return s.Width }), badLength, giveLength},
	{232, "Signature:Seal:Height", badSide(func(s Seal) float64 { return s.Height }), badLength, giveLength},
	{233, "Signature:Seal:Text", seal(func(s Seal) bool { return tooLong(s.Text, maxSealText) || hasControls(s.Text) }),
		"is longer than 1000 characters, or has control characters besides line breaks", "shorten it, or leave it out for the usual text"},
	{234, "Signature:Seal:Text", seal(func(s Seal) bool { return placeholderForm.MatchString(placeholders.Replace(s.Text)) }),
		"has something in braces that does not exist", "use {name} for who signed and {time} for when, and no other braces"},
	{235, "Signature:Seal:Image", seal(func(s Seal) bool { return s.Image != "" && !isObject(s.Image) }),
		"is not s3://bucket/key", "put the PNG or JPEG file into a bucket and set its place as s3://bucket/key, or leave it out"},
}

// Sentences of these rules.
const (
	badPlace   = "is not a place on a page"
	givePlace  = "set 0 to 14400 points from the lower left corner of the page as it is displayed"
	badLength  = "is missing or not a length"
	giveLength = "set more than 0 and at most 14400 points; only where Signature:Field names a field that has a place may both be left out"
)

func seal(broken func(Seal) bool) func(Profile) bool {
	return func(p Profile) bool { return p.Signature.Seal != nil && broken(*p.Signature.Seal) }
}

// badSide lets a seal in a named field leave out its size, both sides or none.
func badSide(side func(Seal) float64) func(Profile) bool {
	return func(p Profile) bool {
		s := p.Signature.Seal
		if s == nil || p.Signature.Field != "" && s.Width == 0 && s.Height == 0 {
			return false
		}
		return !within(side(*s)) || side(*s) == 0
	}
}

// within is false for what is not a number too.
func within(points float64) bool { return points >= 0 && points <= maxLength }

func hasControls(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' })
}
