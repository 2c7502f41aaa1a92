package pades

import (
	"math"

	"bulksigner/internal/sign/pades/typeface"
)

// Sizes that a seal's text may have, in points, and how far apart its lines are, in sizes.
const (
	largestText  = 12.0
	readableText = 8.0 // a line is broken rather than written smaller
	smallText    = 6.0 // a word is broken rather than written smaller
	smallestText = 4.0
	textStep     = 0.25
	leading      = 1.2
)

// paragraph is a text that was broken into lines.
type paragraph struct {
	font  *typeface.Font
	size  float64
	split bool // words, too, may be broken
	lines [][]char
}

// fit sets a text as large as it fits, with lines and then words broken where that makes it readable, and reports whether
// it fits.
func fit(font *typeface.Font, text [][]char, width, height float64) (paragraph, bool) {
	for _, try := range []struct {
		least, wrap float64
		split       bool
	}{{readableText, math.Inf(1), false}, {smallText, width, false}, {smallestText, width, true}} {
		for size := largestText; size >= try.least; size -= textStep {
			p := paragraph{font: font, size: size, split: try.split}
			for _, line := range text {
				p.wrap(line, try.wrap)
			}
			if p.width() <= width && p.height() <= height {
				return p, true
			}
		}
	}
	return paragraph{}, false
}

// scaled turns a measure of the font into points.
func (p *paragraph) scaled(n int) float64 { return float64(n) * p.size / float64(p.font.UnitsPerEm()) }

// height is from the top of the first line to the bottom of the last.
func (p *paragraph) height() float64 {
	return p.scaled(p.font.Ascent()-p.font.Descent()) + float64(len(p.lines)-1)*leading*p.size
}

// width is that of the longest line.
func (p *paragraph) width() (longest float64) {
	for _, line := range p.lines {
		longest = max(longest, p.measure(line))
	}
	return longest
}

func (p *paragraph) measure(line []char) float64 {
	sum := 0
	for _, c := range line {
		sum += p.font.Advance(c.glyph)
	}
	return p.scaled(sum)
}

// wrap adds a line, broken where it becomes too long. Spaces at a break are not shown.
func (p *paragraph) wrap(line []char, width float64) {
	for {
		n := p.first(line, width)
		shown := line[:n]
		for len(shown) > 0 && shown[len(shown)-1].r == ' ' {
			shown = shown[:len(shown)-1]
		}
		p.lines = append(p.lines, shown)
		for line = line[n:]; len(line) > 0 && line[0].r == ' '; {
			line = line[1:]
		}
		if len(line) == 0 {
			return
		}
	}
}

// first returns how many characters go on one line: up to the last space before it becomes too long. A word that is too
// long by itself is broken or, if words are not, a line of its own.
func (p *paragraph) first(line []char, width float64) int {
	sum, space := 0, 0
	for i, c := range line {
		sum += p.font.Advance(c.glyph)
		switch {
		case c.r == ' ':
			space = i + 1
		case p.scaled(sum) > width && space > 0:
			return space
		case p.scaled(sum) > width && p.split:
			return max(i, 1)
		}
	}
	return len(line)
}
