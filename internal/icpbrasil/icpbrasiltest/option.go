package icpbrasiltest

import (
	"crypto/x509"
	"time"
)

// Option changes a certificate that is about to be issued.
type Option func(*options)

type options struct {
	from, until   time.Time
	usage         x509.KeyUsage
	encoding      Encoding
	newGeneration bool
	withoutCPF    bool
}

// Encoding is the ASN.1 type that holds the text of an otherName.
type Encoding int

// The encodings that are met. The rules allow the first two; a reader accepts the third.
const (
	Octet Encoding = iota + 1
	Printable
	UTF8
)

// Validity sets the first and the last moment at which the certificate is valid.
func Validity(from, until time.Time) Option {
	return func(o *options) { o.from, o.until = from, until }
}

// NewGeneration issues in the layout of Resolution 211 of 2024: the common name is the name alone, and the number is the
// subject's serialNumber. There are no otherNames, unless OtherNamesAs asks for them: they are optional until 2028.
func NewGeneration() Option {
	return func(o *options) { o.newGeneration = true }
}

// OtherNamesAs sets how the otherNames are encoded. Octet is usual.
func OtherNamesAs(e Encoding) Option {
	return func(o *options) { o.encoding = e }
}

// WithoutCPF leaves the person's CPF out of the names; in an otherName, zeros stand for it.
func WithoutCPF() Option {
	return func(o *options) { o.withoutCPF = true }
}

// KeyUsage replaces the usual digitalSignature, nonRepudiation and keyEncipherment.
func KeyUsage(usage x509.KeyUsage) Option {
	return func(o *options) { o.usage = usage }
}

func (p *PKI) options(opts []Option) options {
	o := options{
		from:  p.now.AddDate(0, 0, -1),
		until: p.now.AddDate(1, 0, -1),
		usage: x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment | x509.KeyUsageKeyEncipherment,
	}
	for _, set := range opts {
		set(&o)
	}
	return o
}
