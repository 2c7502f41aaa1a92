package pades

import (
	"bytes"
	"fmt"
	"time"
	"unicode/utf8"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/cms"
)

// maxText bounds each text that goes into a signature, in characters.
const maxText = 2000

// check refuses options that would make a signature nobody accepts.
func (o *Options) check() error {
	if o.SubFilter == "" {
		o.SubFilter = ETSI
	}
	if o.SubFilter != ETSI && o.SubFilter != PBAD {
		return fault.New(fault.SettingsInvalid, "there is no sub-filter %.40q", string(o.SubFilter))
	}
	for _, t := range o.texts() {
		if utf8.RuneCountInString(t.value) > maxText {
			return fault.New(fault.SettingsInvalid, "the %s of a signature has at most %d characters", t.key, maxText)
		}
	}
	if o.Certificate == nil {
		return nil // cms refuses it
	}
	if !o.Time.IsZero() {
		if err := (cms.Params{Certificate: o.Certificate, Policy: o.Policy}).CheckTime(o.Time); err != nil {
			return err
		}
	}
	var err error
	o.art, err = o.artwork()
	return err
}

type textEntry struct{ key, value string }

func (o *Options) texts() []textEntry {
	return []textEntry{{"Name", o.Name}, {"Reason", o.Reason}, {"Location", o.Location}, {"ContactInfo", o.ContactInfo}}
}

// filter is the handler that goes with the sub-filter.
func (o *Options) filter() string {
	if o.SubFilter == PBAD {
		return "PBAD_PAdES"
	}
	return "Adobe.PPKLite"
}

// dictionary is the text of a signature dictionary, and where in it the blank parts are.
type dictionary struct {
	text                 []byte
	byteRange            int // where the three numbers are
	contents, afterwards int // where the value of Contents begins and ends, brackets included
}

// Three numbers of the width of an offset. The first of the four is always zero.
const (
	rangeFormat = "%-10d %-10d %-10d"
	rangeWidth  = 3*10 + 2
)

// dictionary writes the signature dictionary with room for a signature of so many bytes. reference is what the field
// demands, or empty.
func (o *Options) dictionary(room int, reference string) dictionary {
	var out bytes.Buffer
	var d dictionary
	fmt.Fprintf(&out, "<</Type/Sig/Filter/%s/SubFilter/%s\n", o.filter(), o.SubFilter)
	for _, t := range o.texts() {
		if t.value != "" {
			fmt.Fprintf(&out, "/%s%s\n", t.key, encodeText(t.value))
		}
	}
	if !o.Time.IsZero() {
		fmt.Fprintf(&out, "/M(%s)\n", formatDate(o.Time))
	}
	out.WriteString(reference)
	out.WriteString("/ByteRange[0 ")
	d.byteRange = out.Len()
	out.Write(bytes.Repeat([]byte(" "), rangeWidth))
	out.WriteString("]\n/Contents")
	d.contents = out.Len()
	out.WriteByte('<')
	out.Write(bytes.Repeat([]byte("0"), 2*room))
	out.WriteByte('>')
	d.afterwards = out.Len()
	out.WriteString(">>")
	d.text = out.Bytes()
	return d
}

// formatDate writes a time in its own zone (ISO 32000-1, 7.9.4).
func formatDate(t time.Time) string {
	_, east := t.Zone()
	sign := '+'
	if east < 0 {
		sign, east = '-', -east
	}
	return fmt.Sprintf("D:%s%c%02d'%02d'", t.Format("20060102150405"), sign, east/3600, east/60%60)
}
