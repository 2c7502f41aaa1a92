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
		sentence{"is only for the format Pades", "vale só para o formato Pades"},
		sentence{"remove it, or set Format to Pades", "remova o bloco, ou defina Format como Pades"}},
	{230, "Signature:Seal:Page", seal(func(s Seal) bool { return s.Page != lastPage && (s.Page < 1 || s.Page > maxPage) }),
		sentence{"is not a page", "não é uma página"},
		sentence{"set 1 for the first page, 2 for the next and so on, or -1 for the last",
			"defina 1 para a primeira página, 2 para a seguinte e assim por diante, ou -1 para a última"}},
	{231, "Signature:Seal:Left", seal(func(s Seal) bool { return !within(s.Left) }), badPlace, givePlace},
	{231, "Signature:Seal:Bottom", seal(func(s Seal) bool { return !within(s.Bottom) }), badPlace, givePlace},
	{232, "Signature:Seal:Width", badSide(func(s Seal) float64 { return s.Width }), badLength, giveLength},
	{232, "Signature:Seal:Height", badSide(func(s Seal) float64 { return s.Height }), badLength, giveLength},
	{233, "Signature:Seal:Text", seal(func(s Seal) bool { return tooLong(s.Text, maxSealText) || hasControls(s.Text) }),
		sentence{"is longer than 1000 characters, or has control characters besides line breaks",
			"tem mais de 1000 caracteres ou contém caracteres de controle além de quebras de linha"},
		sentence{"shorten it, or leave it out for the usual text", "use um texto mais curto, ou omita o campo para ter o texto usual"}},
	{234, "Signature:Seal:Text", seal(func(s Seal) bool { return placeholderForm.MatchString(placeholders.Replace(s.Text)) }),
		sentence{"has something in braces that does not exist", "tem entre chaves algo que não existe"},
		sentence{"use {name} for who signed and {time} for when, and no other braces",
			"use {name} para quem assinou e {time} para quando, e nenhuma outra palavra entre chaves"}},
	{235, "Signature:Seal:Image", seal(func(s Seal) bool { return s.Image != "" && !isObject(s.Image) }),
		sentence{"is not s3://bucket/key", "não é s3://bucket/key"},
		sentence{"put the PNG or JPEG file into a bucket and set its place as s3://bucket/key, or leave it out",
			"ponha o arquivo PNG ou JPEG em um bucket e informe o lugar como s3://bucket/key, ou omita o campo"}},
}

// Sentences of these rules.
var (
	badPlace  = sentence{"is not a place on a page", "não é um lugar em uma página"}
	givePlace = sentence{"set 0 to 14400 points from the lower left corner of the page as it is displayed",
		"defina de 0 a 14400 pontos a partir do canto inferior esquerdo da página como ela é exibida"}
	badLength  = sentence{"is missing or not a length", "está ausente ou não é um comprimento"}
	giveLength = sentence{"set more than 0 and at most 14400 points; only where Signature:Field names a field that has a place may both be left out",
		"defina mais de 0 e no máximo 14400 pontos; as duas medidas só podem ser omitidas onde Signature:Field indica um campo que já tem lugar"}
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
