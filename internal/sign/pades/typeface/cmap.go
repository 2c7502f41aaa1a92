package typeface

// unicode returns the part of a table cmap that goes from the characters of the basic plane to glyphs (format 4 of
// ISO 14496-22, 5.2.1), or nothing.
func unicode(cmap table) table {
	const microsoft, bmp, apple, segments = 3, 1, 0, 4
	for i := range min(cmap.u16(2), maxTables) {
		record := cmap.from(4 + 8*i)
		platform, encoding := record.u16(0), record.u16(2)
		part := cmap.from(int(record.u32(4)))
		if part.u16(0) == segments && (platform == microsoft && encoding == bmp || platform == apple) {
			return part
		}
	}
	return nil
}

// Glyph returns the shape of a character, and whether the font has it.
func (f *Font) Glyph(r rune) (Glyph, bool) {
	if r < 0 || r > 0xFFFF {
		return 0, false
	}
	// Four arrays of the same length, with two bytes between the first and the second.
	ends := f.cmap.from(14)
	size := f.cmap.u16(6)
	starts, deltas, offsets := ends.from(size+2), ends.from(2*size+2), ends.from(3*size+2)
	for at := 0; at < size; at += 2 {
		if ends.u16(at) < int(r) {
			continue
		}
		return f.inSegment(r, starts.u16(at), deltas.u16(at), offsets.from(at))
	}
	return 0, false
}

// inSegment looks a character up in the first segment that ends at it or after it. A segment counts its glyphs from the
// character, or has an offset, seen from where the offset stands, to a list of them.
func (f *Font) inSegment(r rune, start, delta int, offset table) (Glyph, bool) {
	if int(r) < start {
		return 0, false
	}
	n := int(r)
	if list := offset.u16(0); list != 0 {
		if n = offset.u16(list + 2*(int(r)-start)); n == 0 {
			return 0, false
		}
	}
	g := Glyph(n + delta) // modulo 65536, as the format has it
	return g, g != 0 && int(g) < f.glyphs
}
