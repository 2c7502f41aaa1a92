package pades

import (
	"sync"
	"unicode/utf8"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades/picture"
)

// Seal is what a visible signature shows: an image at the left and a text beside it, upright on the page as it is
// displayed. It adds nothing that PDF/A-1, 2 or 3 in their levels b and u forbid, whatever the file's output intent is.
//
// A Seal may be used for many documents, also concurrently, and then its image is decoded once. It must not be changed
// after its first use.
type Seal struct {
	// Page is where the seal stands: 1 is the first page, -1 the last, -2 the one before.
	Page int

	// The rectangle in points, on the page as it is displayed: after its rotation, and from the lower left corner of what
	// is visible of it. One that does not fit is refused with fault.PDFSealMisplaced.
	//
	// If Options names a field, the seal stands where that field does, and page and rectangle are not looked at.
	Left, Bottom, Width, Height float64

	// Text may have several lines, {name} for the signer and {time} for when it is signed. If empty it says so in
	// Portuguese; of blanks, it leaves all room to the image. It is written as large as it fits, from 12 down to 4 points
	// and with lines broken, and refused with fault.PDFSealMisplaced if it does not. In place of what the font does not
	// have stands a mark.
	Text string

	// Image is a file of PNG or JPEG, none if empty. It is as large as fits, beside a text in two fifths of the width.
	Image []byte

	decode  sync.Once
	picture *picture.Picture
	err     error
}

// maxSealText bounds the text of a seal, in characters.
const maxSealText = 1000

// artwork returns what the seal shows, nil if there is none.
func (o *Options) artwork() (*artwork, error) {
	s := o.Seal
	if s == nil {
		return nil, nil
	}
	text := s.Text
	if utf8.RuneCountInString(text) <= maxSealText {
		var err error
		if text, err = o.sealText(text); err != nil {
			return nil, err
		}
	}
	if utf8.RuneCountInString(text) > maxSealText {
		return nil, fault.New(fault.SettingsInvalid, "the text of a seal has at most %d characters", maxSealText)
	}
	p, err := s.image()
	if err != nil {
		return nil, err
	}
	return newArtwork(text, p)
}

// image decodes the image at its first use.
func (s *Seal) image() (*picture.Picture, error) {
	s.decode.Do(func() {
		if len(s.Image) > 0 {
			s.picture, s.err = picture.Decode(s.Image)
		}
	})
	return s.picture, s.err
}
