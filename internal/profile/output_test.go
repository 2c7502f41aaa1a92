package profile_test

import (
	"strings"
	"testing"

	"bulksigner/internal/profile"
)

func TestFormatOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]profile.Format{
		"report.pdf": profile.Pades, "REPORT.PDF": profile.Pades, "a.b/report.Pdf": profile.Pades,
		"nota.xml": profile.Xades, "nota.XML": profile.Xades,
		"data.bin": profile.Cades, "nota.nfe": profile.Cades, "pdf": profile.Cades, ".pdf": profile.Cades, "a.pdf/b": profile.Cades, "": profile.Cades,
		"report.pdf.zip": profile.Cades, "report.pdf.": profile.Cades,
	} {
		if got := profile.FormatOf(name); got != want {
			t.Errorf("FormatOf(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestOutputName(t *testing.T) {
	t.Parallel()
	plain := profile.Profile{}
	pem := profile.Profile{SaveAsPem: true}
	kept := profile.Profile{PreserveFileExtension: true}
	both := profile.Profile{PreserveFileExtension: true, SaveAsPem: true}
	detached := profile.Profile{Signature: profile.Signature{Detached: true, Nested: true}}
	detachedPEM := profile.Profile{SaveAsPem: true, Signature: profile.Signature{Detached: true}}
	tests := []struct {
		p          profile.Profile
		format     profile.Format
		name, want string
	}{
		{plain, profile.Pades, "report.pdf", "report.signed.pdf"},
		{plain, profile.Pades, "REPORT.PDF", "REPORT.signed.pdf"},
		{plain, profile.Pades, "report", "report.signed.pdf"},
		{both, profile.Pades, "report.pdf", "report.signed.pdf"},
		{plain, profile.Cades, "data.bin", "data.bin.p7m"},
		{plain, profile.Cades, "data", "data.p7m"},
		{pem, profile.Cades, "data.bin", "data.bin.pem"},
		{detached, profile.Cades, "data.bin", "data.bin.p7s"},
		{detached, profile.Cades, "2026/data", "2026/data.p7s"},
		{detached, profile.Cades, "data.bin.p7m", "data.bin.p7m.p7s"},
		{detachedPEM, profile.Cades, "data.bin", "data.bin.pem"},
		{detached, profile.Pades, "report.pdf", "report.signed.pdf"},
		{kept, profile.Cades, "remessa.rem", "remessa.signed.rem"},
		{both, profile.Cades, "remessa.rem", "remessa.signed.rem"},
		{kept, profile.Cades, "remessa", "remessa.signed"},
		{plain, profile.Xades, "nota.nfe", "nota.signed.xml"},
		{kept, profile.Xades, "nota.nfe", "nota.signed.nfe"},
		{pem, profile.Xades, "nota.xml", "nota.signed.xml"},

		{plain, profile.Auto, "report.pdf", "report.signed.pdf"},
		{plain, profile.Auto, "nota.xml", "nota.signed.xml"},
		{plain, profile.Auto, "data.bin", "data.bin.p7m"},

		{plain, profile.Pades, "2026/may.1/report.pdf", "2026/may.1/report.signed.pdf"},
		{plain, profile.Pades, "2026/may.1/report", "2026/may.1/report.signed.pdf"},
		{plain, profile.Cades, "2026/data.bin", "2026/data.bin.p7m"},
		{kept, profile.Cades, "2026/data.tar.gz", "2026/data.tar.signed.gz"},
		{kept, profile.Cades, ".env", ".env.signed"},
		{plain, profile.Pades, "a/.pdf", "a/.pdf.signed.pdf"},
		{kept, profile.Cades, ".env.local", ".env.signed.local"},
		{kept, profile.Cades, "name.", "name.signed."},
		{plain, profile.Pades, "à vista.v2.pdf", "à vista.v2.signed.pdf"},
	}
	for _, tt := range tests {
		if got := tt.p.OutputName(tt.name, tt.format); got != tt.want {
			t.Errorf("OutputName(%q, %q) = %q, want %q", tt.name, tt.format, got, tt.want)
		}
		tt.p.Encrypt = true
		if got := tt.p.OutputName(tt.name, tt.format); got != tt.want+".enc" {
			t.Errorf("encrypted, OutputName(%q, %q) = %q, want %q", tt.name, tt.format, got, tt.want+".enc")
		}
	}
}

// The names that the product's manual lists, encrypted or not.
func TestOutputNamesOfTheManual(t *testing.T) {
	t.Parallel()
	tests := []struct {
		format         profile.Format
		kept, pem      bool
		name           string
		want, encrypts string
	}{
		{profile.Pades, false, false, "report.pdf", "report.signed.pdf", "report.signed.pdf.enc"},
		{profile.Cades, false, false, "data.bin", "data.bin.p7m", "data.bin.p7m.enc"},
		{profile.Cades, false, true, "data.bin", "data.bin.pem", "data.bin.pem.enc"},
		{profile.Cades, true, false, "remessa.rem", "remessa.signed.rem", "remessa.signed.rem.enc"},
		{profile.Cades, true, true, "remessa.rem", "remessa.signed.rem", "remessa.signed.rem.enc"},
		{profile.Xades, false, false, "nota.nfe", "nota.signed.xml", "nota.signed.xml.enc"},
		{profile.Xades, true, false, "nota.nfe", "nota.signed.nfe", "nota.signed.nfe.enc"},
	}
	for _, tt := range tests {
		p := profile.Profile{Format: tt.format, PreserveFileExtension: tt.kept, SaveAsPem: tt.pem}
		plain := p.OutputName(tt.name, tt.format)
		p.Encrypt = true
		if encrypted := p.OutputName(tt.name, tt.format); plain != tt.want || encrypted != tt.encrypts {
			t.Errorf("%+v: %q, encrypted %q", tt, plain, encrypted)
		}
	}
}

func TestBesideName(t *testing.T) {
	t.Parallel()
	if got := (profile.Profile{}).BesideName("2026/data.bin"); got != "2026/data.bin" {
		t.Errorf("BesideName = %q, want the content's own", got)
	}
	if got := (profile.Profile{Encrypt: true}).BesideName("2026/data.bin"); got != "2026/data.bin.enc" {
		t.Errorf("encrypted, BesideName = %q, want 2026/data.bin.enc", got)
	}
}

// FuzzOutputName holds that an output stays in its folder and never has its input's name, nor that of the content beside it.
func FuzzOutputName(f *testing.F) {
	f.Add("2026/report.pdf", true, false, false, false)
	f.Add(".env", false, true, false, true)
	f.Add("a/", true, true, false, false)
	f.Add("data.bin", false, false, true, true)
	f.Fuzz(func(t *testing.T, name string, kept, pem, detached, encrypt bool) {
		p := profile.Profile{PreserveFileExtension: kept, SaveAsPem: pem, Encrypt: encrypt, Signature: profile.Signature{Detached: detached}}
		folder := name[:strings.LastIndexByte(name, '/')+1]
		for _, format := range append(profile.Formats, profile.Auto) {
			got := p.OutputName(name, format)
			rest, inside := strings.CutPrefix(got, folder)
			if !inside || strings.Contains(rest, "/") || got == name || got == p.BesideName(name) {
				t.Errorf("OutputName(%q, %q) = %q, want another name in %q", name, format, got, folder)
			}
		}
	})
}
