// Package picture turns a PNG or JPEG file into the samples of an image in a PDF file.
//
// What comes out needs nothing that PDF/A-1 forbids: no transparency, which is laid on white, and 8 bits a sample, one
// sample a pixel for greys and three for colours. A JPEG file in one of these forms stays as it is, so that nothing is
// lost; it is decoded all the same, since readers show a damaged one as they like. Notes in the file, such as a profile or
// which side is up, are not followed. Which colours the samples mean is left to pades.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"bulksigner/internal/fault"
)

// Limits of a file, so that decoding it is neither long nor large.
const (
	MaxBytes  = 1 << 20
	MaxPixels = 4_000_000
)

// Picture is an image without transparency.
type Picture struct {
	Width, Height int
	Grey          bool   // one sample a pixel, otherwise three: red, green and blue
	Filter        string // the entries of a stream's dictionary that say how Data is encoded
	Data          []byte
}

// kind is a kind of file.
type kind struct {
	begin  string
	config func(r *bytes.Reader) (image.Config, error)
	decode func(r *bytes.Reader) (image.Image, error)
}

var kinds = []kind{
	{"\x89PNG\r\n\x1a\n", func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) },
		func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) }},
	{jpegBegin, func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) },
		func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) }},
}

const jpegBegin = "\xff\xd8\xff"

// Decode reads a file. It returns fault.SettingsInvalid for one that cannot be used.
func Decode(file []byte) (*Picture, error) {
	if len(file) > MaxBytes {
		return nil, fault.New(fault.SettingsInvalid, "the image has %d bytes, at most %d are allowed", len(file), MaxBytes)
	}
	for _, k := range kinds {
		if bytes.HasPrefix(file, []byte(k.begin)) {
			return k.read(file)
		}
	}
	return nil, fault.New(fault.SettingsInvalid, "the image is neither PNG nor JPEG")
}

func (k kind) read(file []byte) (*Picture, error) {
	c, err := k.config(bytes.NewReader(file))
	if err != nil {
		return nil, fault.Wrap(fault.SettingsInvalid, err, "the image is damaged")
	}
	if c.Width < 1 || c.Height < 1 || c.Width > MaxPixels/c.Height {
		return nil, fault.New(fault.SettingsInvalid, "the image has %d by %d pixels, at most %d in all are allowed",
			c.Width, c.Height, MaxPixels)
	}
	m, err := k.decode(bytes.NewReader(file))
	if err != nil {
		return nil, fault.Wrap(fault.SettingsInvalid, err, "the image is damaged")
	}
	if grey := c.ColorModel == color.GrayModel; k.begin == jpegBegin && (grey || c.ColorModel == color.YCbCrModel) {
		return &Picture{c.Width, c.Height, grey, "/Filter/DCTDecode", file}, nil
	}
	return encode(m)
}

// encode lays an image on white and compresses its samples.
func encode(m image.Image) (*Picture, error) {
	p := &Picture{Width: m.Bounds().Dx(), Height: m.Bounds().Dy()}
	flat, err := flatten(m)
	if err != nil {
		return nil, err
	}
	p.Grey = isGrey(flat)
	if p.Data, err = compress(flat, p.Width, p.colors()); err != nil {
		return nil, fmt.Errorf("compress image: %w", err)
	}
	p.Filter = fmt.Sprintf("/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors %d/Columns %d>>", p.colors(), p.Width)
	return p, nil
}

// flatten returns red, green and blue of each pixel as it looks on white.
func flatten(m image.Image) ([]byte, error) {
	deep, ok := m.(image.RGBA64Image) // all that the decoders return; other ways to a pixel take memory for each
	if !ok {
		return nil, fault.New(fault.Internal, "the image is decoded to %T, which is not known", m)
	}
	b := m.Bounds()
	out := make([]byte, 0, 3*b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := deep.RGBA64At(x, y) // already multiplied by how opaque it is
			white := 0xFFFF - c.A
			out = append(out, byte((c.R+white)>>8), byte((c.G+white)>>8), byte((c.B+white)>>8))
		}
	}
	return out, nil
}

func (p *Picture) colors() int {
	if p.Grey {
		return 1
	}
	return 3
}

func isGrey(flat []byte) bool {
	for i := 0; i+2 < len(flat); i += 3 {
		if flat[i] != flat[i+1] || flat[i] != flat[i+2] {
			return false
		}
	}
	return true
}
