package profile

import "strings"

// FormatOf is the format that Auto means for a file: a PDF is signed as Pades, XML as Xades, everything else as Cades.
func FormatOf(name string) Format {
	_, ext := split(name)
	switch strings.ToLower(ext) {
	case ".pdf":
		return Pades
	case ".xml":
		return Xades
	default:
		return Cades
	}
}

// OutputName is the name of what becomes of the file called name when it is signed in format f. Only the last element of
// a name with slashes changes. Auto goes by the extension. What Encrypt makes of it has .enc at the end.
func (p Profile) OutputName(name string, f Format) string {
	return p.encryptedName(p.signedName(name, f))
}

// BesideName is the name under which the content of a detached signature is published beside it: the one that it has, or
// with .enc at the end, since cleartext is not published where outputs are encrypted. It is never the signature's.
func (p Profile) BesideName(name string) string { return p.encryptedName(name) }

func (p Profile) encryptedName(name string) string {
	if p.Encrypt {
		return name + ".enc"
	}
	return name
}

func (p Profile) signedName(name string, f Format) string {
	stem, ext := split(name)
	switch f {
	case Pades:
		return stem + ".signed.pdf"
	case Xades:
		if p.PreserveFileExtension {
			return stem + ".signed" + ext
		}
		return stem + ".signed.xml"
	case Cades:
		return p.cadesName(name)
	default:
		return p.signedName(name, FormatOf(name))
	}
}

// cadesName keeps the whole input name unless the profile asks otherwise: an attached signature of data.bin is
// data.bin.p7m, which tells what is inside, and a detached one data.bin.p7s, which tells what it belongs to. A preserved
// extension says nothing of DER and PEM, and PEM nothing of where the content is.
func (p Profile) cadesName(name string) string {
	stem, ext := split(name)
	switch {
	case p.PreserveFileExtension:
		return stem + ".signed" + ext
	case p.SaveAsPem:
		return name + ".pem"
	case p.Signature.Detached:
		return name + ".p7s"
	default:
		return name + ".p7m"
	}
}

// split cuts the last extension off a name. The dot that hides a file begins no extension: .env has none.
func split(name string) (stem, ext string) {
	first := strings.LastIndexByte(name, '/') + 1
	dot := strings.LastIndexByte(name, '.')
	if dot <= first {
		return name, ""
	}
	return name[:dot], name[dot:]
}
