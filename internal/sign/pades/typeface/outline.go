package typeface

import (
	"iter"
	"slices"
)

// Flags of a part of a composite outline (ISO 14496-22, 5.3.3).
const (
	wordArguments    = 1 << 0
	haveScale        = 1 << 3
	moreParts        = 1 << 5
	haveTwoScales    = 1 << 6
	haveMatrix       = 1 << 7
	haveInstructions = 1 << 8
)

const outlineHeader = 10 // number of contours, and the bounds

// components goes through the parts of a composite outline. A part begins with its flags and the number of its glyph.
func components(outline table) iter.Seq[table] {
	return func(yield func(table) bool) {
		if outline.i16(0) >= 0 {
			return // a simple one
		}
		for rest := outline.from(outlineHeader); len(rest) >= 4; {
			flags := rest.u16(0)
			size := partSize(flags)
			if !yield(rest.first(size)) || flags&moreParts == 0 {
				return
			}
			rest = rest.from(size)
		}
	}
}

func partSize(flags int) int {
	size := 6
	if flags&wordArguments != 0 {
		size += 2
	}
	switch {
	case flags&haveScale != 0:
		size += 2
	case flags&haveTwoScales != 0:
		size += 4
	case flags&haveMatrix != 0:
		size += 8
	}
	return size
}

// withoutInstructions returns an outline without what fits it to the pixels of a coarse screen, which is most of its bytes.
// In a composite one it comes last and its flags are left to the caller; in a simple one it stands between contours and
// points.
func withoutInstructions(outline table) table {
	if len(outline) < outlineHeader {
		return nil
	}
	contours := outline.i16(0)
	if contours < 0 {
		end := outlineHeader
		for part := range components(outline) {
			end += len(part)
		}
		return outline.first(end)
	}
	at := outlineHeader + 2*contours
	size := outline.u16(at)
	return slices.Concat(outline.first(at), table{0, 0}, outline.from(at+2+size))
}
