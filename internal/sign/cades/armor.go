package cades

import (
	"bytes"
	"encoding/base64"
	"io"
	"slices"
	"strings"

	"bulksigner/internal/fault"
)

// maxFile is the size of the largest signed message: PEM takes a third more than what it holds, and BER can.
const maxFile = 2 * MaxContent

// labels under which signed messages stand in PEM: ours and those of RFC 7468 and of OpenSSL.
var labels = []string{"PKCS7", "CMS", "PKCS #7 SIGNED DATA"}

// armorLabel looks for the first line of a message in PEM, which only white space may precede. It returns where the lines
// after it begin.
func armorLabel(b []byte) (label string, body int) {
	const most = 1 << 10
	text := string(b[:min(most, len(b))])
	trimmed := strings.TrimLeft(text, " \t\r\n")
	for _, l := range labels {
		if begin := "-----BEGIN " + l + "-----"; strings.HasPrefix(trimmed, begin) {
			return l, len(text) - len(trimmed) + len(begin)
		}
	}
	return "", 0
}

// Classes of letters in PEM. Letters of base64 are their own class.
const (
	letter = iota + 1
	padding
	blank
	dash
)

var classes = func() (t [256]byte) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		t[c] = letter
	}
	t['='], t['-'] = padding, dash
	for _, c := range " \t\r\n" {
		t[c] = blank
	}
	return t
}()

// unarmor decodes the beginning of the lines of a message, as far as it goes.
func unarmor(text []byte) []byte {
	letters := make([]byte, 0, len(text))
	for _, c := range text {
		if k := classes[c]; k == letter {
			letters = append(letters, c)
		} else if k != blank {
			break
		}
	}
	out, _ := base64.StdEncoding.AppendDecode(nil, letters[:len(letters)/4*4]) // letters alone always decode
	return out
}

// armor is a message in PEM, read as what it holds. It may be read concurrently.
type armor struct {
	file    io.ReaderAt
	size    int64 // of what it holds
	end     int64 // where in the file the letters end
	length  int64 // in letters, padding included
	padding int64
	marks   marks
}

// withoutArmor returns what a file in PEM holds, and other files as they are.
func withoutArmor(file io.ReaderAt, size int64) (io.ReaderAt, int64, bool, error) {
	if size > maxFile {
		return nil, 0, false, fault.New(fault.JobInputTooLarge, "the file has %d bytes, %d are allowed", size, int64(maxFile))
	}
	beginning, err := peekFile(file, size)
	if err != nil {
		return nil, 0, false, err
	}
	label, body := armorLabel(beginning)
	if label == "" {
		return file, size, false, nil
	}
	a := &armor{file: file}
	if err := a.survey(int64(body), size); err != nil {
		return nil, 0, false, err
	}
	if err := a.checkEnd(label, size); err != nil {
		return nil, 0, false, err
	}
	a.size = a.length/4*3 - a.padding
	return a, a.size, true, nil
}

// survey reads all of the letters once.
func (a *armor) survey(from, size int64) error {
	buffer := make([]byte, window)
	for at := from; at < size; {
		b := buffer[:min(window, size-at)]
		if err := readFull(a.file, b, at); err != nil {
			return err
		}
		n, err := a.count(b, at)
		if err != nil {
			return err
		}
		if at += int64(n); n < len(b) {
			a.end = at
			return nil
		}
	}
	return malformed("the text has no last line")
}

// count goes through a piece of the text, up to the line that ends it.
func (a *armor) count(b []byte, at int64) (int, error) {
	for i, c := range b {
		switch classes[c] {
		case blank:
			continue
		case dash:
			return i, nil
		case padding:
			a.padding++
		case letter:
			if a.padding > 0 {
				return i, malformed("there is a letter after the last one, at %d", at+int64(i))
			}
		default:
			return i, malformed("there is no letter at %d", at+int64(i))
		}
		if a.length&3 == 0 {
			a.marks.note(a.length/4*3, at+int64(i))
		}
		a.length++
	}
	return len(b), nil
}

// checkEnd reads the last line. Whatever follows it but white space would be lost.
func (a *armor) checkEnd(label string, size int64) error {
	if a.length&3 != 0 || a.padding > 2 || a.length == 0 {
		return malformed("letters are missing before %d", a.end)
	}
	const most = 1 << 10
	last := "-----END " + label + "-----"
	b := make([]byte, min(most, size-a.end))
	if err := readFull(a.file, b, a.end); err != nil {
		return err
	}
	if !bytes.HasPrefix(b, []byte(last)) || len(bytes.TrimSpace(b)) != len(last) || int64(len(b)) < size-a.end {
		return malformed("the text does not end where it should, at %d", a.end)
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (a *armor) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= a.size {
		return 0, io.EOF
	}
	from := a.marks.before(off)
	d := decoder{armor: a, at: from.file, text: make([]byte, window)}
	n, skip := 0, off-from.inside
	for n < len(p) && d.at < a.end {
		out, err := d.next()
		if err != nil {
			return n, err
		}
		n += copy(p[n:], out[min(skip, int64(len(out))):])
		skip = max(0, skip-int64(len(out)))
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// decoder goes through the letters from a mark on.
type decoder struct {
	*armor
	at                 int64
	text, letters, out []byte
}

// next decodes one piece of the text. Letters that are too few for a byte wait for the next piece.
func (d *decoder) next() ([]byte, error) {
	text := d.text[:min(window, d.end-d.at)]
	if err := readFull(d.file, text, d.at); err != nil {
		return nil, err
	}
	d.at += int64(len(text))
	d.letters = appendLetters(d.letters, text)
	whole := len(d.letters) &^ 3
	var err error
	if d.out, err = base64.StdEncoding.AppendDecode(d.out[:0], d.letters[:whole]); err != nil {
		return nil, malformed("the text before %d cannot be decoded: %s", d.at, err)
	}
	d.letters = append(d.letters[:0], d.letters[whole:]...)
	return d.out, nil
}

// appendLetters leaves out what is blank. It looks at every byte of a large file, so it has no branch to guess.
func appendLetters(letters, text []byte) []byte {
	n := len(letters)
	letters = slices.Grow(letters, len(text))[:n+len(text)]
	for _, c := range text {
		letters[n] = c
		if classes[c] != blank {
			n++
		}
	}
	return letters[:n]
}
