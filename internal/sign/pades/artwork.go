package pades

import (
	"bytes"
	"fmt"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades/picture"
	"bulksigner/internal/sign/pades/typeface"
	"bulksigner/internal/sign/pdf"
)

// The colours of a seal. They are defined by themselves, as sRGB's primaries and white with a gamma close to its curve,
// because PDF/A allows device colours only where the file's output intent has the same kind: that may be CMYK, or missing.
const (
	grey  = "[/CalGray<</WhitePoint[0.9505 1 1.089]/Gamma 2.2>>]"
	color = "[/CalRGB<</WhitePoint[0.9505 1 1.089]/Gamma[2.2 2.2 2.2]" +
		"/Matrix[0.4124 0.2126 0.0193 0.3576 0.7152 0.1192 0.1805 0.0722 0.9505]>>]"
)

// artwork is what a seal shows, whatever its size.
type artwork struct {
	font    *typeface.Font
	words   string   // the text as it was given
	text    [][]char // lines, none if there is no text
	picture *picture.Picture
}

func newArtwork(text string, p *picture.Picture) (*artwork, error) {
	font, err := typeface.Regular()
	if err != nil {
		return nil, fmt.Errorf("read the font of seals: %w", err)
	}
	a := &artwork{font: font, words: text, picture: p}
	if strings.TrimSpace(text) != "" {
		a.text = shape(font, text)
	}
	return a, nil
}

// spoken is the entry of the field's dictionary that gives the text of the seal to who cannot see it.
func (a *artwork) spoken() string {
	if a.text == nil {
		return ""
	}
	return "/TU" + encodeText(strings.Join(strings.Fields(a.words), " "))
}

// drawing is an artwork that is being laid out in its rectangle.
type drawing struct {
	*artwork
	width, height float64
	margin        float64
	content       bytes.Buffer
	subset        *typeface.Subset
}

// Room of a seal: how wide its margin is, in points or parts of its shorter side, and how much of its width an image gets
// beside a text.
const (
	widestMargin = 4.0
	marginPart   = 0.1
	imagePart    = 0.4
)

// draw puts a form of a size into the section, as the object look. turned is what turns it on the page.
func (a *artwork) draw(u *pdf.Update, look pdf.Ref, width, height float64, turned string) error {
	d := drawing{artwork: a, width: width, height: height, margin: min(widestMargin, marginPart*min(width, height))}
	left := d.drawPicture()
	resources := bytes.NewBufferString("/ColorSpace<</G " + grey + ">>")
	if a.text != nil {
		if err := d.drawText(left); err != nil {
			return err
		}
		font, err := embed(u, a.font, d.subset, a.text)
		if err != nil {
			return err
		}
		fmt.Fprintf(resources, "/Font<</F %s>>", font)
	}
	if a.picture != nil {
		fmt.Fprintf(resources, "/XObject<</I %s>>", putPicture(u, a.picture))
	}
	box := pdf.Rect{X1: width, Y1: height}
	dict := fmt.Sprintf("/Type/XObject/Subtype/Form/BBox%s%s/Resources<<%s>>", box, turned, resources)
	return putStream(u, look, dict, d.content.Bytes())
}

// op writes numbers and an operator.
func (d *drawing) op(operator string, numbers ...float64) {
	for _, n := range numbers {
		d.content.Write(append(pdf.AppendNumber(nil, n), ' '))
	}
	d.content.WriteString(operator + "\n")
}

// drawPicture draws the image in the middle of its room, and returns where the room of the text begins.
func (d *drawing) drawPicture() float64 {
	p := d.picture
	if p == nil {
		return d.margin
	}
	width, height := d.width-2*d.margin, d.height-2*d.margin
	if d.text != nil {
		width *= imagePart
	}
	scale := min(width/float64(p.Width), height/float64(p.Height))
	w, h := scale*float64(p.Width), scale*float64(p.Height)
	left := d.margin
	if d.text == nil {
		left = (d.width - w) / 2
	}
	d.op("q")
	d.op("cm", w, 0, 0, h, left, (d.height-h)/2)
	d.op("/I Do")
	d.op("Q")
	return left + w + d.margin
}

// drawText writes the text into the room from left on, in the middle of the height.
func (d *drawing) drawText(left float64) error {
	width, height := d.width-d.margin-left, d.height-2*d.margin
	p, ok := fit(d.font, d.text, width, height)
	if !ok {
		return fault.New(fault.PDFSealMisplaced, "the text of the seal does not fit into %.0f by %.0f points, not even at %.0f points",
			width, height, smallestText)
	}
	d.subset = d.font.Subset(glyphs(d.text))
	d.op("/G cs")
	d.op("sc", 0)
	d.op("BT")
	d.content.WriteString("/F ")
	d.op("Tf", p.size)
	d.op("TL", leading*p.size)
	d.op("Td", left, (d.height+p.height())/2-p.scaled(d.font.Ascent()))
	for i, line := range p.lines {
		if i > 0 {
			d.op("T*")
		}
		d.writeLine(line)
	}
	d.op("ET")
	return nil
}

func (d *drawing) writeLine(line []char) {
	if len(line) == 0 {
		return
	}
	d.content.WriteByte('<')
	for _, c := range line {
		fmt.Fprintf(&d.content, "%04X", d.subset.Glyph(c.glyph))
	}
	d.op("> Tj")
}

func glyphs(lines [][]char) (out []typeface.Glyph) {
	for _, line := range lines {
		for _, c := range line {
			out = append(out, c.glyph)
		}
	}
	return out
}

// putPicture puts an image into the section.
func putPicture(u *pdf.Update, p *picture.Picture) pdf.Ref {
	space := color
	if p.Grey {
		space = grey
	}
	ref := u.New()
	dict := fmt.Appendf(nil, "<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace%s%s/Length %d>>\nstream\n",
		p.Width, p.Height, space, p.Filter, len(p.Data))
	u.Put(ref, append(append(dict, p.Data...), "\nendstream"...))
	return ref
}
