package pades_test

import (
	"bytes"
	"errors"
	"image"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/signtest"
)

var blank = leaf("", "/MediaBox[0 0 500 400]")

// read is the text of a document, line by line and without what poppler adds.
func read(t *testing.T, signed []byte) string {
	t.Helper()
	return strings.Trim(strings.ReplaceAll(string(signtest.Poppler(t, signed, "pdftotext", "-layout", "-enc", "UTF-8")), "\f", ""), "\n ")
}

func TestSealText(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 9, 5, 7, 0, time.FixedZone("", -3*60*60))
	tests := []struct {
		name, text string
		change     func(*pades.Options)
		want       string
	}{
		{"says what it is by default", "", nil, "Assinado digitalmente por\nMARIA DE TESTE\nData: 29/11/2026 09:05:07 -03:00"},
		{"default without a time", "", func(o *pades.Options) { o.Time = time.Time{} }, "Assinado digitalmente por\nMARIA DE TESTE"},
		{"fills in", "{name}, {name} em {time} {other}", nil, "MARIA DE TESTE, MARIA DE TESTE em 29/11/2026 09:05:07 -03:00 {other}"},
		{"accents", "Conclusão: à véspera, João põe açúcar & Ñandú — “já” nº 5ª €", nil, "Conclusão: à véspera, João põe açúcar & Ñandú — “já” nº 5ª €"},
		{"accents as marks of their own", "Joa\u0303o ac\u0327u\u0301car U\u0308 e\u0302", nil, "João açúcar Ü ê"},
		{"what the font lacks", "日本 Ж 👍 x\u0304 \a", nil, "\uFFFD\uFFFD \uFFFD \uFFFD x\uFFFD \uFFFD"},
		{"what is no UTF-8", "a\xFFb", nil, "a\uFFFDb"},
		{"what shows nothing", "a\u00ADb\u200Bc\u202Ed\uFEFFe", nil, "abcde"},
		{"ends of lines", "a\r\nb\rc\nd\u2028e", nil, "a\nb\nc\nd\ne"},
		{"a tab", "na data\tde hoje", nil, "na data de hoje"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			signed, err := sign(t, blank, world.ECDSA, func(o *pades.Options) {
				o.Time, o.Seal = at, &pades.Seal{Page: 1, Left: 20, Bottom: 20, Width: 400, Height: 100, Text: tt.text}
				if tt.change != nil {
					tt.change(o)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, signed); got != tt.want {
				t.Errorf("it reads %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSealIsSpoken: who cannot see the seal is told what it says.
func TestSealIsSpoken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"{name}\n \nassinou": "/TU(MARIA DE TESTE assinou)", " ": ""} {
		signed := mustSeal(t, blank, &pades.Seal{Page: 1, Width: 200, Height: 80, Text: text, Image: logo(t)})
		if _, after, found := bytes.Cut(signed, []byte("/TU")); found != (want != "") || !bytes.HasPrefix(append([]byte("/TU"), after...), []byte(want)) {
			t.Errorf("the field of a seal that says %q has no %q", text, want)
		}
	}
}

// TestSealTextFits writes texts of all lengths: they stay within the seal, and fill it well.
func TestSealTextFits(t *testing.T) {
	t.Parallel()
	room := image.Rect(100, 400-50-80, 300, 400-50)
	for name, text := range map[string]string{
		"a letter":              "Á",
		"a word that is long":   strings.Repeat("Pneumoultramicroscopico", 5),
		"a line":                "Assinado conforme a Medida Provisória",
		"lines":                 strings.Repeat("uma linha\n", 8) + "fim",
		"empty lines":           "a\n\n\n\nb",
		"a thousand characters": strings.Repeat("dez letras ", 90) + "1234567890",
		"spaces":                "a" + strings.Repeat(" ", 500) + "b",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seal := &pades.Seal{Page: 1, Left: 100, Bottom: 50, Width: 200, Height: 80, Text: text}
			signed := mustSeal(t, blank, seal)
			if ink := signtest.Ink(signtest.Render(t, signed, 1, 1)); ink.Empty() || !ink.In(room) {
				t.Errorf("the text is in %v, want within %v", ink, room)
			}
			strip := strings.NewReplacer(" ", "", "\n", "")
			if got := strip.Replace(read(t, signed)); got != strip.Replace(text) {
				t.Errorf("it reads %q", got)
			}
		})
	}
}

// TestSealOfAnImage: a text of blanks leaves all room to the image.
func TestSealOfAnImage(t *testing.T) {
	t.Parallel()
	signed := mustSeal(t, blank, &pades.Seal{Page: 1, Left: 100, Bottom: 50, Width: 200, Height: 80, Text: " \n", Image: logo(t)})
	if bytes.Contains(signed, []byte("/FontFile2")) {
		t.Error("there is a font although there is no text")
	}
	want := image.Rect(200-48, 400-50-80+4, 200+48, 400-50-4) // 4 by 3, in the middle
	if ink := signtest.Ink(signtest.Render(t, signed, 1, 1)); !ink.In(want.Inset(-1)) || !want.Inset(8).In(ink) {
		t.Errorf("the image is in %v, want %v", ink, want)
	}
	judge(t, blank, signed)
	nothing := mustSeal(t, blank, &pades.Seal{Page: 1, Width: 200, Height: 80, Text: " "})
	judge(t, blank, nothing)
}

func TestSealRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		seal   *pades.Seal
		change func(*pades.Options)
		says   string
	}{
		{"long text", &pades.Seal{Text: strings.Repeat("é", 1001)}, nil, "at most 1000 characters"},
		{"text that becomes long", &pades.Seal{Text: strings.Repeat("{name}", 100)}, nil, "at most 1000 characters"},
		{"text of a time that there is not", &pades.Seal{Text: "{time}"}, func(o *pades.Options) { o.Time = time.Time{} }, "wants {time}"},
		{"an image that is none", &pades.Seal{Image: []byte("GIF89a")}, nil, "neither PNG nor JPEG"},
		{"a large image", &pades.Seal{Image: make([]byte, 1<<20+1)}, nil, "at most 1048576"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.seal.Page, tt.seal.Width, tt.seal.Height = 1, 400, 100
			_, err := sign(t, blank, world.ECDSA, func(o *pades.Options) {
				o.Seal = tt.seal
				if tt.change != nil {
					tt.change(o)
				}
			})
			if !errors.Is(err, fault.SettingsInvalid) || !strings.Contains(fault.DetailOf(err), tt.says) {
				t.Errorf("Prepare = %v, want %s saying %q", err, fault.SettingsInvalid, tt.says)
			}
		})
	}
}

// TestSealIsShared uses one seal for many documents at a time, which all become the same.
func TestSealIsShared(t *testing.T) {
	t.Parallel()
	seal := &pades.Seal{Page: 1, Left: 10, Bottom: 10, Width: 200, Height: 60, Image: logo(t)}
	results := make([][]byte, 8)
	var work sync.WaitGroup
	for i := range results {
		work.Go(func() {
			signed, err := sign(t, blank, world.RSA, func(o *pades.Options) { o.Seal = seal })
			if err != nil {
				t.Error(err)
			}
			results[i] = signed
		})
	}
	work.Wait()
	for _, r := range results[1:] {
		if !bytes.Equal(r, results[0]) {
			t.Fatal("the same document was sealed in two ways")
		}
	}
}
