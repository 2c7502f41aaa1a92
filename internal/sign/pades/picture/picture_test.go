package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades/picture"
)

// painted is an image that goes from one colour to another in both directions.
func painted(m interface {
	image.Image
	Set(x, y int, c color.Color)
}, paint func(x, y int) color.Color) image.Image {
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			m.Set(m.Bounds().Min.X+x, m.Bounds().Min.Y+y, paint(x, y))
		}
	}
	return m
}

var size = image.Rect(0, 0, 13, 7)

func greys(x, y int) color.Color { return color.Gray{uint8(15*x + 9*y)} }
func colours(x, y int) color.Color {
	return color.RGBA{uint8(19 * x), uint8(30 * y), uint8(200 - x*y), 255}
}
func glass(x, y int) color.Color { return color.NRGBA{200, uint8(30 * y), 10, uint8(20 * x)} }

func encoded(t testing.TB, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func photographed(t testing.TB, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPNG(t *testing.T) {
	t.Parallel()
	palette := color.Palette{color.Black, color.RGBA{255, 0, 0, 255}, color.Transparent}
	tests := []struct {
		name string
		m    image.Image
		grey bool
	}{
		{"grey", painted(image.NewGray(size), greys), true},
		{"grey of 16 bits", painted(image.NewGray16(size), greys), true},
		{"colours that are grey", painted(image.NewRGBA(size), greys), true},
		{"colours", painted(image.NewRGBA(size), colours), false},
		{"colours of 16 bits", painted(image.NewNRGBA64(size), glass), false},
		{"transparent", painted(image.NewNRGBA(size), glass), false},
		{"palette", painted(image.NewPaletted(size, palette), func(x, y int) color.Color { return palette[(x+y)%3] }), false},
		{"one pixel", painted(image.NewGray(image.Rect(0, 0, 1, 1)), greys), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := picture.Decode(encoded(t, tt.m))
			if err != nil {
				t.Fatal(err)
			}
			if p.Grey != tt.grey || p.Width != tt.m.Bounds().Dx() || p.Height != tt.m.Bounds().Dy() {
				t.Errorf("it has %d by %d pixels, grey %t, want %v, %t", p.Width, p.Height, p.Grey, tt.m.Bounds(), tt.grey)
			}
			compare(t, reread(t, p), tt.m)
		})
	}
}

// reread decodes samples in a file of PNG around them, which has the same filters and compression.
func reread(t *testing.T, p *picture.Picture) image.Image {
	t.Helper()
	kind, colors := byte(2), 3
	if p.Grey {
		kind, colors = 0, 1
	}
	if want := fmt.Sprintf("/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors %d/Columns %d>>", colors, p.Width); p.Filter != want {
		t.Errorf("Filter = %s, want %s", p.Filter, want)
	}
	var head []byte
	head = binary.BigEndian.AppendUint32(head, uint32(p.Width))
	head = binary.BigEndian.AppendUint32(head, uint32(p.Height))
	head = append(head, 8, kind, 0, 0, 0)
	file := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range []struct {
		name string
		data []byte
	}{{"IHDR", head}, {"IDAT", p.Data}, {"IEND", nil}} {
		file = binary.BigEndian.AppendUint32(file, uint32(len(c.data)))
		body := append([]byte(c.name), c.data...)
		file = binary.BigEndian.AppendUint32(append(file, body...), crc32.ChecksumIEEE(body))
	}
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// compare wants an image as another looks on white, but for rounding.
func compare(t *testing.T, got, want image.Image) {
	t.Helper()
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			r, g, b, a := want.At(x, y).RGBA()
			gr, gg, gb, _ := got.At(x, y).RGBA()
			for _, pair := range [][2]uint32{{gr, r}, {gg, g}, {gb, b}} {
				if diff := int(pair[0]>>8) - int((pair[1]+0xFFFF-a)>>8); diff < -1 || diff > 1 {
					t.Fatalf("the pixel at %d, %d is %v, was %v", x, y, got.At(x, y), want.At(x, y))
				}
			}
		}
	}
}

func TestJPEGStaysAsItIs(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"grey":    photographed(t, painted(image.NewGray(size), greys)),
		"colours": photographed(t, painted(image.NewRGBA(size), colours)),
	} {
		p, err := picture.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p.Data, file) || p.Filter != "/Filter/DCTDecode" || p.Grey != (name == "grey") || p.Width != 13 || p.Height != 7 {
			t.Errorf("%s: %d by %d pixels, grey %t, %s", name, p.Width, p.Height, p.Grey, p.Filter)
		}
	}
}

// TestJPEGOfRGB: a file that says its components are red, green and blue is written anew, since not all readers believe it.
func TestJPEGOfRGB(t *testing.T) {
	t.Parallel()
	file := photographed(t, painted(image.NewRGBA(size), colours))
	adobe := "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	p, err := picture.Decode(append([]byte("\xff\xd8"+adobe), file[2:]...))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(p.Filter, "/Filter/FlateDecode") || p.Grey {
		t.Errorf("Filter = %s, grey %t", p.Filter, p.Grey)
	}
	reread(t, p)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	sound := encoded(t, painted(image.NewRGBA(size), colours))
	photo := photographed(t, painted(image.NewRGBA(size), colours))
	tests := []struct {
		name string
		file []byte
		says string
	}{
		{"nothing", nil, "neither PNG nor JPEG"},
		{"GIF", []byte("GIF89a\x01\x00\x01\x00"), "neither PNG nor JPEG"},
		{"PNG cut off", sound[:len(sound)-20], "damaged"},
		{"PNG without a header", sound[:12], "damaged"},
		{"PNG with a wrong sum", bytes.Replace(sound, []byte("IDAT"), []byte("IDAU"), 1), "damaged"},
		{"JPEG cut off", photo[:len(photo)-20], "damaged"},
		{"JPEG without a header", photo[:20], "damaged"},
		{"too many bytes", append(bytes.Clone(sound), make([]byte, 1<<20)...), "at most 1048576"},
		{"too many pixels", encoded(t, image.NewGray(image.Rect(0, 0, 4001, 1000))), "4001 by 1000 pixels"},
		{"a bomb", bytes.Replace(sound, []byte{0, 0, 0, 13, 0, 0, 0, 7}, []byte{0x7F, 0, 0, 0, 0x7F, 0, 0, 0}, 1), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if p, err := picture.Decode(tt.file); !errors.Is(err, fault.SettingsInvalid) || !strings.Contains(fault.DetailOf(err), tt.says) || p != nil {
				t.Errorf("Decode = %v, want settings.invalid saying %q", err, tt.says)
			}
		})
	}
}

func TestMostPixels(t *testing.T) {
	t.Parallel()
	p, err := picture.Decode(encoded(t, image.NewGray(image.Rect(0, 0, 2000, 2000))))
	if err != nil || len(p.Data) > 1<<16 {
		t.Errorf("Decode = %v, %v", p, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, painted(image.NewNRGBA(size), glass)))
	f.Add(photographed(f, painted(image.NewRGBA(size), colours)))
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := picture.Decode(file)
		if err != nil {
			if !errors.Is(err, fault.SettingsInvalid) {
				t.Errorf("Decode = %v, without the code", err)
			}
			return
		}
		if p.Width < 1 || p.Height < 1 || p.Width*p.Height > picture.MaxPixels || len(p.Data) == 0 {
			t.Errorf("the picture has %d by %d pixels and %d bytes", p.Width, p.Height, len(p.Data))
		}
	})
}
