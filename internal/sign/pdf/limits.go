package pdf

// Limits on what a file may make us do. Ordinary files stay far below each of them.
const (
	// maxSize is what an offset of ten digits can reach, less room for a section: classic tables have no more digits.
	maxSize = 9_999_999_999 - 1<<24

	// maxObjects is the number of objects that ISO 32000-1, annex C, grants a file. A trailer may claim any number.
	maxObjects = 8_388_607

	// maxObject bounds the text of one object, streams aside: a flat page tree of 300 000 pages fits.
	maxObject = 4 << 20

	// maxDepth bounds how deep arrays and dictionaries nest within one object. Real ones stay below 20.
	maxDepth = 256

	// maxNested bounds references that lead to references, and streams whose length lies in another stream.
	maxNested = 16

	// maxLevels bounds the depth of page trees and field hierarchies.
	maxLevels = 128

	// maxSections bounds the chain of updates. Each signature adds one.
	maxSections = 1024

	// maxRuns bounds the subsections of all cross-reference sections together, 32 bytes of memory each.
	maxRuns = 1 << 17

	// maxTable bounds what all cross-reference streams hold after decoding: over two million objects.
	maxTable = 16 << 20

	// maxObjectStream bounds a decoded object stream. Writers put a few hundred objects into each.
	maxObjectStream = 8 << 20

	// maxPacked bounds the objects in an object stream, 8 bytes of memory each.
	maxPacked = 1 << 18

	// maxEntries bounds the entries of a dictionary that is taken apart, 48 bytes of memory each.
	maxEntries = 1 << 16

	// maxRow bounds a row of the predictor. The rows of a cross-reference stream have a few bytes.
	maxRow = 1 << 16

	// maxTail is how far from the end the last start offset is looked for. Readers look at 1 KiB, but scanners and
	// mail gateways pad far more.
	maxTail = 1 << 20

	// maxWork bounds the bytes looked at for one document, so that many small requests do not add up to a long time.
	// It is enough for a form of 100 000 fields, or a table of two million objects.
	maxWork = 32 << 20
)
